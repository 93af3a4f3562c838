/* Loops that go over all elements once; extremes, and what their elements receive. */
#ifndef CK_PASSES_H
#define CK_PASSES_H

#include "numpy/numpy_interface.h"

/* Finds the largest magnitude in an array of doubles, a NaN if it has one; false: it is no such array, or is empty. */
bool find_peak(PyObject *array, double *found);

/* Returns g * (factor * x), and 0 where g is 0, for doubles: x lies in rows, in the order of its axes, and g may be broadcast to
 * its shape, or be shown so. A new reference. NULL, maybe with an exception: they are others, or the result has a NaN. */
PyObject *scaled_cotangent(PyObject *g, double factor, PyObject *x);

/* Sets the elements of a product of a cotangent g to 0 where those of g are 0. False: they are no doubles in the order of their
 * axes, of one shape (those of g may all be one element). */
bool clear_beside_zeros(PyObject *product, PyObject *g);

/* Returns the elements of x where a condition holds, else those of y, for doubles: arrays of the condition's shape, in the order of
 * its axes or all one element, or a float. A new reference. NULL, maybe with an exception: they are others, or few. */
PyObject *chosen_elements(PyObject *condition, PyObject *x, PyObject *y);

/* Extremes. Of zeros NumPy chooses one by the layout, and a NaN is an extreme: such cases are left to it. */

/* Returns the greatest or the least elements along the last axis of an array in the order of its axes, a new reference. NULL,
 * maybe with an exception: its elements are others, or few, or there is a NaN, or an extreme is 0. */
PyObject *extremes_of_rows(PyObject *array, bool greatest);

/* Returns the greatest or the least of all elements of such an array of a few, a new scalar; NULL as above, or as it has more. */
PyObject *extreme_of_few(PyObject *array, bool greatest);

/* Returns the cotangent of such an array whose extremes along an axis, or of all elements (-1), have received g: each element
 * that is an extreme receives as much as the others that are the same one. A new reference; NULL, maybe with an exception: the
 * extremes, or g, are not in the order of their axes, or there is a NaN. */
PyObject *shared_by_extremes(PyObject *array, int axis, PyObject *extremes, PyObject *g);

#endif
