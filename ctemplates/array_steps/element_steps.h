/* Steps that set one element of a NumPy array of doubles, without Python code.
 *
 * In: an application of np.setitem to an array, an index by integers, and a number. Out: the handle of the changed array,
 * which shows a copy if the run has not made the array since its last state, and on a tape a WrittenElement
 * (checkpoint/ctarget/origins.py), which has the element that was there before. The reversal puts that back, but in a copy;
 * the cotangent of the element goes to what was written.
 */
#ifndef CK_ELEMENT_STEPS_H
#define CK_ELEMENT_STEPS_H

#include "array_steps/application.h"
#include "array_steps/pull.h"

/* Returns whether the step is one of these. */
bool sets_element(const Application *a);

/* Performs it; false: an exception is set. */
bool set_element(Application *a);

/* Reverses it, or what view_steps.h has, on the accumulators of its operands, from that of its result, which it uses up.
 * NOT_HERE: the origin is another one, or Python must reverse it. */
Pulling element_reverse(Pull *pull, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators,
                        uint32_t count);

#endif
