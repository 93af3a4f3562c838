/* Greatest and least elements: see extremes.h. */
#include "numpy/extremes.h"

#include <fenv.h>

#include "numpy/elements.h"

enum { MANY = 1000, FEW = 256 }; /* elements, from which on, and up to which, these loops are called */

static double *doubles_of(PyObject *array) { return (double *)(void *)numpy_of(array)->data; }

/* Finding */

/* Finds the greatest or the least element of each row; false: one is 0, or a row has a NaN. */
#define EXTREME_FUNCTION(name, sign) \
    static bool name(const double *row, Py_ssize_t rows, Py_ssize_t length, double *to) { \
        bool plain = true; \
        for (Py_ssize_t i = 0; i < rows; i++, row += length) { \
            double found = row[0]; \
            bool numbers = found == found; \
            for (Py_ssize_t k = 1; k < length; k++) { \
                numbers &= row[k] == row[k]; \
                found = row[k] sign found ? row[k] : found; \
            } \
            plain &= numbers & (found != 0.0); \
            to[i] = found; \
        } \
        return plain; \
    }
EXTREME_FUNCTION(find_greatest, >)
EXTREME_FUNCTION(find_least, <)

PyObject *extremes_of_rows(PyObject *array, bool greatest) {
    if (!is_array_of_doubles(array) || !is_plain_row(array) || numpy_of(array)->axes < 2 || count_of(array) < MANY) return NULL;
    const int last = numpy_of(array)->axes - 1;
    const Py_ssize_t length = numpy_of(array)->shape[last], rows = count_of(array) / length;
    PyObject *made = new_array_of_doubles(last, numpy_of(array)->shape);
    if (!made) return NULL;
    const double *from = (const double *)(const void *)numpy_of(array)->data;
    double *to = (double *)(void *)numpy_of(made)->data;
    bool plain;
    Py_BEGIN_ALLOW_THREADS
    plain = (greatest ? find_greatest : find_least)(from, rows, length, to);
    Py_END_ALLOW_THREADS
    feclearexcept(FE_ALL_EXCEPT); /* comparisons with NaN */
    if (!plain) Py_CLEAR(made);
    return made;
}

PyObject *extreme_of_few(PyObject *array, bool greatest) {
    if (!is_array_of_doubles(array) || !is_plain_row(array)) return NULL;
    const Py_ssize_t count = count_of(array);
    double found;
    if (count < 1 || count > FEW || !(greatest ? find_greatest : find_least)(doubles_of(array), 1, count, &found)) return NULL;
    return new_scalar(found);
}

/* Sharing */

/* An array as lines along an axis: the elements of one are `step` apart, and there is one for each place before and behind. */
typedef struct Lines {
    Py_ssize_t before, length, step;
} Lines;

static Lines lines_along(const NumpyArray *array, int axis, Py_ssize_t count) {
    if (axis < 0) return (Lines){1, count, 1};
    Lines lines = {1, array->shape[axis], 1};
    for (int i = 0; i < axis; i++) lines.before *= array->shape[i];
    for (int i = axis + 1; i < array->axes; i++) lines.step *= array->shape[i];
    return lines;
}

/* Shares what a line's extreme has received; false: no element is it. */
static bool share_line(const Lines *lines, const double *from, double extreme, double g, double *to) {
    Py_ssize_t found = 0;
    for (Py_ssize_t i = 0; i < lines->length; i++) found += from[i * lines->step] == extreme;
    const double share = 1.0 / (double)found;
    for (Py_ssize_t i = 0; i < lines->length; i++)
        to[i * lines->step] = g * (from[i * lines->step] == extreme ? share : 0.0);
    return found > 0;
}

/* Returns where the doubles of an array or a scalar are, so many in the order of their axes; NULL: it has others. */
static const double *doubles_in(PyObject *object, Py_ssize_t count, double *alone) {
    if (is_scalar(object)) return only_element(object, alone) && count == 1 ? alone : NULL;
    return is_array_of_doubles(object) && is_plain_row(object) && count_of(object) == count ? doubles_of(object) : NULL;
}

PyObject *shared_by_extremes(PyObject *array, int axis, PyObject *extremes, PyObject *g) {
    if (!is_array_of_doubles(array) || !is_plain_row(array) || axis >= numpy_of(array)->axes) return NULL;
    const Py_ssize_t count = count_of(array);
    const Lines lines = lines_along(numpy_of(array), axis, count);
    double alone[2];
    const double *peaks = doubles_in(extremes, lines.before * lines.step, &alone[0]), *from = doubles_of(array);
    const double *received = doubles_in(g, lines.before * lines.step, &alone[1]);
    PyObject *made = count && peaks && received ? new_array_of_doubles(numpy_of(array)->axes, numpy_of(array)->shape) : NULL;
    bool done = made != NULL;
    for (Py_ssize_t i = 0; done && i < lines.before; i++)
        for (Py_ssize_t k = 0; done && k < lines.step; k++) {
            const Py_ssize_t at = i * lines.length * lines.step + k, line = i * lines.step + k;
            done = share_line(&lines, from + at, peaks[line], received[line], doubles_of(made) + at);
        }
    if (!done) Py_CLEAR(made);
    return made;
}
