/* Arrays that are made of parts: of arrays, copied side by side into a new one, and of nested lists of numbers. */
#ifndef CK_JOINING_H
#define CK_JOINING_H

#include "numpy/numpy_interface.h"

/* Return what numpy.concatenate and numpy.stack return for a list or tuple of arrays of doubles, a new reference. `order`: a
 * tuple of the axes of the result, from the one whose elements lie farthest apart in memory. NULL, maybe with an exception:
 * the operands are others, or have no elements. */
PyObject *concatenated(PyObject *order, PyObject *arrays, Py_ssize_t axis);
PyObject *stacked(PyObject *order, PyObject *arrays, Py_ssize_t axis);

/* Returns a copy of an array of doubles, with its axes in this order in memory; NULL as above. */
PyObject *copy_in_order(PyObject *order, PyObject *array);

/* Returns a new array of doubles, not set yet, whose axes are in this order in memory; NULL, maybe with an exception. */
PyObject *new_array_in_order(PyObject *order, int axes, const Py_ssize_t *shape);

/* Returns whether an object is a tuple or list itself, of no class derived from them. */
static inline bool is_nest(PyObject *object) { return PyTuple_CheckExact(object) || PyList_CheckExact(object); }

/* Returns what numpy.array returns for a list or tuple, or lists within lists, of floats, NumPy's scalars of doubles and
 * integers, a new reference. NULL, maybe with an exception: there is something else, no float, or nothing among them. */
PyObject *array_of_nest(PyObject *nest);

#endif
