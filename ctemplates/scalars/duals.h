/* Duals as values: a primal and a tangent under a tag. */
#ifndef CK_DUALS_H
#define CK_DUALS_H

#include "memory/heap.h"

/* The float under all tags, of a REAL, NODE or DUAL. */
double number_real(Value number);

/* A new dual; takes its parts. */
Value dual_of(Heap *heap, uint64_t tag, Value primal, Value tangent);

#endif
