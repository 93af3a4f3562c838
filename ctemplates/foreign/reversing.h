/* What reversing asks of Python, of the cotangent's helper (class Cotangent of checkpoint/ctarget/cotangent.py). These
 * take the GIL themselves. FAILED: the helper has the exception. */
#ifndef CK_REVERSING_H
#define CK_REVERSING_H

#include "state/cotangent.h"

/* A callback for reversal: an origin, on accumulators that the caller has collected: aligned with the operands of
 * the step or end, NOTHING for constants; they are replaced. For a stripping there is one, of what was raised.
 * `received` is borrowed: the cotangent of the result. */
Outcome foreign_reverse_on(Cotangent *c, const Block *block, const Origin *origin, Value received,
                           Value *accumulators, uint32_t count);

/* A scalar whose partials are Python's: values of the operands and the result, as the part has them; `cotangents` are
 * the accumulators of the operands, which it adds to. */
Outcome foreign_scale(Cotangent *c, const Block *block, const Action *action, const Value *values,
                      Value result, double *cotangents);

/* A capsule was resumed: gives to its fields what the slots of the present point and the frames on the stack have
 * received, and leaves those frames off the stack. */
Outcome foreign_resumed(Cotangent *c, void *capsule);

/* A run of translated code (fast.h) was to take back cotangents that are no reals. */
void foreign_run_stays(Cotangent *c);

#endif
