/* Free blocks in the order of their addresses, so that lists are laid out evenly that are made of them. */
#ifndef CK_FREE_ORDER_H
#define CK_FREE_ORDER_H

#include "memory/heap.h"

/* Brings the next free blocks of a size class, ORDERED at most, into the order of their addresses, if that pays: after
 * lists that were rebuilt in place have been found uneven (heap->uneven) some times as often as blocks were sorted last. */
void free_order(Heap *heap, uint32_t size_class);

enum { ORDERED = 4096 };

#endif
