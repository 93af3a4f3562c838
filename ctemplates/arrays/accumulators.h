/* Sums of accumulators that are not reals. */
#ifndef CK_ACCUMULATORS_H
#define CK_ACCUMULATORS_H

#include "arrays/array_classes.h"
#include "memory/heap.h"

/* Returns a + b, computed in Python, for accumulators that are not reals. */
Value foreign_sum(Heap *heap, Value a, Value b);

/* Returns the form of an Accumulator's array, a Like, borrowed; NULL: not known. */
PyObject *form_of_accumulator(const ArrayClasses *c, PyObject *accumulator);

/* Adds an array to an Accumulator, in place where that owns its array; false: an exception is set. form: of the array, a
 * Like; NULL: not known. */
bool add_to_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *accumulator, PyObject *array,
                        const PyObject *form);

#endif
