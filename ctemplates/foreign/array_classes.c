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

PyObject *array_namespace(const ArrayClasses *c, PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *type = Py_TYPE(items[i]);
        if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type || type == &PySlice_Type) continue;
        PyObject *found = PyDict_GetItemWithError(c->backends, (PyObject *)type);
        if (found) return found;
    }
    return PyList_GET_SIZE(c->defaults) ? PyList_GET_ITEM(c->defaults, 0) : NULL;
}
