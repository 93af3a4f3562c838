/* Arithmetic on duals: `apply` of checkpoint/ad/numbers.py, on REAL, NODE and DUAL values.
 *
 * If a step of a taped run has duals, its operands' reals become NODEs of a tape of that one step (StepTape), and the
 * operations of `apply` are recorded there: the same tape as interp's, entry for entry.
 */
#ifndef CK_NUMBERS_H
#define CK_NUMBERS_H

#include "scalars/scalars.h"

/* Computes the scalar's value on numbers, some of them DUAL; false: Python must perform the step (it fails, or has
 * operands unknown to C). Operands are borrowed, the caller owns the result; if false there is no side effect.
 * Integers beside reals are accepted if the scalar accepts them. strict: as in the record's value, not its ieee. */
bool numbers_apply(Numbers *numbers, uint16_t scalar, const Value *operands, Value *result, bool strict);

/* Performs one taped step: lifts the operands, applies, and removes the nodes from the result. places: the registers
 * of the operands, NO_REGISTER for constants, which are not lifted; a register that occurs twice is one location.
 * `tape` is NULL if there is nothing to reverse (the result is a boolean). */
bool numbers_apply_taped(Heap *heap, uint16_t scalar, const Value *operands, const Register *places,
    Value *result, StepTape **tape);

/* Returns the primal under one tag, through other tags in whatever order they nest. */
Value primal_at(Heap *heap, Value number, uint64_t tag);

/* Stores the tangent under one tag, through other tags; false if the number does not carry the tag. */
bool tangent_at(Heap *heap, Value number, uint64_t tag, Value *tangent);

#endif
