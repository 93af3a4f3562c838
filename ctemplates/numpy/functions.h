/* NumPy's functions as Python calls them, by the loops that are called without NumPy's dispatch (kernels.h, sums.h). */
#ifndef CK_FUNCTIONS_H
#define CK_FUNCTIONS_H

#include "numpy/numpy_interface.h"

/* Enters functions in a dictionary, by NumPy's names: those of kernels.h, which take and return what NumPy's do, and "sum"
 * of an array, an axis and whether the axis is kept, which returns None where NumPy's function is to be called. False with
 * an exception: not all are there. */
bool enter_functions(PyObject *by_name);

#endif
