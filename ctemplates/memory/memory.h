/* The memory of the process (pages.h), reported to Python's tracemalloc, so that measurements of a Python
 * program include the memory of the engine in C. Any thread, with the GIL or without. */
#ifndef CK_MEMORY_H
#define CK_MEMORY_H

#include <stdlib.h>

void *memory_take(size_t bytes); /* NULL: there is none; so for memory_resize, and then nothing has changed */
void *memory_resize(void *memory, size_t old_bytes, size_t bytes);
void memory_give(void *memory, size_t bytes); /* the size last requested */

#endif
