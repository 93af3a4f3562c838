/* Cotangents of functions element by element, of NumPy's arrays of floats in a row: loops over their elements.
 *
 * Each gives the bits of the rules of records; NULL without an exception leaves the case to them.
 */
#ifndef CK_POINTWISE_H
#define CK_POINTWISE_H

#include "arrays/array_classes.h"

/* A cotangent g that belongs to an operand, of its shape, and whether it may be changed in place. */
typedef struct Passed {
    const ArrayClasses *c;
    PyObject *g;
    bool disposable;
} Passed;

/* Returns g where one operand is beyond the other, half of it where they are equal, elsewhere 0. The other one may be a
 * number of Python. */
PyObject *passed_beyond(const Passed *passed, PyObject *own, PyObject *other, bool greater);

/* Returns g where a condition has a value, elsewhere 0. */
PyObject *passed_where(const Passed *passed, PyObject *condition, bool value);

/* Returns g times the slope of a function of one operand, by its name in scalars.def, which says whether the operand, the
 * result, or both are read; what is not read may be NULL. */
PyObject *times_slope(const Passed *passed, int slope, PyObject *operand, PyObject *result);

/* Returns the number of a slope by the name of its function; -1: there is none. */
int slope_named(const char *name);

#endif
