/* What a heap remembers of Python objects that outlive it (memo.c): the values of constants, layouts and lambdas, and
 * for the constants' own objects where they are from. */
#ifndef CK_MEMO_H
#define CK_MEMO_H

#include "memory/heap.h"

bool heap_recall(const Heap *heap, const void *key, Value *value);

void heap_remember(Heap *heap, const void *key, Value value); /* may jump; takes the reference */

#endif
