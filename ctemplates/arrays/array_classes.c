/* Finds the Python classes of arrays, once, and the namespace of an array's library. */
#include "arrays/array_classes.h"

#include <string.h>

#include "program/value.h"

static void find(ArrayClasses *c) {
    ARRAY_CLASSES(FIND_CLASS)
    ARRAY_OBJECTS(FIND_OBJECT)
    ARRAY_NAMES(FIND_NAME)
    if (PyErr_Occurred()) return;
    ARRAY_SLOTS(FIND_SLOT)
}

/* Returns the classes, found once under the GIL, like `classes`. */
const ArrayClasses *array_classes(void) {
    static ArrayClasses known;
    static bool complete;
    if (LIKELY(complete)) return &known;
    ArrayClasses found;
    memset(&found, 0, sizeof found);
    find(&found);
    if (PyErr_Occurred()) return NULL;
    if (!complete) known = found;
    complete = true;
    return &known;
}

/* Returns whether an array is one of the default library, which has NumPy's attributes. */
static bool has_attributes(const ArrayClasses *c, PyObject *array) {
    PyObject *functions = PyDict_GetItemWithError(c->namespaces, (PyObject *)Py_TYPE(array));
    return PyList_GET_SIZE(c->defaults) && functions == PyList_GET_ITEM(c->defaults, 0);
}

Py_UCS4 kind_of_elements(const ArrayClasses *c, PyObject *array) {
    PyObject *dtype = PyObject_GetAttr(array, c->dtype);
    if (!dtype) return 0;
    PyObject *known = PyDict_GET_SIZE(c->kinds) ? PyDict_GetItemWithError(c->kinds, dtype) : NULL;
    PyObject *kind = known ? Py_NewRef(known) : PyObject_GetAttr(dtype, c->kind);
    Py_DECREF(dtype);
    if (!kind) return 0;
    const Py_UCS4 letter = PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) == 1 ? PyUnicode_READ_CHAR(kind, 0) : 0;
    Py_DECREF(kind);
    return letter;
}

/* Returns the functions that a library counts its arrays' storages with, borrowed; NULL: it has none. */
static PyObject *storage_functions(const ArrayClasses *c, PyObject *array) {
    return PyDict_GetItemWithError(c->storages, (PyObject *)Py_TYPE(array));
}

PyObject *storage_of(const ArrayClasses *c, PyObject *array) {
    PyObject *functions = storage_functions(c, array);
    return functions ? PyObject_CallOneArg(PyTuple_GET_ITEM(functions, 0), array) : NULL;
}

int64_t storage_bytes(const ArrayClasses *c, PyObject *array, PyObject *storage) {
    PyObject *found = PyObject_CallOneArg(PyTuple_GET_ITEM(storage_functions(c, array), 1), storage);
    const int64_t bytes = found ? PyLong_AsLongLong(found) : -1;
    Py_XDECREF(found);
    return bytes;
}

PyObject *holder_of(const ArrayClasses *c, PyObject *array) {
    if (storage_functions(c, array)) return storage_of(c, array);
    if (!has_attributes(c, array)) return PyObject_CallOneArg(c->holder_of, array);
    PyObject *base = PyObject_GetAttr(array, c->base);
    if (base != Py_None) return base;
    Py_DECREF(base);
    return Py_NewRef(array);
}

bool is_view(const ArrayClasses *c, PyObject *array) {
    const bool own = has_attributes(c, array);
    PyObject *found = own ? PyObject_GetAttr(array, c->base) : PyObject_CallOneArg(c->is_view, array);
    if (!found) PyErr_Clear();
    const bool view = found != (own ? Py_None : Py_False);
    Py_XDECREF(found);
    return view;
}

static bool is_scalar_type(PyTypeObject *type) { return !type->tp_as_mapping || !type->tp_as_mapping->mp_ass_subscript; }

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
                          : PyDict_GetItemWithError(c->namespaces, (PyObject *)Py_TYPE(item));
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

bool may_lack(const ArrayClasses *c, PyObject *functions, PyObject *record) {
    if (!PySet_GET_SIZE(c->lacking) || functions == PyList_GET_ITEM(c->defaults, 0)) return false;
    PyObject *name = PyObject_GetAttr(record, c->name);
    const int found = name ? PySet_Contains(c->lacking, name) : -1;
    Py_XDECREF(name);
    if (found < 0) PyErr_Clear();
    return found != 0;
}

PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    if (PyDict_GET_SIZE(c->of_dtypes)) return one_namespace(c, items, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *type = Py_TYPE(items[i]);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type || type == &PySlice_Type) continue;
        PyObject *found = PyDict_GetItemWithError(c->namespaces, (PyObject *)type);
        if (found) return found;
    }
    return PyList_GET_SIZE(c->defaults) ? PyList_GET_ITEM(c->defaults, 0) : NULL;
}
