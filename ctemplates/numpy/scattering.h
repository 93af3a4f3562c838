/* Additions to NumPy's arrays of doubles at many indices along an axis, of which some may be equal. */
#ifndef CK_SCATTERING_H
#define CK_SCATTERING_H

#include "numpy/numpy_interface.h"

/* Adds to the elements of an array at indices along an axis, one after another, as NumPy's add.at does with whole slices before
 * the indices; false, with nothing added: the array has no doubles in a row, the indices are no integers of 64 bits in a row,
 * what is added are no doubles, in a row along the axes behind the indices; shapes do not fit; an index is out of bounds; or
 * NumPy might have to choose between NaNs. The array has no elements in common with the others. */
bool add_at(PyObject *whole, PyObject *index, PyObject *added, int axis);

/* Returns whether an array of integers names places on an axis of a length, each of them at most once; false: also if it is no
 * array that is read here. */
bool names_each_once(PyObject *index, Py_ssize_t length);

#endif
