/* Free blocks in rows, so that lists are laid out evenly that are made of them. */
#ifndef CK_FREE_ORDER_H
#define CK_FREE_ORDER_H

#include "memory/heap.h"

/* Brings the next free blocks of a size class that has 32 bytes at least, ORDERED blocks at most, into rows without gaps, the
 * longest ones first, if that pays: after lists that were rebuilt in place have been found uneven (heap->uneven) as often as
 * blocks were put in order last. */
void free_order(Heap *heap, uint32_t size_class);

enum { ORDERED = 4096 };

#endif
