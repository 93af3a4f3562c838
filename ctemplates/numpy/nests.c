/* Arrays made of nested lists of numbers: see nests.h. */
#include "numpy/nests.h"

#include "numpy/elements.h"

enum { MOST_AXES_HERE = 4 };

/* An array that is filled. has_real: a float has been met, without which elements would be integers. */
typedef struct Filling {
    int axes;
    Py_ssize_t shape[MOST_AXES_HERE];
    double *to;
    bool has_real;
} Filling;

static bool is_nest(PyObject *part) { return PyList_CheckExact(part) || PyTuple_CheckExact(part); }

/* Takes the shape from the first part of each nest; false: there is nothing in one, or too many are within each other. */
static bool take_shape(Filling *f, PyObject *nest) {
    for (; is_nest(nest); nest = PySequence_Fast_GET_ITEM(nest, 0)) {
        if (f->axes == MOST_AXES_HERE || !PySequence_Fast_GET_SIZE(nest)) return false;
        f->shape[f->axes++] = PySequence_Fast_GET_SIZE(nest);
    }
    return f->axes > 0;
}

static bool fill(Filling *f, PyObject *nest, int axis) {
    if (!is_nest(nest) || PySequence_Fast_GET_SIZE(nest) != f->shape[axis]) return false;
    for (Py_ssize_t i = 0; i < f->shape[axis]; i++) {
        PyObject *part = PySequence_Fast_GET_ITEM(nest, i);
        if (axis + 1 < f->axes) {
            if (!fill(f, part, axis + 1)) return false;
            continue;
        }
        if (!double_of(part, f->to++)) return false;
        f->has_real |= !PyLong_CheckExact(part);
    }
    return true;
}

PyObject *array_of_nest(PyObject *nest) {
    Filling f = {0};
    PyObject *made = take_shape(&f, nest) ? new_array_of_doubles(f.axes, f.shape) : NULL;
    if (!made) return NULL;
    f.to = (double *)(void *)numpy_of(made)->data;
    if (!fill(&f, nest, 0) || !f.has_real) Py_CLEAR(made);
    return made;
}
