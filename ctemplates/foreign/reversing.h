/* Callbacks of reversal, to the cotangent's helper (class Reverser of checkpoint/ctarget/cotangent.py). They take the
 * GIL themselves. FAILED: the helper has the exception. */
#ifndef CK_REVERSING_H
#define CK_REVERSING_H

#include "state/cotangent.h"
#include "state/whole.h"

/* Reverses an origin in Python, on accumulators that the caller has collected: aligned with the operands of the step or
 * end, NOTHING for constants; they are replaced. A stripping has one, of the raised value. `received`: the
 * cotangent of the result, which may be used up: 0 remains. */
Outcome foreign_reverse_on(Cotangent *c, const Block *block, const Origin *origin, Value *received,
                           Value *accumulators, uint32_t count);

/* Returns the origin in Python, a new reference, of a step on whole values that C has done; NULL: there is no helper, or it
 * has the exception. */
void *foreign_origin_of(Cotangent *c, const Block *block, int32_t key, const Whole *whole);

/* Reverses a scalar whose partials are Python's: values of the operands and the result, as the part has them;
 * `cotangents` are the accumulators of the operands, which it adds to. */
Outcome foreign_scale(Cotangent *c, const Block *block, const Action *action, const Value *values,
                      Value result, double *cotangents);

/* Adds the accumulators of the slots at the current point and of the frames on the stack to the fields of a resumed
 * capsule, and removes those frames. */
Outcome foreign_resumed(Cotangent *c, void *capsule);

/* Reports that a run of translated code (fast.h) cannot pull back cotangents that are not reals. */
void foreign_run_stays(Cotangent *c);

#endif
