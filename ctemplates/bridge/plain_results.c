/* Results of functions of arrays that are no arrays: see plain_results.h. */
#include "bridge/plain_results.h"

#include "bridge/passage_import.h"
#include "containers/containers.h"

/* Returns whether a result is a tuple of integers of C's. */
static bool is_shape(PyObject *result) {
    if (!PyTuple_CheckExact(result)) return false;
    int is_large = 0;
    for (Py_ssize_t i = 0; !is_large && i < PyTuple_GET_SIZE(result); i++) {
        PyObject *item = PyTuple_GET_ITEM(result, i);
        if (!PyLong_CheckExact(item)) return false;
        PyLong_AsLongLongAndOverflow(item, &is_large);
    }
    return !is_large;
}

bool is_plain(PyObject *result) {
    const PyTypeObject *type = Py_TYPE(result);
    return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyUnicode_Type ||
           result == Py_None || is_shape(result);
}

static Value born_shape(Machine *m, PyObject *shape) {
    const Value made = born_tuple(m, (size_t)PyTuple_GET_SIZE(shape));
    Value *cells = cells_of(made) + 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++)
        cells[i] = of_integer(PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i)));
    return made;
}

Value plain_value(Machine *m, Passage *x, PyObject *result) {
    return PyTuple_CheckExact(result) ? born_shape(m, result) : import_value(x, result);
}
