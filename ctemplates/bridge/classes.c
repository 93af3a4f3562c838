/* Finds the Python classes of values, once. */
#include "bridge/classes.h"

#include <string.h>

#include <structmember.h>

#include "program/value.h"

PyObject *found_in(const char *module, const char *name) {
    PyObject *imported = PyImport_ImportModule(module);
    PyObject *found = imported ? PyObject_GetAttrString(imported, name) : NULL;
    Py_XDECREF(imported);
    return found;
}

PyTypeObject *class_in(const char *module, const char *name) {
    return (PyTypeObject *)(void *)found_in(module, name);
}

Py_ssize_t offset_in(PyTypeObject *type, const char *name) {
    PyObject *descriptor = type ? PyObject_GetAttrString((PyObject *)type, name) : NULL;
    Py_ssize_t result = 0;
    if (descriptor && Py_IS_TYPE(descriptor, &PyMemberDescr_Type))
        result = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    Py_XDECREF(descriptor);
    return result;
}

/* Returns the index of a named tuple's field. */
static Py_ssize_t field_place(PyTypeObject *type, const char *name) {
    PyObject *fields = PyObject_GetAttrString((PyObject *)type, "_fields"), *text = PyUnicode_FromString(name);
    const Py_ssize_t place = fields && text ? PySequence_Index(fields, text) : -1;
    Py_XDECREF(fields);
    Py_XDECREF(text);
    return place;
}

#define FIND_PLACE(name) c->answer_##name = field_place(c->answer, #name);

static void find(Classes *c) {
    VALUE_CLASSES(FIND_CLASS)
    VALUE_OBJECTS(FIND_OBJECT)
    VALUE_NAMES(FIND_NAME)
    if (PyErr_Occurred()) return;
    VALUE_SLOTS(FIND_SLOT)
    ANSWER_FIELDS(FIND_PLACE)
}

/* Returns the classes, found once under the GIL and never changed: a second thread that calls this while modules are
 * being imported finds the same ones. */
const Classes *classes(void) {
    static Classes known;
    static bool complete;
    if (LIKELY(complete)) return &known;
    Classes found;
    memset(&found, 0, sizeof found);
    find(&found);
    if (PyErr_Occurred()) return NULL;
    if (!complete) known = found;
    complete = true;
    return &known;
}
