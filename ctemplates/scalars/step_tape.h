/* The tape of one step of arithmetic on duals, which numbers.c writes. */
#ifndef CK_STEP_TAPE_H
#define CK_STEP_TAPE_H

#include "scalars/scalars.h"

StepTape *step_tape_create(Heap *heap);

/* Returns the operand with its reals as nodes of the tape; borrowed from the tape. place: the register of its slot,
 * NO_REGISTER for a constant, which is not lifted; a register that occurs twice is one location. */
Value step_tape_lift(Heap *heap, StepTape *tape, Value operand, Register place);

/* Records the application of a scalar to reals and nodes, with its partials; returns the node of its value. */
Value step_tape_record(Numbers *numbers, const Scalar *scalar, const Value *operands, const double *slopes, double value);

/* Ends the recording: consumes the step's result, and returns it without nodes. */
Value step_tape_close(Heap *heap, StepTape *tape, Value result);

/* Reverses the tape: from the cotangent of the result, which is borrowed, to the accumulators of the operands, which
 * are in `window` in the registers of their slots and are replaced there. The tape is used up, not destroyed. */
void step_tape_reverse(Heap *heap, StepTape *tape, Value received, Value *window);

size_t step_tape_bytes(const StepTape *tape);
void step_tape_destroy(Heap *heap, StepTape *tape);

#endif
