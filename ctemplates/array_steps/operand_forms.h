/* The forms of a step's operands: shapes and dtypes, as a Like each (checkpoint.ad.pullbacks).
 *
 * NumPy's arrays are read faster than a noted form. Other libraries take a tenth of a microsecond to say what an array's
 * shape or dtype is: they are asked once for each handle, which notes it, and a result has the form of its operands where
 * the step's operator says so.
 */
#ifndef CK_OPERAND_FORMS_H
#define CK_OPERAND_FORMS_H

#include "arrays/array_classes.h"
#include "tasks/task.h"

/* Notes the forms of the operands of a step that is taped in their handles, in `form` that of all of them, if it is one,
 * and in `result_form` that of the result, where an operator's number says it. */
void note_forms(const ArrayClasses *c, PyObject *plan, int64_t operator, Natives *natives);

/* Returns the class of the handle of a step's result; NULL: it is no array of numbers, or an exception is set. */
PyTypeObject *class_of_result(const ArrayClasses *c, const Natives *natives, PyObject *result);

/* Returns what stands for an array of which no rule reads an element, a new reference: its handle's form, or the plan's
 * last Like of this operand, if that has the same form. NULL with an exception. */
PyObject *outline(const ArrayClasses *c, PyObject *plan, uint32_t i, const Natives *natives);

/* Returns an operand in parts with a Like in the place of each array, a new reference, and adds its bytes; NULL with an
 * exception. */
PyObject *outline_of_parts(const ArrayClasses *c, PyObject *native, int64_t *bytes);

#endif
