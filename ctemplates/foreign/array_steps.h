/* Steps on arrays, in C but for the library's own function (array_steps.c).
 *
 * In: a step whose record is, or is overloaded by, a function of arrays, and operands that are plain: arrays that are
 * not stale, reals, integers, strings, slices, tuples and lists of such; no derivatives. Out: what
 * checkpoint.interp.hybrid.tensors makes of it: the value, on a tape the same origin. Everything else is left to
 * the helper's `perform`.
 */
#ifndef CK_ARRAY_STEPS_H
#define CK_ARRAY_STEPS_H

#include "foreign/task.h"

/* Does the step; false: it is not such a step, and nothing has been done. */
bool array_step(Task *task, const Step *step);

#endif
