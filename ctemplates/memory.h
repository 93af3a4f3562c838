/* The memory of the process, and what Python's tracemalloc is told of it: so the memory of an engine in C is seen by
 * whoever measures a Python program. Any thread, with the GIL or without. */
#ifndef CK_MEMORY_H
#define CK_MEMORY_H

#include <stdlib.h>

void *memory_take(size_t bytes); /* as malloc */
void *memory_resize(void *memory, size_t bytes); /* as realloc */
void memory_give(void *memory); /* as free */

#endif
