/* Greatest and least elements of NumPy's arrays of doubles, and what the elements receive of their cotangents.
 *
 * Of zeros NumPy chooses one by the layout, and a NaN is an extreme: such cases are left to it.
 */
#ifndef CK_EXTREMES_H
#define CK_EXTREMES_H

#include "numpy/numpy_interface.h"

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
