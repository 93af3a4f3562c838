/* Sums of accumulators that are not both REAL: of duals by components, and of those in Python. */
#ifndef CK_ACCUMULATOR_SUMS_H
#define CK_ACCUMULATOR_SUMS_H

#include "memory/heap.h"

/* Returns a + b, consuming both; a is the accumulator. */
Value accumulator_sum(Heap *heap, Value a, Value b);

#endif
