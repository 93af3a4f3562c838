/* Additions to rows at many indices: see scattering.h. */
#include "numpy/scattering.h"

static bool is_of_doubles(PyObject *array) { return is_numpy(array) && dtype_of(array)->letter == 'd' && is_plain_row(array); }

static bool is_of_integers(PyObject *array) {
    return is_numpy(array) && dtype_of(array)->kind == 'i' && dtype_of(array)->size == sizeof(int64_t) && is_plain_row(array);
}

/* Returns whether the shape of what is added is that of the indices, followed by that of a row. */
static bool fits(const NumpyArray *whole, const NumpyArray *index, const NumpyArray *added) {
    if (whole->axes < 1 || added->axes != index->axes + whole->axes - 1) return false;
    for (int i = 0; i < index->axes; i++)
        if (added->shape[i] != index->shape[i]) return false;
    for (int i = 1; i < whole->axes; i++)
        if (added->shape[index->axes + i - 1] != whole->shape[i]) return false;
    return true;
}

static bool are_within(const int64_t *index, Py_ssize_t count, Py_ssize_t rows) {
    bool within = true;
    for (Py_ssize_t i = 0; i < count; i++) within &= index[i] >= -rows && index[i] < rows;
    return within;
}

static bool has_no_nan(const double *reals, Py_ssize_t count) {
    bool found = true;
    for (Py_ssize_t i = 0; i < count; i++) found &= reals[i] == reals[i];
    return found;
}

static void add_all(double *to, Py_ssize_t rows, Py_ssize_t width, const int64_t *index, Py_ssize_t count, const double *added) {
    for (Py_ssize_t i = 0; i < count; i++, added += width) {
        double *row = to + (index[i] < 0 ? index[i] + rows : index[i]) * width;
        for (Py_ssize_t k = 0; k < width; k++) row[k] += added[k];
    }
}

bool add_at_rows(PyObject *whole, PyObject *index, PyObject *added) {
    if (!is_of_doubles(whole) || !is_of_integers(index) || !is_of_doubles(added)) return false;
    const NumpyArray *to = numpy_of(whole);
    if (!(to->flags & WRITEABLE) || !fits(to, numpy_of(index), numpy_of(added))) return false;
    const Py_ssize_t rows = to->shape[0], count = count_of(index), total = count_of(added);
    const int64_t *at = (const int64_t *)(const void *)numpy_of(index)->data;
    double *reals = (double *)(void *)to->data;
    const double *from = (const double *)(const void *)numpy_of(added)->data;
    if (!are_within(at, count, rows) || !has_no_nan(from, total)) return false;
    if (total) add_all(reals, rows, total / count, at, count, from);
    return true;
}
