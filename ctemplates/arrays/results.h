/* The cotangents of many arrays as new handles. */
#ifndef CK_RESULTS_H
#define CK_RESULTS_H

#include "arrays/array_classes.h"

/* Appends to `made`, a list, what checkpoint.ad.accumulators.accumulated returns for each accumulator and the number at its
 * location, both lists of one length; None where it is left to Python: for what is no array, for zeros of other libraries
 * than NumPy, for elements that must be copied. zero: the owner of zeros that stand for no contribution. Returns false
 * with an exception. */
bool make_results(PyObject *accumulators, PyObject *numbers, PyObject *zero, PyObject *made);

#endif
