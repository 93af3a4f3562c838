/* Additions to rows of NumPy's arrays of doubles at many indices, of which some may be equal. */
#ifndef CK_SCATTERING_H
#define CK_SCATTERING_H

#include "numpy/numpy_interface.h"

/* Adds rows to those of an array at indices along its first axis, one after another, as NumPy's add.at does; false, with
 * nothing added: some array is none whose elements are doubles, or integers of 64 bits, in a row; shapes do not fit; an
 * index is out of bounds; or NumPy might have to choose between NaNs. The array has no elements in common with the others. */
bool add_at_rows(PyObject *whole, PyObject *index, PyObject *added);

#endif
