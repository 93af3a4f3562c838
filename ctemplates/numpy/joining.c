/* Arrays that are made of parts: see joining.h. */
#include "numpy/joining.h"

#include <string.h>

#include "numpy/elements.h"

enum { MOST_AXES_HERE = 8 };

/* Elements that are copied: along each axis their number, and strides in bytes. */
typedef struct Copy {
    int axes;
    Py_ssize_t shape[MOST_AXES_HERE], to[MOST_AXES_HERE], from[MOST_AXES_HERE];
} Copy;

/* Copying */

static inline void copy_one(char *to, const char *from) { memcpy(to, from, sizeof(double)); }

/* Copies rows of elements. Of a constant length compilers need no loop for a row. */
#define COPY_ROWS(LENGTH)                                                                                      \
    for (Py_ssize_t i = 0; i < rows; i++, to += to_next, from += from_next)                                    \
        for (Py_ssize_t k = 0; k < (LENGTH); k++) copy_one(to + k * to_along, from + k * from_along);

static void copy_rows(const Copy *c, char *to, const char *from) {
    const int last = c->axes - 1;
    const Py_ssize_t length = c->shape[last], to_along = c->to[last], from_along = c->from[last];
    const Py_ssize_t rows = last ? c->shape[last - 1] : 1, size = sizeof(double);
    const Py_ssize_t to_next = last ? c->to[last - 1] : 0, from_next = last ? c->from[last - 1] : 0;
    if (to_along == size && from_along == size) {
        for (Py_ssize_t i = 0; i < rows; i++, to += to_next, from += from_next)
            memcpy(to, from, (size_t)(length * size));
    } else if (length == 1) {
        COPY_ROWS(1)
    } else if (length == 3) {
        COPY_ROWS(3)
    } else {
        COPY_ROWS(length)
    }
}

static void copy_all(const Copy *c, char *to, const char *from) {
    Py_ssize_t index[MOST_AXES_HERE] = {0};
    for (int axis = 0; axis >= 0;) {
        copy_rows(c, to, from);
        for (axis = c->axes - 3; axis >= 0; axis--) {
            to += c->to[axis];
            from += c->from[axis];
            if (++index[axis] < c->shape[axis]) break;
            to -= c->shape[axis] * c->to[axis];
            from -= c->shape[axis] * c->from[axis];
            index[axis] = 0;
        }
    }
}

static void swap(Py_ssize_t *strides, int a, int b) {
    const Py_ssize_t kept = strides[a];
    strides[a] = strides[b];
    strides[b] = kept;
}

/* Sorts axes by the strides of the copy, the least last, and joins those that are one row in both. */
static void sort_axes(Copy *c) {
    for (int i = 1; i < c->axes; i++)
        for (int k = i; k > 0 && c->to[k] > c->to[k - 1]; k--) {
            swap(c->shape, k, k - 1);
            swap(c->to, k, k - 1);
            swap(c->from, k, k - 1);
        }
    int kept = 0;
    for (int i = 1; i < c->axes; i++) {
        const bool is_row = c->to[kept] == c->shape[i] * c->to[i] && c->from[kept] == c->shape[i] * c->from[i];
        const Py_ssize_t length = is_row ? c->shape[kept] * c->shape[i] : c->shape[i];
        if (!is_row) kept++;
        c->shape[kept] = length;
        c->to[kept] = c->to[i];
        c->from[kept] = c->from[i];
    }
    c->axes = kept + 1;
}

/* Copies an array to a part of the result, which begins at a place; `inserted`: the axis of the result that the array does
 * not have, or -1. */
static void copy_array(const NumpyArray *array, const NumpyArray *result, char *to, int inserted) {
    Copy c = {0};
    for (int i = 0; i < result->axes; i++) {
        if (i == inserted) continue;
        const int own = inserted >= 0 && i > inserted ? i - 1 : i;
        if (array->shape[own] == 1) continue;
        c.shape[c.axes] = array->shape[own];
        c.to[c.axes] = result->strides[i];
        c.from[c.axes++] = array->strides[own];
    }
    if (!c.axes) c = (Copy){1, {1}, {sizeof(double)}, {sizeof(double)}};
    sort_axes(&c);
    copy_all(&c, to, array->data);
}

/* The interface */

