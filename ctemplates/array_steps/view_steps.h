/* Steps that set the elements at an index of a NumPy array of doubles on a tape, without Python code.
 *
 * In: an application of a record that says which elements it writes (`writes` of checkpoint.ad.tensors), to a number or an array
 * of doubles: those that a view shows, or that lists and arrays select. Out: the handle of the changed array, and a WrittenView
 * (checkpoint/ctarget/origins.py), which has the elements that were there before. The cotangents of the elements go to an array
 * of their shape that was written, if no element is named twice; else Python reverses the step.
 */
#ifndef CK_VIEW_STEPS_H
#define CK_VIEW_STEPS_H

#include "array_steps/application.h"
#include "array_steps/pull.h"

/* Returns whether the step is one of these; the task then has the index and the elements. */
bool sets_view(const Application *a);

/* Performs it; false: an exception is set. */
bool set_view(Application *a);

/* Reverses it as element_reverse does. */
Pulling view_reverse(Pull *pull, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators);

#endif
