/* Sums of accumulators that C cannot add. */
#ifndef CK_ACCUMULATORS_H
#define CK_ACCUMULATORS_H

#include "memory/heap.h"

/* Returns a + b, computed in Python, for accumulators that are not reals. */
Value foreign_sum(Heap *heap, Value a, Value b);

#endif
