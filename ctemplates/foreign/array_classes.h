/* The Python classes that steps on arrays know (array_classes.c). */
#ifndef CK_ARRAY_CLASSES_H
#define CK_ARRAY_CLASSES_H

#include "bridge/classes.h"

/* Python's classes and where their instances keep what; found once. */
typedef struct ArrayClasses {
    PyTypeObject *peer, *machine, *way, *node, *array, *discrete, *memory, *native;
    PyTypeObject *pullback, *pulled, *like, *amount, *scattered, *tape;
    Py_ssize_t machine_owner, machine_tape, machine_steps, machine_births, machine_tags;
    Py_ssize_t array_data, array_memory, discrete_data, discrete_memory;
    Py_ssize_t memory_passing, native_value;
    Py_ssize_t way_plain, way_taped, way_on_arrays, way_on_tape, way_flags, way_value, way_in_place;
    Py_ssize_t way_rules, way_record, way_pulls, tape_bytes;
    Py_ssize_t pullback_form, pullback_natives, pullback_record, pullback_result, pullback_wanted;
    Py_ssize_t pulled_is_simple, pulled_places, pulled_pullback, pulled_results;
    Py_ssize_t like_shape, like_dtype, amount_array, amount_owned, tape_kept;
    PyObject *backends, *defaults, *constant, *idle, *array_of, *way_of, *pulls_of, *pull_bytes;
    PyObject *dtype, *kind, *ask, *base, *shape, *nbytes, *vjps, *refused; /* names */
} ArrayClasses;

const ArrayClasses *array_classes(void); /* NULL: they cannot be found, and an exception is set */

/* The namespace of the first library's array among these; borrowed. */
PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count);

static inline bool is_library_array(const ArrayClasses *c, PyObject *object) {
    return PyDict_GetItemWithError(c->backends, (PyObject *)Py_TYPE(object)) != NULL;
}

#endif
