/* Sums over the axes of arrays, and their reversal: what was reduced is repeated, what was repeated is summed.
 *
 * Each gives the bits of the rules of records (tensorlib.rules, tensorlib.reductions.sums); NULL without an exception
 * leaves the case to them.
 */
#ifndef CK_REDUCTIONS_H
#define CK_REDUCTIONS_H

#include "arrays/array_classes.h"

/* The operands of a sum or a mean: the array, the axis, the dtype, whether axes of length 1 stay; as many as are given. */
typedef struct Reduction {
    const ArrayClasses *c;
    PyObject *const *operands;
    Py_ssize_t count;
} Reduction;

/* Return the sum or the mean of an array of NumPy's, a new reference. */
PyObject *reduced_sum(const Reduction *reduction);
PyObject *reduced_mean(const Reduction *reduction);

/* Returns the cotangent of what was reduced, a view of g. */
PyObject *repeated(const Reduction *reduction, PyObject *g);

/* Returns the axis of an array of NumPy's that is the only one of given axes, or -1. */
int only_axis(PyObject *array, PyObject *axes);

/* Returns how many elements are reduced to one; 0: the case is left to the rules. */
Py_ssize_t elements_to_one(const Reduction *reduction);

/* Returns whether an operand was broadcast to g's shape along the last axis alone, which is short. */
bool is_broadcast_along_short(const ArrayClasses *c, PyObject *g, PyObject *like);

/* Returns the cotangent of an operand that was broadcast, from that of what it was broadcast to: summed over what was
 * repeated. */
PyObject *unbroadcast(const ArrayClasses *c, PyObject *g, PyObject *like);

#endif