static bool is_joined_here(PyObject *x) {
    return is_array_of_doubles(x) && numpy_of(x)->axes < MOST_AXES_HERE && count_of(x) > 0;
}

PyObject *new_array_in_order(PyObject *order, int axes, const Py_ssize_t *shape) {
    Py_ssize_t strides[MOST_AXES_HERE] = {0}, next = sizeof(double);
    if (!PyTuple_CheckExact(order) || PyTuple_GET_SIZE(order) != axes || axes > MOST_AXES_HERE) return NULL;
    for (int i = axes - 1; i >= 0; i--) {
        const Py_ssize_t axis = PyLong_AsSsize_t(PyTuple_GET_ITEM(order, i));
        if (axis < 0 || axis >= axes || strides[axis]) return NULL;
        strides[axis] = next;
        next *= shape[axis];
    }
    return new_strided_array_of_doubles(axes, shape, strides);
}

/* Finds the shape of the result, of so many axes; false: it is left to NumPy. */
static bool find_shape(PyObject *const *arrays, Py_ssize_t count, int axis, bool is_stack, Py_ssize_t *shape) {
    const NumpyArray *first = numpy_of(arrays[0]);
    const int axes = first->axes + is_stack;
    for (int i = 0; i < axes; i++) shape[i] = is_stack ? i == axis ? count : first->shape[i - (i > axis)] : first->shape[i];
    for (Py_ssize_t k = 1; k < count; k++) {
        const NumpyArray *array = numpy_of(arrays[k]);
        if (array->axes != first->axes) return false;
        for (int i = 0; i < array->axes; i++)
            if (array->shape[i] != first->shape[i] && (is_stack || i != axis)) return false;
        if (!is_stack) shape[axis] += array->shape[axis];
    }
    return true;
}

static PyObject *side_by_side(PyObject *order, PyObject *list, Py_ssize_t axis, bool is_stack) {
    if (!PyList_CheckExact(list) && !PyTuple_CheckExact(list)) return NULL;
    PyObject *const *arrays = PySequence_Fast_ITEMS(list);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    for (Py_ssize_t k = 0; k < count; k++)
        if (!is_joined_here(arrays[k])) return NULL;
    Py_ssize_t shape[MOST_AXES_HERE];
    const int axes = count ? numpy_of(arrays[0])->axes + is_stack : 0;
    const Py_ssize_t at = axis < 0 ? axis + axes : axis;
    if (at < 0 || at >= axes || !find_shape(arrays, count, (int)at, is_stack, shape)) return NULL;
    PyObject *made = new_array_in_order(order, axes, shape);
    if (!made) return NULL;
    char *to = numpy_of(made)->data;
    for (Py_ssize_t k = 0; k < count; k++) {
        copy_array(numpy_of(arrays[k]), numpy_of(made), to, is_stack ? (int)at : -1);
        to += (is_stack ? 1 : numpy_of(arrays[k])->shape[at]) * numpy_of(made)->strides[at];
    }
    return made;
}

PyObject *concatenated(PyObject *order, PyObject *arrays, Py_ssize_t axis) { return side_by_side(order, arrays, axis, false); }

PyObject *stacked(PyObject *order, PyObject *arrays, Py_ssize_t axis) { return side_by_side(order, arrays, axis, true); }

PyObject *copy_in_order(PyObject *order, PyObject *array) {
    if (!is_joined_here(array)) return NULL;
    PyObject *made = new_array_in_order(order, numpy_of(array)->axes, numpy_of(array)->shape);
    if (made) copy_array(numpy_of(array), numpy_of(made), numpy_of(made)->data, -1);
    return made;
}

/* Numbers in lists */

enum { MOST_NESTS = 4 };

/* An array that is filled. has_real: a float has been met, without which elements would be integers. */
typedef struct Filling {
    int axes;
    Py_ssize_t shape[MOST_NESTS];
    double *to;
    bool has_real;
} Filling;

/* Takes the shape from the first part of each nest; false: there is nothing in one, or too many are within each other. */
static bool take_shape(Filling *f, PyObject *nest) {
    for (; is_nest(nest); nest = PySequence_Fast_GET_ITEM(nest, 0)) {
        if (f->axes == MOST_NESTS || !PySequence_Fast_GET_SIZE(nest)) return false;
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
    f.to = doubles_of(made);
    if (!fill(&f, nest, 0) || !f.has_real) Py_CLEAR(made);
    return made;
}
