/* Single elements of NumPy's arrays: see elements.h. */
#include "numpy/elements.h"

#include <string.h>

#include "program/value.h"

/* The type of NumPy's scalars with a double, once an array of doubles has been met. */
static PyTypeObject *scalar_type;

/* Takes the type from a dtype of doubles; false: its scalars are no floats. */
static bool knows_scalars_of(PyObject *dtype) {
    PyTypeObject *scalar = ((const NumpyDtype *)(const void *)dtype)->scalar;
    if (!scalar_type && PyType_IsSubtype(scalar, &PyFloat_Type)) scalar_type = scalar;
    return scalar_type != NULL;
}

bool is_array_of_doubles(PyObject *array) {
    if (!is_numpy(array) || !(numpy_of(array)->flags & ALIGNED)) return false;
    const NumpyDtype *dtype = dtype_of(array);
    return dtype->letter == 'd' && dtype->order == '=' && knows_scalars_of(numpy_of(array)->dtype);
}

/* Adds the bytes to a place along an axis; false: the index is no integer, or out of bounds. */
static bool step_along(const NumpyArray *array, int axis, PyObject *index, Py_ssize_t *offset) {
    if (!PyLong_CheckExact(index)) return false;
    int overflow;
    long long place = PyLong_AsLongLongAndOverflow(index, &overflow);
    const Py_ssize_t size = array->shape[axis];
    if (place < 0) place += size;
    if (overflow || place < 0 || place >= size) return false;
    *offset += place * array->strides[axis];
    return true;
}

double *array_element(PyObject *array, PyObject *index) {
    if (!is_array_of_doubles(array)) return NULL;
    const NumpyArray *own = numpy_of(array);
    Py_ssize_t offset = 0;
    if (PyTuple_CheckExact(index)) {
        if (own->axes == 0 || PyTuple_GET_SIZE(index) != own->axes) return NULL;
        for (int i = 0; i < own->axes; i++)
            if (!step_along(own, i, PyTuple_GET_ITEM(index, i), &offset)) return NULL;
    } else if (own->axes != 1 || !step_along(own, 0, index, &offset)) {
        return NULL;
    }
    return (double *)(void *)(own->data + offset);
}

bool is_scalar(const PyObject *object) { return scalar_type && Py_IS_TYPE(object, scalar_type); }

bool only_element(PyObject *object, double *real) {
    if (is_scalar(object)) {
        *real = PyFloat_AS_DOUBLE(object);
        return true;
    }
    const bool found = is_array_of_doubles(object) && numpy_of(object)->axes == 0;
    if (found) *real = *doubles_of(object);
    return found;
}

bool double_of(PyObject *number, double *real) {
    if (number && (PyFloat_CheckExact(number) || is_scalar(number))) {
        *real = PyFloat_AS_DOUBLE(number);
        return true;
    }
    if (!number || !PyLong_CheckExact(number)) return false;
    int overflow;
    const long long integer = PyLong_AsLongLongAndOverflow(number, &overflow);
    *real = (double)integer;
    return !overflow && is_exact(integer);
}

PyObject *new_scalar(double real) {
    PyObject *dtype = scalar_type ? NULL : dtype_of_doubles();
    if (dtype) knows_scalars_of(dtype);
    PyObject *made = scalar_type ? scalar_type->tp_alloc(scalar_type, 0) : NULL;
    if (made) ((PyFloatObject *)(void *)made)->ob_fval = real;
    return made;
}

PyObject *copy_of_plain_row(PyObject *array) {
    PyObject *made = is_plain_row(array) ? new_array_of_doubles(numpy_of(array)->axes, numpy_of(array)->shape) : NULL;
    if (made) memcpy(numpy_of(made)->data, numpy_of(array)->data, (size_t)count_of(array) * sizeof(double));
    return made;
}
