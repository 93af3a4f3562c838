/* Loops over rows of a few doubles: see columns.h. */
#include "numpy/columns.h"

#include <fenv.h>

#include "numpy/elements.h"
#include "numpy/layout.h"

enum { SPACE = 3, MOST_AXES_HERE = 8, MOST_COLUMNS = 16 };
enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy may warn of */

static void set_cross_products(const double *a, const double *b, Py_ssize_t count, double *restrict to) {
    for (Py_ssize_t i = 0; i < count; i++, a += SPACE, b += SPACE, to += SPACE) {
        to[0] = a[1] * b[2] - a[2] * b[1];
        to[1] = a[2] * b[0] - a[0] * b[2];
        to[2] = a[0] * b[1] - a[1] * b[0];
    }
}

PyObject *cross_products(PyObject *a, PyObject *b) {
    if (!is_array_of_doubles(a) || !is_array_of_doubles(b) || !is_plain_row(a) || !is_plain_row(b)) return NULL;
    const NumpyArray *own = numpy_of(a);
    if (own->axes < 1 || own->axes > MOST_AXES_HERE || own->shape[own->axes - 1] != SPACE) return NULL;
    if (!is_shaped(numpy_of(b), own->axes, own->shape)) return NULL;
    PyObject *made = new_array_of_doubles(own->axes, own->shape);
    if (!made) return NULL;
    const Py_ssize_t count = count_of(a);
    if (!count) return made;
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    set_cross_products(doubles_of(a), doubles_of(b), count / SPACE, doubles_of(made));
    if (fetestexcept(WARNED) || has_nan_among(doubles_of(made), count)) Py_CLEAR(made);
    return made;
}

/* Returns whether an array has rows of a few doubles, each in a row, that may be changed, like those of another one. */
static bool has_columns_like(PyObject *columns, const NumpyArray *other) {
    const NumpyArray *own = numpy_of(columns);
    return is_array_of_doubles(columns) && (own->flags & WRITEABLE) && own->axes == 2 &&
           is_shaped(other, 2, own->shape) && own->shape[1] <= MOST_COLUMNS && own->strides[1] == sizeof(double);
}

/* Returns whether the elements of rows lie apart from those of an array in a row, of which there are `count`. */
static bool are_apart(const NumpyArray *rows, const double *row, Py_ssize_t count) {
    const char *last = rows->data + (rows->shape[0] - 1) * rows->strides[0], *begin = (const char *)row;
    const char *low = rows->strides[0] < 0 ? last : rows->data, *high = rows->strides[0] < 0 ? rows->data : last;
    return high + rows->shape[1] * (Py_ssize_t)sizeof *row <= begin || begin + count * (Py_ssize_t)sizeof *row <= low;
}

#define ADD_ROWS(WIDTH)                                                                                        \
    for (Py_ssize_t i = 0; i < count; i++, row += stride, from += (WIDTH)) {                                   \
        double *restrict to = (double *)(void *)row;                                                           \
        for (Py_ssize_t k = 0; k < (WIDTH); k++) to[k] += from[k];                                             \
    }

/* Adds rows to others, which lie apart. Of a constant length compilers need no loop for a row. */
static void add_rows(char *row, Py_ssize_t stride, const double *restrict from, Py_ssize_t count, Py_ssize_t width) {
    if (width == 1)
        ADD_ROWS(1)
    else if (width == 2)
        ADD_ROWS(2)
    else if (width == 3)
        ADD_ROWS(3)
    else
        ADD_ROWS(width)
}

/* Which of two NaNs a sum is depends on the loop, so nothing is added that has one. */
bool add_to_columns(PyObject *columns, PyObject *added) {
    if (!is_numpy(columns) || !is_array_of_doubles(added) || !is_plain_row(added)) return false;
    if (!has_columns_like(columns, numpy_of(added))) return false;
    const NumpyArray *own = numpy_of(columns);
    const double *from = doubles_of(added);
    const Py_ssize_t count = count_of(added), width = own->shape[1];
    if (!count || !are_apart(own, from, count) || has_nan_among(from, count)) return false;
    add_rows(own->data, own->strides[0], from, own->shape[0], width);
    return true;
}
