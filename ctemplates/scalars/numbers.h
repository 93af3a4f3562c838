/* Arithmetic on duals, natively: `apply` of checkpoint/ad/numbers.py, on REAL, NODE and DUAL values.
 *
 * Where a step of a taped run has duals, its operands' reals become NODEs of a tape of that one step
 * (StepTape), and what `apply` does with them is recorded there: the same tape as interp's, entry for entry.
 */
#ifndef CK_NUMBERS_H
#define CK_NUMBERS_H

#include "memory/heap.h"

typedef struct StepTape StepTape; /* step_tape.c */

typedef struct Numbers { /* where arithmetic happens: in a heap, on a tape or not */
    Heap *heap;
    StepTape *tape;
} Numbers;

/* The float under all tags, of a REAL, NODE or DUAL. */
double number_real(Value number);

/* The scalar's value on numbers, some of them DUAL; false: Python must do the step (it fails, or holds what C
 * does not know). Operands are borrowed, the result is the caller's; where it is false nothing is left behind.
 * Integers beside reals are taken where the scalar takes them. strict: as in the record's value, not its ieee. */
bool numbers_apply(Numbers *numbers, uint16_t scalar, const Value *operands, Value *result, bool strict);

/* One taped step: lifts the operands, applies, and takes the result off the tape. places: the registers of the
 * operands, NO_REGISTER for constants, which are not lifted; a register that occurs twice is one location.
 * `tape` is NULL where there is nothing to reverse (the result is a boolean). */
bool numbers_apply_taped(Heap *heap, uint16_t scalar, const Value *operands, const Register *places,
    Value *result, StepTape **tape);

/* Reverses it: from the amount of the result, which is borrowed, to the accumulators of the operands, which
 * stand in `window` in the registers of their slots and are replaced there. The tape is used up, not destroyed. */
void numbers_reverse(Heap *heap, StepTape *tape, Value received, Value *window);
size_t step_tape_bytes(const StepTape *tape);
void step_tape_destroy(Heap *heap, StepTape *tape);

#endif
