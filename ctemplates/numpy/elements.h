/* Single elements of NumPy's arrays of doubles, and NumPy's scalars of that dtype.
 *
 * A scalar is what NumPy returns for an element: an object of its own type, laid out as a float of Python's. What is
 * read here is what NumPy's indexing by integers reads; anything else (slices, lists, other dtypes, indices that are
 * out of bounds) is left to NumPy.
 */
#ifndef CK_ELEMENTS_H
#define CK_ELEMENTS_H

#include "numpy/numpy_interface.h"

/* Returns the element of an array at an index, an integer or a tuple of one integer for each axis; NULL, without an
 * exception: it is no array of NumPy's with aligned native doubles, or no such index. */
double *array_element(PyObject *array, PyObject *index);

/* Returns whether an object is a scalar of NumPy's with a double. */
bool is_scalar(const PyObject *object);

/* Returns whether an object is an array of doubles of C. */
bool is_array_of_doubles(PyObject *array);

/* Returns where the elements of such an array begin. */
static inline double *doubles_of(PyObject *array) { return (double *)(void *)numpy_of(array)->data; }

/* Stores a number that NumPy computes with as a double: a float, a scalar, or an integer that is exact; false: it is another
 * object, or NULL. */
bool double_of(PyObject *number, double *real);

/* Stores the double in a scalar, or in an array without axes; false: the object is neither. */
bool only_element(PyObject *object, double *real);

/* Returns a new scalar; NULL with an exception, or without one if no array of doubles has been met. */
PyObject *new_scalar(double real);

/* Returns a copy of an array of doubles that are next to each other; NULL, maybe with an exception: they are not. */
PyObject *copy_of_plain_row(PyObject *array);

#endif
