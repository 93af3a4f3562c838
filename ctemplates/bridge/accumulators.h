/* Sums of accumulators that C cannot add (accumulators.c). */
#ifndef CK_ACCUMULATORS_H
#define CK_ACCUMULATORS_H

#include "memory/heap.h"

/* a + b of amounts that are no reals, by Python. */
Value foreign_amount_add(Heap *heap, Value a, Value b);

#endif
