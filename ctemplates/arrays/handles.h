/* Handles on arrays and accumulators, new ones above all: small objects of Python that live for a step or two each.
 *
 * Their classes are Python's, so Python would allocate each from the system and free it with all that it does for any
 * class. Here the last ones to be freed are used again.
 */
#ifndef CK_HANDLES_H
#define CK_HANDLES_H

#include "arrays/array_classes.h"

/* Returns a new instance of Array, Discrete, Memory or Accumulator with empty slots; Python's garbage collector does not
 * track it. NULL: an exception is set. */
PyObject *new_handle(const ArrayClasses *c, PyTypeObject *type);

/* Returns a new memory; NULL: an exception is set. */
PyObject *new_memory(const ArrayClasses *c, PyObject *owner, bool constant);

/* Returns a new Array or Discrete. memory: a new reference, or NULL with an exception. form: a Like, or NULL. */
PyObject *new_array(const ArrayClasses *c, PyTypeObject *type, PyObject *data, PyObject *memory, PyObject *form);

/* Returns the memory of a handle, borrowed. */
static inline PyObject *memory_of(const ArrayClasses *c, PyObject *handle) {
    return *slot_of(handle, Py_IS_TYPE(handle, c->array) ? c->array_memory : c->discrete_memory);
}

/* Returns whether no cotangent of an array is wanted (checkpoint.ad.activity). */
bool is_constant(const ArrayClasses *c, PyObject *array);

#endif
