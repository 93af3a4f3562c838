/* The largest magnitude among numbers. */
#ifndef CK_EXTREMES_H
#define CK_EXTREMES_H

#include "numpy/numpy_interface.h"

/* Finds the largest magnitude in an array of doubles, a NaN if it has one; false: it is no such array, or is empty. */
bool find_peak(PyObject *array, double *found);

#endif
