/* The Python classes of values, and access to their instances' slots (classes.c). */
#ifndef CK_CLASSES_H
#define CK_CLASSES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* Python's classes, found once. Slots of their instances are read and written where they are. */
typedef struct Classes {
    PyTypeObject *pair, *closure, *environment, *record, *list, *dictionary, *dual, *array, *both;
    Py_ssize_t pair_birth, pair_car, pair_cdr, closure_lambda, closure_environment;
    Py_ssize_t environment_birth, environment_values, record_birth, record_layout, record_items;
    Py_ssize_t list_birth, list_items;
    Py_ssize_t dictionary_birth, dictionary_items;
    Py_ssize_t storage_owner, storage_stale; /* of lists, dictionaries, and memories of arrays */
    Py_ssize_t dual_tag, dual_primal, dual_tangent, both_primal, both_tangent, layout_class;
    PyObject *empty, *frozen, *never, *tuple_layout, *layout, *fresh, *procedure_peer;
    /* names */
    PyObject *machine, *owner, *address, *start, *stop, *step, *fields;
    PyObject *perform, *differentiate, *resume, *wrong_call, *truth, *strip, *uncaught, *reverse;
} Classes;

/* What a module names, a new reference; NULL: there is no such thing, and an exception is set. offset_in: where the
 * instances of a class have a slot; 0: nowhere. */
PyObject *found_in(const char *module, const char *name);

PyTypeObject *class_in(const char *module, const char *name);

Py_ssize_t offset_in(PyTypeObject *type, const char *name);

typedef struct Named {
    PyObject **name;
    const char *text;
} Named;

void intern_names(const Named *names, size_t count); /* where one cannot be made, an exception is set */

const Classes *classes(void); /* NULL: they cannot be found, and an exception is set */

static inline PyObject **slot_of(PyObject *object, Py_ssize_t offset) {
    return (PyObject **)(void *)((char *)object + offset);
}

/* A new instance with its slots empty. */
static inline PyObject *new_instance(PyTypeObject *type) { return PyType_GenericAlloc(type, 0); }

#endif
