/* Sums of NumPy's arrays of doubles along one axis, where rows are short, or there is one long one.
 *
 * NumPy calls a loop for each row. Here one loop goes over all of them, and adds in NumPy's order, which is tested once for
 * each length: along the last axis eight sums side by side, which are then added in pairs, along another one in turn.
 */
#ifndef CK_SUMS_H
#define CK_SUMS_H

#include "numpy/numpy_interface.h"

/* Returns the sum of an array along an axis, a new reference. NULL without an exception: it has other elements, long rows,
 * or few, or NumPy might warn, or choose between NaNs; its function is to be called. */
PyObject *sum_along(PyObject *array, int axis, bool keeps_axis);

/* Returns the sum along the last axis of the products of the elements of two arrays of one shape, as NumPy's product and sum
 * do; NULL as above. The products are never in memory all at once. */
PyObject *sum_of_products(PyObject *a, PyObject *b, bool keeps_axis);

/* Returns the sums along the last axis of -(g z / y), where g and z have rows of two or three, and y one element for each: what
 * y receives, which has divided by it to z. NULL as above, but whatever NumPy might warn of: reversals are silent. */
PyObject *sum_of_divisors(PyObject *g, PyObject *z, PyObject *y);

/* Returns the sum of all elements of a long row, which threads share, a new scalar. NULL as above, and where threads would not
 * pay, or NumPy chooses between zeros. */
PyObject *sum_of_row(PyObject *row);

#endif
