/* The Python classes of arrays. */
#ifndef CK_ARRAY_CLASSES_H
#define CK_ARRAY_CLASSES_H

#include "bridge/classes.h"

/* The lists of classes.h, of steps on arrays. */
#define ARRAY_CLASSES(CLASS)                                                                                   \
    CLASS(array, "checkpoint.ad.arrays", "Array")                                                              \
    CLASS(discrete, "checkpoint.ad.arrays", "Discrete")                                                        \
    CLASS(memory, "checkpoint.ad.arrays", "Memory")                                                            \
    CLASS(native, "checkpoint.ad.arrays", "Native")                                                            \
    CLASS(helper, "checkpoint.ctarget.foreign", "PythonHelper")                                                          \
    CLASS(machine, "checkpoint.interp.hybrid.machine", "Machine")                                              \
    CLASS(tape, "checkpoint.interp.hybrid.engine", "Recorded")                                                 \
    CLASS(plan, "checkpoint.ctarget.plans", "StepPlan")                                                               \
    CLASS(node, "checkpoint.ad.numbers", "Node")                                                               \
    CLASS(pulled, "checkpoint.interp.hybrid.tensors", "Pulled")                                                \
    CLASS(pullback, "checkpoint.ad.pullbacks", "Pullback")                                                     \
    CLASS(like, "checkpoint.ad.pullbacks", "Like")                                                             \
    CLASS(accumulator, "checkpoint.ad.accumulators", "Accumulator")                                      \
    CLASS(scattered, "checkpoint.ad.accumulators", "Scattered")

#define ARRAY_SLOTS(SLOT)                                                                                      \
    SLOT(array, data) SLOT(array, memory) SLOT(discrete, data) SLOT(discrete, memory) SLOT(native, value)      \
    SLOT(memory, transient) SLOT(memory, constant)                                                                                    \
    SLOT(machine, owner) SLOT(machine, tape) SLOT(machine, steps) SLOT(machine, births) SLOT(machine, tags)    \
    SLOT(tape, kept) SLOT(tape, given) SLOT(tape, bytes)                                                                         \
    SLOT(plan, plain) SLOT(plan, taped) SLOT(plan, on_arrays) SLOT(plan, on_tape) SLOT(plan, flags)                 \
    SLOT(plan, value) SLOT(plan, in_place) SLOT(plan, rules) SLOT(plan, record) SLOT(plan, pulls)                   \
    SLOT(plan, differentiable)                                                                                   \
    SLOT(pullback, form) SLOT(pullback, natives) SLOT(pullback, record) SLOT(pullback, result)                 \
    SLOT(pullback, saved) SLOT(pullback, wanted)                                                               \
    SLOT(pulled, is_simple) SLOT(pulled, places) SLOT(pulled, pullback) SLOT(pulled, results)                  \
    SLOT(like, shape) SLOT(like, dtype) SLOT(accumulator, array) SLOT(accumulator, owned)

#define ARRAY_OBJECTS(OBJECT)                                                                                  \
    OBJECT(namespaces, "checkpoint.ad.array_library", "namespaces")                                            \
    OBJECT(defaults, "checkpoint.ad.array_library", "defaults")                                                \
    OBJECT(storages, "checkpoint.ad.array_library", "storages")                                                \
    OBJECT(of_dtypes, "checkpoint.ad.array_library", "of_dtypes")                                              \
    OBJECT(lacking, "checkpoint.ad.array_library", "lacking")                                                  \
    OBJECT(is_view, "checkpoint.ad.array_library", "is_view")                                                  \
    OBJECT(kinds, "checkpoint.ad.array_library", "kinds")                                                      \
    OBJECT(holder_of, "checkpoint.ad.array_library", "holder_of")                                                \
    OBJECT(held_bytes, "checkpoint.ad.array_library", "held_bytes")                                            \
    OBJECT(constant, "checkpoint.ad.storage", "CONSTANT")                                                      \
    OBJECT(plan_of, "checkpoint.ctarget.plans", "plan_of")                                                        \
    OBJECT(pulls_of, "checkpoint.ctarget.plans", "pulls_of")                                                    \
    OBJECT(idle, "checkpoint.interp.hybrid.tensors", "IDLE")                                                   \
    OBJECT(pull_bytes, "checkpoint.interp.hybrid.tensors", "PULL_BYTES")

#define ARRAY_NAMES(NAME)                                                                                      \
    NAME(ask) NAME(dtype) NAME(kind) NAME(base) NAME(shape) NAME(nbytes) NAME(vjps) NAME(name)     \
    NAME(operator) NAME(add) NAME(subtract) NAME(multiply) NAME(negative) NAME(refused)

/* Python's classes and the offsets of their slots; found once. */
typedef struct ArrayClasses {
    ARRAY_CLASSES(CLASS_FIELD)
    ARRAY_SLOTS(SLOT_FIELD)
    ARRAY_OBJECTS(OBJECT_FIELD)
    ARRAY_NAMES(NAME_FIELD)
} ArrayClasses;

const ArrayClasses *array_classes(void); /* NULL: they cannot be found, and an exception is set */

/* Returns the namespace of the first library's array among these, or of what has the dtype of one; borrowed. */
PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count);

/* Returns NumPy's letter for the kind of an array's elements; 0: an exception is set, or it has none. */
Py_UCS4 kind_of_elements(const ArrayClasses *c, PyObject *array);

/* Returns the object that holds the elements of an array, a new reference; NULL with an exception. */
PyObject *holder_of(const ArrayClasses *c, PyObject *array);

/* Returns the storage of an array, a new reference, if its library counts arrays by storage (storage_table.h); NULL: it
 * does not, or an exception is set. storage_bytes: those of one; -1 with an exception. */
PyObject *storage_of(const ArrayClasses *c, PyObject *array);
int64_t storage_bytes(const ArrayClasses *c, PyObject *array, PyObject *storage);

/* Returns whether an array may show the elements of another one. */
bool is_view(const ArrayClasses *c, PyObject *array);

/* Returns whether some library but the default one lacks a record, and these functions are not the default ones. */
bool may_lack(const ArrayClasses *c, PyObject *functions, PyObject *record);

static inline bool is_library_array(const ArrayClasses *c, PyObject *object) {
    return PyDict_GetItemWithError(c->namespaces, (PyObject *)Py_TYPE(object)) != NULL;
}

#endif
