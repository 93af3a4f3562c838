/* Reversing the beginning and the exit of j* (state/whole.h). */
#ifndef CK_REVERSE_WHOLE_H
#define CK_REVERSE_WHOLE_H

#include "state/cotangent.h"
#include "state/whole.h"

/* Reverses the step; `received`: the accumulator of its result; `at`: the registers of its operands, NO_REGISTER of
 * constants. Contributions are added in the order of checkpoint/interp/hybrid/structured.py: the copies that the step has
 * made of numbers are reversed, the last one first. */
void reverse_whole(Cotangent *c, const Whole *whole, Value *received, const Register *at);

/* Returns the accumulator of a number from those of its primal and tangent under a tag; consumes both. */
Value merged_accumulator(Heap *heap, Value number, uint64_t tag, Value primal, Value tangent);

#endif
