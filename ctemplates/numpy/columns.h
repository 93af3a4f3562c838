/* Loops over rows of a few doubles, for which NumPy calls its own once for each column or row. */
#ifndef CK_COLUMNS_H
#define CK_COLUMNS_H

#include "numpy/numpy_interface.h"

struct Places; /* numpy/layout.h */

/* Returns the cross products of the vectors along the last axes of two arrays, a new reference. NULL without an exception:
 * they are not arrays of doubles in a row, of one shape, or NumPy might warn, or choose between NaNs. */
PyObject *cross_products(PyObject *a, PyObject *b);

/* Adds an array of doubles in a row to one of a few columns, in place, as reversals do, silently; false: nothing was done. */
bool add_to_columns(PyObject *columns, PyObject *added);

/* Sets the sums over rows, of two elements or three, of -(g z / y), with a y for each row, added in turn and to 0; returns whether
 * one is NaN. */
bool add_divisors(const double *g, const double *z, const double *y, Py_ssize_t rows, Py_ssize_t width, double *to);

/* Returns whether two operands and a result are such rows, of one of four functions. Axes have been joined. */
bool are_few_columns(const struct Places *p, Kernel kernel);

/* Sets the result, and returns whether the operand with the fewest elements has a NaN. */
bool set_few_columns(const struct Places *p, Kernel kernel);

#endif
