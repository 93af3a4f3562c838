/* NumPy's functions as Python calls them, by the loops that are called without NumPy's dispatch (those of numpy/, and
 * chains.h). */
#ifndef CK_FUNCTIONS_H
#define CK_FUNCTIONS_H

#include "numpy/numpy_interface.h"

/* Enters functions in a dictionary, by NumPy's names: those of numpy/kernels.h, which take and return what NumPy's do; "matmul",
 * "concatenate" and "stack", which take the order of the result's axes in memory first (numpy/matrices.h, numpy/joining.h); and
 * others that return None where NumPy's are to be called: "copy" of such an order and an array; "peak" of an array, its largest
 * magnitude; "scaled" of a cotangent, a float and an array, their product; "zeroed" of a product and a cotangent, which sets the
 * product to 0 where the cotangent is 0, and returns True; "shared" of an array, an axis or None, its extremes, and what these have received,
 * which is the cotangent of the array (numpy/passes.h); "sum" of an array, an axis and whether the axis is kept; "chain" of
 * steps, a shape, strides and operands (chains.h); "total" of a row, the sum of all of it; "where" of a condition and two
 * operands; "max" and "min" of an array along its last axis; "cross" of two arrays; "iadd" of columns and what is added
 * to them in place, which returns True. False with an exception: not all are there. */
bool enter_functions(PyObject *by_name);

#endif
