/* The tape of one step of arithmetic on duals (step_tape.c), as numbers.c writes it. */
#ifndef CK_STEP_TAPE_H
#define CK_STEP_TAPE_H

#include "scalars/numbers.h"
#include "scalars/scalars.h"

extern const Scalar *const SCALAR_ADD, *const SCALAR_MULTIPLY; /* scalars.c */

/* Records an operation on reals and nodes; gives the node of its value. */
Value step_tape_record(Numbers *numbers, const Value *operands, const double *slopes, uint32_t count,
    bool singular, double value);

/* A new dual; takes its parts. */
Value dual_of(Heap *heap, uint64_t tag, Value primal, Value tangent);

/* The scalar on numbers that are made of reals and nodes, with what IEEE has: it cannot fail. */
void apply_known(Numbers *numbers, const Scalar *scalar, const Value *operands, Value *result);

#endif
