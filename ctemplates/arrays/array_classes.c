/* Finds the Python classes of arrays, once, and the namespace of an array's library. */
#include "arrays/array_classes.h"

#include <string.h>

#include "memory/exceptions.h"
#include "program/value.h"

static void find(ArrayClasses *c) {
    ARRAY_CLASSES(FIND_CLASS)
    ARRAY_OBJECTS(FIND_OBJECT)
    ARRAY_NAMES(FIND_NAME)
    if (PyErr_Occurred()) return;
    ARRAY_SLOTS(FIND_SLOT)
}

static ArrayClasses all_classes;
static bool complete;

/* Returns the classes, found once under the GIL, like `classes`. */
const ArrayClasses *array_classes(void) {
    if (LIKELY(complete)) return &all_classes;
    ArrayClasses found;
    memset(&found, 0, sizeof found);
    find(&found);
    if (PyErr_Occurred()) return NULL;
    if (!complete) all_classes = found;
    complete = true;
    return &all_classes;
}

const ArrayClasses *known_array_classes(void) { return complete ? &all_classes : NULL; }

/* What is in the table of namespaces stays there, and keeps its type. */
PyObject *namespace_of_type(const ArrayClasses *c, PyTypeObject *type) {
    static PyTypeObject *last;
    static PyObject *found_last;
    if (type == last) return found_last;
    PyObject *found = PyDict_GetItemWithError(c->namespaces, (PyObject *)type);
    if (!found) return NULL;
    last = type;
    return found_last = found;
}

/* Notes the namespace of an array, of what has the dtype of one, or of arrays in a list or tuple; false: it is not the
 * one that was known. Scalars stand beside the arrays of any library. */
static bool note_namespace(const ArrayClasses *c, PyObject *item, PyObject **known) {
    if (PyList_Check(item) || PyTuple_Check(item)) {
        PyObject **parts = PySequence_Fast_ITEMS(item);
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(item); i++)
            if (!note_namespace(c, parts[i], known)) return false;
        return true;
    }
    if (!Py_IS_TYPE(item, c->like) && is_scalar_type(Py_TYPE(item))) return true;
    PyObject *found = Py_IS_TYPE(item, c->like)
                          ? PyDict_GetItemWithError(c->of_dtypes, *slot_of(item, c->like_dtype))
                          : namespace_of_type(c, Py_TYPE(item));
    if (found && *known && found != *known) return false;
    if (found) *known = found;
    return true;
}

/* Returns what array_namespace does where arrays may be of several libraries; NULL: they are of two. */
static PyObject *one_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    PyObject *known = NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!note_namespace(c, items[i], &known)) return NULL;
    return known || !PyList_GET_SIZE(c->defaults) ? known : PyList_GET_ITEM(c->defaults, 0);
}

PyObject *builtin_of(const ArrayClasses *c, PyObject *functions, PyObject *name) {
    PyObject *known = PyDict_GetItemWithError(c->builtins, name);
    return known ? PyDict_GetItemWithError(known, functions) : NULL;
}

bool may_lack(const ArrayClasses *c, PyObject *functions, PyObject *name) {
    if (!PySet_GET_SIZE(c->lacking) || functions == PyList_GET_ITEM(c->defaults, 0)) return false;
    const int found = PySet_Contains(c->lacking, name);
    if (found < 0) forget_exception();
    return found != 0;
}

PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    if (PyDict_GET_SIZE(c->of_dtypes)) return one_namespace(c, items, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *type = Py_TYPE(items[i]);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type || type == &PySlice_Type) continue;
        PyObject *found = namespace_of_type(c, type);
        if (found) return found;
    }
    return PyList_GET_SIZE(c->defaults) ? PyList_GET_ITEM(c->defaults, 0) : NULL;
}
