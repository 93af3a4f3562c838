/* The memory of the process (pages.h), and what Python's tracemalloc is tested of it: so the memory of an engine in C is
 * seen by whoever measures a Python program. Any thread, with the GIL or without. */
#ifndef CK_MEMORY_H
#define CK_MEMORY_H

#include <stdlib.h>

void *memory_take(size_t bytes); /* NULL: there is none; so for memory_resize, and then nothing has changed */
void *memory_resize(void *memory, size_t old_bytes, size_t bytes);
void memory_give(void *memory, size_t bytes); /* as many as it was asked for last */

#endif
