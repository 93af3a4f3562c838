/* Sums of accumulators that C cannot add. */
#ifndef CK_ACCUMULATORS_H
#define CK_ACCUMULATORS_H

#include "memory/heap.h"

/* a + b of cotangents that are no reals, by Python. */
Value foreign_sum(Heap *heap, Value a, Value b);

#endif
