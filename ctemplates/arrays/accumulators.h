/* Sums of accumulators that are not reals. */
#ifndef CK_ACCUMULATORS_H
#define CK_ACCUMULATORS_H

#include "arrays/array_classes.h"
#include "memory/heap.h"

/* Returns the Accumulator in an accumulator, borrowed; NULL: there is none. */
static inline PyObject *accumulator_in(const ArrayClasses *c, Value accumulator) {
    if (kind_of(accumulator) != FOREIGN) return NULL;
    PyObject *python = ((Foreign *)accumulator.object)->python;
    return Py_IS_TYPE(python, c->accumulator) ? python : NULL;
}

/* Returns a + b, computed in Python, for accumulators that are not reals. */
Value foreign_sum(Heap *heap, Value a, Value b);

/* Returns the form of an Accumulator's array, a Like, borrowed; NULL: not known. */
PyObject *form_of_accumulator(const ArrayClasses *c, PyObject *accumulator);

/* A sparse accumulator has a dictionary of what single elements have received, by their indices, in place of an array
 * (checkpoint.ad.accumulators). */

/* Returns the elements of a sparse accumulator, borrowed; NULL: it has an array. */
static inline PyObject *elements_of_accumulator(const ArrayClasses *c, PyObject *accumulator) {
    PyObject *elements = *slot_of(accumulator, c->accumulator_elements);
    return elements && PyDict_CheckExact(elements) ? elements : NULL;
}

/* Adds to an element of an Accumulator. false: Python must add to it; with an exception: memory has run out. */
bool add_to_element(const ArrayClasses *c, PyObject *accumulator, PyObject *index, double received);

/* Returns a new Accumulator of an array of doubles of NumPy's, like this array or Like, of which an element has received
 * something; a sparse one if the array is large. NULL, maybe with an exception: Python must make it. */
PyObject *accumulator_of_element(const ArrayClasses *c, PyObject *like, PyObject *index, double received);

/* Returns whether an index, of one axis or of several, makes a view and not a copy. */
bool is_of_view(PyObject *index);

/* The same for the elements that a view of the array at an index of integers and slices shows, which receive an array of
 * doubles of its shape. */
bool add_to_view(const ArrayClasses *c, PyObject *accumulator, PyObject *index, PyObject *received);
PyObject *accumulator_of_view(const ArrayClasses *c, PyObject *like, PyObject *index, PyObject *received);

/* Adds an array to an Accumulator that has one, in place where that owns its array; false: an exception is set. form: of the array, a
 * Like; NULL: not known. */
bool add_to_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *accumulator, PyObject *array,
                        const PyObject *form);

#endif
