/* Finds the Python classes of arrays, once, and the namespace of an array's library. */
#include "foreign/array_classes.h"

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

/* Returns an attribute, a new reference; NULL without an exception if there is none. */
static PyObject *attribute(PyObject *object, PyObject *name) {
    PyObject *found = PyObject_GetAttr(object, name);
    if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return found;
}

Py_UCS4 kind_of_elements(const ArrayClasses *c, PyObject *array) {
    PyObject *dtype = PyObject_GetAttr(array, c->dtype);
    if (!dtype) return 0;
    PyObject *kind = attribute(dtype, c->kind);
    if (!kind && !PyErr_Occurred()) kind = Py_XNewRef(PyDict_GetItemWithError(c->kinds, dtype));
    Py_DECREF(dtype);
    if (!kind) return 0;
    const Py_UCS4 letter = PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) == 1 ? PyUnicode_READ_CHAR(kind, 0) : 0;
    Py_DECREF(kind);
    return letter;
}

PyObject *holder_of(const ArrayClasses *c, PyObject *array) {
    PyObject *base = attribute(array, c->base); /* NumPy's */
    if (base == Py_None) {
        Py_DECREF(base);
        return Py_NewRef(array);
    }
    return base || PyErr_Occurred() ? base : PyObject_CallOneArg(c->holder_of, array);
}

PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *type = Py_TYPE(items[i]);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type || type == &PySlice_Type) continue;
        PyObject *found = PyDict_GetItemWithError(c->namespaces, (PyObject *)type);
        if (found) return found;
    }
    return PyList_GET_SIZE(c->defaults) ? PyList_GET_ITEM(c->defaults, 0) : NULL;
}
