/* The Python classes of values, and access to the slots of their instances. */
#ifndef CK_CLASSES_H
#define CK_CLASSES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <string.h>

/* The classes, by the names of their fields here: CLASS(name, module, Python's name). */
#define VALUE_CLASSES(CLASS)                                                                                   \
    CLASS(pair, "checkpoint.ad.values", "Pair")                                                                \
    CLASS(closure, "checkpoint.ad.values", "Closure")                                                          \
    CLASS(environment, "checkpoint.ad.values", "Environment")                                                  \
    CLASS(record, "checkpoint.ad.containers", "Record")                                                        \
    CLASS(storage, "checkpoint.ad.storage", "Storage")                                                         \
    CLASS(list, "checkpoint.ad.containers", "List")                                                            \
    CLASS(dictionary, "checkpoint.ad.containers", "Dict")                                                      \
    CLASS(instance, "checkpoint.ad.containers", "Object")                                                      \
    CLASS(layout, "checkpoint.ad.containers", "Layout")                                                        \
    CLASS(own_cell, "checkpoint.ad.containers", "OwnCell")                                                     \
    CLASS(dual, "checkpoint.ad.numbers", "Dual")                                                               \
    CLASS(array, "checkpoint.ad.arrays", "Array")                                                              \
    CLASS(both, "checkpoint.interp.hybrid.cotangent", "Both")                                                  \
    CLASS(answer, "checkpoint.ctarget.foreign", "Answer")

/* The slots of their instances: SLOT(class, Python's name). */
#define VALUE_SLOTS(SLOT)                                                                                      \
    SLOT(pair, birth) SLOT(pair, car) SLOT(pair, cdr)                                                          \
    SLOT(closure, lam) SLOT(closure, env)                                                                      \
    SLOT(environment, birth) SLOT(environment, values)                                                         \
    SLOT(record, birth) SLOT(record, layout) SLOT(record, items)                                               \
    SLOT(storage, owner) SLOT(storage, stale)                                                                  \
    SLOT(list, birth) SLOT(list, items) SLOT(list, owner)                                                      \
    SLOT(dictionary, birth) SLOT(dictionary, items) SLOT(dictionary, owner)                                    \
    SLOT(instance, birth) SLOT(instance, layout) SLOT(instance, items) SLOT(instance, owner)                   \
    SLOT(dual, tag) SLOT(dual, primal) SLOT(dual, tangent) SLOT(array, data) SLOT(array, memory)               \
    SLOT(both, primal) SLOT(both, tangent) SLOT(layout, cls)

/* Other objects: OBJECT(name, module, Python's name). */
#define VALUE_OBJECTS(OBJECT)                                                                                  \
    OBJECT(empty, "checkpoint.ad.values", "EMPTY")                                                             \
    OBJECT(frozen, "checkpoint.ad.storage", "FROZEN")                                                          \
    OBJECT(never, "checkpoint.ad.storage", "NEVER")                                                            \
    OBJECT(tuple_layout, "checkpoint.ad.containers", "TUPLE")                                                  \
    OBJECT(fresh, "checkpoint.ad.numbers", "fresh")                                                            \
    OBJECT(layout_of_tuples, "checkpoint.ad.containers", "tuple_layout")                                       \
    OBJECT(procedure_peer, "checkpoint.ctarget.peers", "procedure_peer")                                       \
    OBJECT(longest_trace, "checkpoint.driver.raised", "LONGEST_TRACE")

/* Interned strings: NAME(text). */
#define VALUE_NAMES(NAME)                                                                                      \
    NAME(machine) NAME(owner) NAME(address) NAME(start) NAME(stop) NAME(step)                                    \
    NAME(perform) NAME(resume) NAME(differentiate) NAME(truth) NAME(strip) NAME(wrong_call) NAME(uncaught) NAME(again) \
    NAME(reverse)

/* The fields of what Python answers for a step: FIELD(name). */
#define ANSWER_FIELDS(FIELD)                                                                                   \
    FIELD(value) FIELD(births) FIELD(tags) FIELD(origin) FIELD(bytes) FIELD(extra)

#define ANSWER_PLACE(name) Py_ssize_t answer_##name;
#define CLASS_FIELD(name, module, python) PyTypeObject *name;
#define SLOT_FIELD(class, name) Py_ssize_t class##_##name;
#define OBJECT_FIELD(name, module, python) PyObject *name;
#define NAME_FIELD(name) PyObject *name;

/* Python's classes, found once. Slots of their instances are accessed at these offsets. */
typedef struct Classes {
    VALUE_CLASSES(CLASS_FIELD)
    VALUE_SLOTS(SLOT_FIELD)
    VALUE_OBJECTS(OBJECT_FIELD)
    VALUE_NAMES(NAME_FIELD)
    ANSWER_FIELDS(ANSWER_PLACE)
} Classes;

/* found_in returns an attribute of a module, a new reference; NULL: an exception is set. offset_in: where the
 * instances of a class have a slot; 0: nowhere. */
PyObject *found_in(const char *module, const char *name);

PyTypeObject *class_in(const char *module, const char *name);

Py_ssize_t offset_in(PyTypeObject *type, const char *name);

/* Expanded in a function that fills such a struct, *c: if something is not found, an exception is set. */
#define FIND_CLASS(name, module, python) c->name = class_in(module, python);
#define FIND_SLOT(class, name) c->class##_##name = offset_in(c->class, #name);
#define FIND_OBJECT(name, module, python) c->name = found_in(module, python);
#define FIND_NAME(name) c->name = PyUnicode_InternFromString(#name);

const Classes *classes(void); /* NULL: they cannot be found, and an exception is set */

static inline PyObject **slot_of(PyObject *object, Py_ssize_t offset) {
    return (PyObject **)(void *)((char *)object + offset);
}

/* Returns a new instance with empty slots. */
static inline PyObject *new_instance(PyTypeObject *type) { return PyType_GenericAlloc(type, 0); }

/* Returns the same of a class whose instances are on no cycle: Python's garbage collector does not track it. */
static inline PyObject *new_untracked(PyTypeObject *type) {
    PyObject *made = PyObject_GC_New(PyObject, type);
    if (made) memset(made + 1, 0, (size_t)type->tp_basicsize - sizeof *made);
    return made;
}

#endif
