/* The Python classes of arrays. */
#ifndef CK_ARRAY_CLASSES_H
#define CK_ARRAY_CLASSES_H

#include "bridge/classes.h"
#include "numpy/numpy_interface.h"

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
    CLASS(like, "checkpoint.ad.pullbacks", "Like")                                                             \
    CLASS(accumulator, "checkpoint.ad.accumulators", "Accumulator")                                      \
    CLASS(scattered, "checkpoint.ad.accumulators", "Scattered")                                                \
    CLASS(written, "checkpoint.ctarget.origins", "WrittenElement")                                            \
    CLASS(written_view, "checkpoint.ctarget.origins", "WrittenView")                                            \
    CLASS(reverser, "checkpoint.ctarget.cotangent", "Reverser")                                                \
    CLASS(pulled, "checkpoint.ctarget.cotangent", "Cotangent")

#define ARRAY_SLOTS(SLOT)                                                                                      \
    SLOT(array, data) SLOT(array, form) SLOT(array, memory) SLOT(discrete, data) SLOT(discrete, memory) SLOT(native, value)      \
    SLOT(memory, transient) SLOT(memory, constant)                                                                                    \
    SLOT(machine, owner) SLOT(machine, tape) SLOT(machine, steps) SLOT(machine, births) SLOT(machine, tags)    \
    SLOT(machine, unwanted) SLOT(plan, unwanted) SLOT(plan, constants)\
    SLOT(tape, kept) SLOT(tape, counts) SLOT(tape, given) SLOT(tape, bytes)                                                                         \
    SLOT(plan, plain) SLOT(plan, taped) SLOT(plan, on_arrays) SLOT(plan, on_tape) SLOT(plan, flags)                 \
    SLOT(plan, value) SLOT(plan, builtins) SLOT(plan, in_place) SLOT(plan, writes) SLOT(plan, rules) SLOT(plan, record) SLOT(plan, name) SLOT(plan, names) SLOT(plan, pulls)                   \
    SLOT(plan, differentiable) SLOT(plan, operator) SLOT(plan, likes) SLOT(plan, last) SLOT(plan, saves) SLOT(plan, saves_uncounted) SLOT(plan, pull)                                          \
    SLOT(like, shape) SLOT(like, dtype) SLOT(accumulator, array) SLOT(accumulator, form) SLOT(accumulator, owned) \
    SLOT(accumulator, elements) SLOT(accumulator, like) \
    SLOT(written, data) SLOT(written, index) SLOT(written, old) SLOT(written, name) SLOT(written, place) SLOT(written, is_real) \
    SLOT(written_view, plan) SLOT(written_view, natives) \
    SLOT(reverser, cotangent) SLOT(pulled, undone)

#define ARRAY_OBJECTS(OBJECT)                                                                                  \
    OBJECT(namespaces, "checkpoint.ad.array_library", "namespaces")                                            \
    OBJECT(defaults, "checkpoint.ad.array_library", "defaults")                                                \
    OBJECT(storages, "checkpoint.ad.array_library", "storages")                                                \
    OBJECT(of_dtypes, "checkpoint.ad.array_library", "of_dtypes")                                              \
    OBJECT(lacking, "checkpoint.ad.array_library", "lacking")                                                  \
    OBJECT(is_view, "checkpoint.ad.array_library", "is_view")                                                  \
    OBJECT(builtins, "checkpoint.ad.array_library", "builtins")                                                \
    OBJECT(kinds, "checkpoint.ad.array_library", "kinds")                                                      \
    OBJECT(holder_of, "checkpoint.ad.array_library", "holder_of")                                                \
    OBJECT(held_bytes, "checkpoint.ad.array_library", "held_bytes")                                            \
    OBJECT(constant, "checkpoint.ad.storage", "CONSTANT")                                                      \
    OBJECT(plan_of, "checkpoint.ctarget.plans", "plan_of")                                                        \
    OBJECT(pulls_of, "checkpoint.ctarget.plans", "pulls_of")                                                    \
    OBJECT(origin_of, "checkpoint.ctarget.plans", "origin_of")                                                   \
    OBJECT(items_origin, "checkpoint.ctarget.origins", "items_origin")                                              \
    OBJECT(joined_origin, "checkpoint.ctarget.origins", "joined_origin")                                                   \
    OBJECT(idle, "checkpoint.interp.hybrid.array_origins", "IDLE")                                              \
    OBJECT(unwanted_of, "checkpoint.ctarget.plans", "unwanted_of")                                              \
    OBJECT(zeros_beside, "checkpoint.ad.array_library", "zeros_beside")

#define ARRAY_NAMES(NAME)                                                                                      \
    NAME(ask) NAME(know) NAME(dtype) NAME(kind) NAME(base) NAME(shape) NAME(nbytes) NAME(vjp) NAME(vjps) NAME(refused) \
    NAME(mT) NAME(add) NAME(sum) NAME(mean) NAME(reduce) NAME(reshape) NAME(broadcast_to) NAME(axis) NAME(keepdims)

/* Python's classes and the offsets of their slots; found once. */
typedef struct ArrayClasses {
    ARRAY_CLASSES(CLASS_FIELD)
    ARRAY_SLOTS(SLOT_FIELD)
    ARRAY_OBJECTS(OBJECT_FIELD)
    ARRAY_NAMES(NAME_FIELD)
} ArrayClasses;

const ArrayClasses *array_classes(void); /* NULL: they cannot be found, and an exception is set */
const ArrayClasses *known_array_classes(void); /* without the GIL; NULL: nobody has asked for them yet */

/* Returns the namespace of the first library's array among these, or of what has the dtype of one; borrowed. */
PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count);

/* Returns the built-in function of a library for its arrays (checkpoint.ad.array_library, builtins): "sum", "mean" or
 * "broadcast_to"; borrowed. NULL: it has none. */
PyObject *builtin_of(const ArrayClasses *c, PyObject *functions, PyObject *name);

/* Returns whether some library but the default one lacks the record of a name, and these functions are not the default
 * ones. */
bool may_lack(const ArrayClasses *c, PyObject *functions, PyObject *name);

/* Returns the namespace of the library of which a type is a type of arrays, borrowed; NULL: of none. */
PyObject *namespace_of_type(const ArrayClasses *c, PyTypeObject *type);

/* Returns whether the objects of a type, of a library's, are scalars, which never change. */
static inline bool is_scalar_type(const PyTypeObject *type) {
    return !type->tp_as_mapping || !type->tp_as_mapping->mp_ass_subscript;
}

static inline bool is_library_array(const ArrayClasses *c, PyObject *object) {
    return is_numpy(object) || namespace_of_type(c, Py_TYPE(object)) != NULL;
}

#endif
