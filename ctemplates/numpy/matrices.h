/* Products of small matrices, of which NumPy passes each to its library of linear algebra. */
#ifndef CK_MATRICES_H
#define CK_MATRICES_H

#include "numpy/numpy_interface.h"

/* Returns the products of two stacks of matrices, a new reference, as numpy.matmul does where its library adds fused products
 * in turn, beginning with 0, up to 256 of them to one sum, and these sums in turn to a result of 0 (OpenBLAS's loops
 * for AVX2 do). `order`: a tuple of the axes of the result, from the one whose elements lie farthest apart in
 * memory. NULL, maybe with an exception: they are not arrays of doubles with 2 or more axes, of more than a row, term and column
 * each, or share memory; NumPy might warn, or choose between NaNs; or the processor has no fused products. */
PyObject *products_of_matrices(PyObject *order, PyObject *a, PyObject *b);

#endif
