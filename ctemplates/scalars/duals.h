/* Duals as values: a primal and a tangent under a tag. */
#ifndef CK_DUALS_H
#define CK_DUALS_H

#include "memory/heap.h"

/* Returns the primal under all tags, a float, of a REAL, NODE or DUAL. */
double number_real(Value number);

/* Returns a new dual; consumes its parts. */
Value dual_of(Heap *heap, uint64_t tag, Value primal, Value tangent);

#endif
