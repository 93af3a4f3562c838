/* Checks of a heap's bookkeeping (heap_check.c). */
#ifndef CK_HEAP_CHECK_H
#define CK_HEAP_CHECK_H

#include "memory/heap.h"

/* Returns the bytes in free lists: they serve small blocks, and stay with the heap. */
size_t heap_spare(const Heap *heap);

/* Walks the heap and aborts with a message where a count, link or size is impossible (hostile build). */
void heap_check(const Heap *heap);

#endif
