/* Loops that go over all elements once. */
#ifndef CK_PASSES_H
#define CK_PASSES_H

#include "numpy/numpy_interface.h"

/* Finds the largest magnitude in an array of doubles, a NaN if it has one; false: it is no such array, or is empty. */
bool find_peak(PyObject *array, double *found);

/* Returns g * (factor * x), and 0 where g is 0, for doubles: x lies in rows, in the order of its axes, and g may be broadcast to
 * its shape, or be shown so. A new reference. NULL, maybe with an exception: they are others, or the result has a NaN. */
PyObject *scaled_cotangent(PyObject *g, double factor, PyObject *x);

/* Returns the elements of x where a condition holds, else those of y, for doubles: arrays of the condition's shape, in the order of
 * its axes or all one element, or a float. A new reference. NULL, maybe with an exception: they are others, or few. */
PyObject *chosen_elements(PyObject *condition, PyObject *x, PyObject *y);

#endif
