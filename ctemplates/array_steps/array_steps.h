/* Steps on arrays, in C except for the library's own function.
 *
 * In: a step whose record is, or is overloaded by, a function of arrays, and plain operands: arrays that are not
 * stale, reals, integers, strings, slices, tuples and lists of such; no derivatives. Out: what
 * checkpoint.interp.hybrid.tensors computes: the value, and on a tape the same origin. Everything else is left to the
 * helper's `perform`.
 */
#ifndef CK_ARRAY_STEPS_H
#define CK_ARRAY_STEPS_H

#include "tasks/task.h"

/* Performs the step; false: it is not such a step, and nothing has been done. */
bool array_step(Task *task, const Step *step);

#endif
