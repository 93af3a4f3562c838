/* The memo of a heap: the values of constants, layouts and lambdas, which are Python objects that outlive it, and for
 * the objects of constants their origins. */
#ifndef CK_MEMO_H
#define CK_MEMO_H

#include "memory/heap.h"

bool heap_recall(const Heap *heap, const void *key, Value *value);

void heap_remember(Heap *heap, const void *key, Value value); /* may jump; takes the reference */

#endif
