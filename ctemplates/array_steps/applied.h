/* What a tape keeps of an application of a function of arrays: the operands and the result, as far as rules read them.
 *
 * It has what checkpoint.interp.hybrid.array_origins.Pulled and its Pullback have, in one object that Python's garbage
 * collector does not track: it is on no cycle. Of an array whose elements no rule reads there is a Like, one for all
 * applications of a step in a row that have such an operand.
 */
#ifndef CK_APPLIED_H
#define CK_APPLIED_H

#include "arrays/array_classes.h"
#include "tasks/task.h"

typedef struct Applied {
    PyObject_VAR_HEAD    /* ob_size: the number of operands */
    PyObject *plan;      /* the step's StepPlan */
    PyObject *pulls;     /* of the plan, which owns it: see pulls_of in checkpoint/ctarget/plans.py */
    PyObject *result;    /* NULL: no rule reads it; a tuple or list of Likes, if it is one and no rule reads it */
    PyObject *operands[]; /* and behind them what the record has saved, births of operands and of the result; or the form of all */
} Applied;

bool is_applied(const PyObject *origin);

/* Returns what the record has saved for its `pull`, a tuple, borrowed; NULL: nothing. */
PyObject *saved_in(const Applied *applied);

/* Returns the births of an operand in parts, by which its numbers receive cotangents; NULL: it is none, or has none. */
const uint64_t *births_of_parts(const Applied *applied, Py_ssize_t i);

/* Returns the birth of the result, a tuple or list of arrays, by which they receive cotangents; 0: it is none. */
uint64_t birth_of_result(const Applied *applied);

/* Returns the Like of all operands that are arrays, borrowed; NULL: there is none, or it is not known. */
PyObject *form_in(const Applied *applied);

/* Returns what the plan has for an application whose operands with these bits receive cotangents, of which `wanted_in` is
 * the positions; borrowed. NULL with an exception. */
PyObject *pulls_for(const ArrayClasses *c, PyObject *plan, uint64_t wanted);

/* Returns the bits of the operands of an application that receive cotangents. */
uint64_t wanted_bits(const ArrayClasses *c, PyObject *plan, const Natives *natives);

/* Returns the origin of an application, a new reference, and stores the bytes that it adds to the tape; NULL: an
 * exception is set. It is an Applied, or the origin of steps without anything to reverse. is_number: whether the result is or has
 * a number. */
PyObject *array_origin(const ArrayClasses *c, PyObject *plan, const Natives *natives, PyObject *result, PyObject *saved,
                       bool is_number, PyObject *tape, int64_t *bytes);

/* Returns the positions of the operands that receive a cotangent: a tuple, borrowed. */
static inline PyObject *wanted_in(PyObject *pulls) { return PyTuple_GET_ITEM(pulls, 0); }
static inline PyObject *wanted_of(const Applied *applied) { return wanted_in(applied->pulls); }

/* Returns the same origin as an object of Python, a new reference; NULL: an exception is set. */
PyObject *python_origin(const ArrayClasses *c, const Applied *applied);

/* Returns whether C tapes a step with operands in parts (operand_parts.h): each has births if it has a cotangent.
 * One that holds active numbers then counts as a number. false may leave an exception. */
bool tapes_parts(const ArrayClasses *c, PyObject *plan, Natives *natives);

#endif
