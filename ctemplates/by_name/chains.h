/* Chains: several functions element by element as one loop over tiles, which stay in the cache, instead of over whole arrays. */
#ifndef CK_CHAINS_H
#define CK_CHAINS_H

#include "numpy/numpy_interface.h"

/* Returns a new array of doubles of a shape and strides in bytes, both tuples: the last value of a chain.
 *
 * steps: bytes, four for each step: '+', '-', '*', '/' or 'n', the negative; the value that it sets, which nothing reads any
 *     more but the step itself; and what it reads, operands from 0 on, values from 128 on, twice the same for 'n'.
 * operands: floats, and arrays of doubles, which are broadcast to the shape; or tuples (array, index, axis), which stand for
 *     what the array has at an array of integers along an axis.
 *
 * NumPy's loops are called for each tile, with NumPy's bits. NULL, without an exception or with one: the result has no more
 * than one element, or has a NaN, of which NumPy might choose another one; NumPy might warn; an index is out of bounds; or
 * something of this does not fit. */
PyObject *result_of_chain(PyObject *steps, PyObject *shape, PyObject *strides, PyObject *const *operands, Py_ssize_t count);

#endif
