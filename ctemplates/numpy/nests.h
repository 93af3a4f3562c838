/* Arrays made of nested lists of numbers. */
#ifndef CK_NESTS_H
#define CK_NESTS_H

#include "numpy/numpy_interface.h"

/* Returns what numpy.array returns for a list or tuple, or lists within lists, of floats, NumPy's scalars of doubles and
 * integers, a new reference. NULL, maybe with an exception: there is something else, no float, or nothing among them. */
PyObject *array_of_nest(PyObject *nest);

#endif
