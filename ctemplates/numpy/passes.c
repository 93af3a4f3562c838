/* Loops that go over all elements once: see passes.h. */
#include "numpy/passes.h"

#include <fenv.h>
#include <string.h>

#include "numpy/elements.h"

enum { IN_THREADS = 10000, MOST_AXES_HERE = 8 }; /* elements, from which on the GIL is released */

/* The largest magnitude */

/* Without their signs doubles are ordered as integers of the same bits are, with those of NaN behind all numbers. */
static inline int64_t magnitude_at(const char *place) {
    int64_t bits;
    memcpy(&bits, place, sizeof bits);
    return bits & INT64_MAX;
}

static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t peak_of_row(const char *row, Py_ssize_t count, Py_ssize_t stride) {
    int64_t even = 0, odd = 0;
    Py_ssize_t i = 0;
    for (; i + 2 <= count; i += 2, row += 2 * stride) {
        even = greater(even, magnitude_at(row));
        odd = greater(odd, magnitude_at(row + stride));
    }
    return greater(greater(even, odd), i < count ? magnitude_at(row) : 0);
}

/* Returns the number of elements at the end of an array's shape that lie in one row, and that row's stride. */
static Py_ssize_t joined(const NumpyArray *array, int *axes, Py_ssize_t *stride) {
    Py_ssize_t count = array->shape[*axes - 1];
    *stride = array->strides[--*axes];
    for (; *axes && array->strides[*axes - 1] == count * *stride; --*axes) count *= array->shape[*axes - 1];
    return count;
}

bool find_peak(PyObject *object, double *found) {
    if (!is_numpy(object) || dtype_of(object)->letter != 'd' || dtype_of(object)->order != '=') return false;
    const NumpyArray *array = numpy_of(object);
    if (array->axes < 1 || array->axes > MOST_AXES_HERE || !count_of(object)) return false;
    int outer = array->axes;
    Py_ssize_t stride, index[MOST_AXES_HERE] = {0};
    const Py_ssize_t count = joined(array, &outer, &stride);
    const char *row = array->data;
    int64_t peak = 0;
    for (int axis = 0; axis >= 0;) {
        peak = greater(peak, peak_of_row(row, count, stride));
        for (axis = outer - 1; axis >= 0; axis--) {
            row += array->strides[axis];
            if (++index[axis] < array->shape[axis]) break;
            row -= array->shape[axis] * array->strides[axis];
            index[axis] = 0;
        }
    }
    memcpy(found, &peak, sizeof peak);
    return true;
}

/* Cotangents of squares */

typedef double Pair __attribute__((vector_size(16), aligned(8)));
typedef int64_t Mask __attribute__((vector_size(16)));

static inline Pair pair_at(const double *place) { return *(const Pair *)(const void *)place; }

static inline double scaled(double g, double factor, double x) { return g == 0.0 ? 0.0 : g * (factor * x); }

/* Rows of x, of `count` elements each, beside their cotangents; strides are in bytes, from row to row. */
typedef struct Rows {
    const char *g, *x;
    Py_ssize_t g_stride, x_stride, rows, count;
} Rows;

static inline const double *doubles_at(const char *place) { return (const double *)(const void *)place; }

/* Sets rows whose elements have one cotangent each; returns whether they have a NaN. */
static bool scale_by_one(const Rows *r, double factor, double *restrict to) {
    Mask nans = {0, 0};
    bool has_nan = false;
    for (Py_ssize_t row = 0; row < r->rows; row++, to += r->count) {
        const double g = *doubles_at(r->g + row * r->g_stride), *x = doubles_at(r->x + row * r->x_stride);
        Py_ssize_t i = 0;
        for (; g != 0.0 && i + 2 <= r->count; i += 2) {
            const Pair product = g * (factor * pair_at(x + i));
            nans |= product != product;
            *(Pair *)(void *)(to + i) = product;
        }
        for (; i < r->count; i++) {
            to[i] = scaled(g, factor, x[i]);
            has_nan |= to[i] != to[i];
        }
    }
    return has_nan || nans[0] || nans[1];
}

static bool scale_by_each(const Rows *r, double factor, double *restrict to) {
    Mask nans = {0, 0};
    bool has_nan = false;
    for (Py_ssize_t row = 0; row < r->rows; row++, to += r->count) {
        const double *g = doubles_at(r->g + row * r->g_stride), *x = doubles_at(r->x + row * r->x_stride);
        Py_ssize_t i = 0;
        for (; i + 2 <= r->count; i += 2) {
            const Pair each = pair_at(g + i), product = each * (factor * pair_at(x + i));
            const Mask kept = (Mask)product & (each != (Pair){0.0, 0.0});
            nans |= (Pair)kept != (Pair)kept;
            *(Pair *)(void *)(to + i) = (Pair)kept;
        }
        for (; i < r->count; i++) {
            to[i] = scaled(g[i], factor, x[i]);
            has_nan |= to[i] != to[i];
        }
    }
    return has_nan || nans[0] || nans[1];
}

/* Where cotangents lie: along each axis of x a stride in bytes, 0 where one is that of all elements. */
typedef struct Cotangents {
    const char *at;
    int axes;
    Py_ssize_t strides[MOST_AXES_HERE];
} Cotangents;

/* Returns the axis along which rows of x lie: the last one, or the last longer one before it, if that has them, too. */
static int axis_of_rows(const NumpyArray *x) {
    int axis = x->axes - 1;
    while (axis > 0 && x->shape[axis] == 1) axis--;
    return x->strides[axis] == sizeof(double) ? axis : x->axes - 1;
}

/* Finds where cotangents lie; false: there is no loop, or NumPy's product might not lie in a row. */
static bool lay_out_cotangents(Cotangents *c, const NumpyArray *g, const NumpyArray *x) {
    *c = (Cotangents){.at = g->data, .axes = x->axes};
    if (g->axes > x->axes) return false;
    Py_ssize_t outer = PY_SSIZE_T_MAX;
    for (int i = x->axes - g->axes, own = 0; i < x->axes; i++, own++) {
        if (g->shape[own] != 1 && g->shape[own] != x->shape[i]) return false;
        const Py_ssize_t stride = c->strides[i] = g->shape[own] == 1 ? 0 : g->strides[own];
        if (stride < 0 || (stride && stride >= outer)) return false;
        if (stride) outer = stride;
    }
    const Py_ssize_t last = c->strides[axis_of_rows(x)];
    return last == 0 || last == sizeof(double);
}

/* Returns whether an array, of axes and elements, has them in the order of its axes, in rows along the last one. */
static bool is_in_rows(const NumpyArray *x) {
    Py_ssize_t size = sizeof(double);
    for (int i = x->axes - 1; i >= 0; size = x->strides[i] * x->shape[i], i--)
        if (i == x->axes - 1 ? x->strides[i] != size : x->strides[i] < size) return false;
    return true;
}

static bool scale_all(const Cotangents *c, double factor, const NumpyArray *x, double *to) {
    const int inner = axis_of_rows(x), next = inner - 1; /* the axis along which rows are taken at once, if there is one */
    Rows r = {.g = c->at, .x = x->data, .rows = 1, .count = x->shape[inner]};
    if (next >= 0) r = (Rows){c->at, x->data, c->strides[next], x->strides[next], x->shape[next], x->shape[inner]};
    Py_ssize_t index[MOST_AXES_HERE] = {0};
    bool has_nan = false;
    for (int axis = 0; axis >= 0; to += r.rows * r.count) {
        has_nan |= (c->strides[inner] ? scale_by_each : scale_by_one)(&r, factor, to);
        for (axis = next - 1; axis >= 0; axis--) {
            r.g += c->strides[axis];
            r.x += x->strides[axis];
            if (++index[axis] < x->shape[axis]) break;
            r.g -= x->shape[axis] * c->strides[axis];
            r.x -= x->shape[axis] * x->strides[axis];
            index[axis] = 0;
        }
    }
    return has_nan;
}

PyObject *scaled_cotangent(PyObject *g, double factor, PyObject *x) {
    Cotangents c;
    if (!is_array_of_doubles(g) || !is_array_of_doubles(x) || !count_of(x)) return NULL;
    const NumpyArray *own = numpy_of(x);
    if (own->axes < 1 || own->axes > MOST_AXES_HERE || !is_in_rows(own) || !lay_out_cotangents(&c, numpy_of(g), own)) return NULL;
    PyObject *made = new_array_of_doubles(own->axes, own->shape);
    if (!made) return NULL;
    double *to = doubles_of(made);
    bool has_nan;
    if (count_of(x) < IN_THREADS) {
        has_nan = scale_all(&c, factor, own, to);
    } else {
        Py_BEGIN_ALLOW_THREADS
        has_nan = scale_all(&c, factor, own, to);
        Py_END_ALLOW_THREADS
    }
    feclearexcept(FE_ALL_EXCEPT); /* reversals are silent */
    if (has_nan) Py_CLEAR(made);
    return made;
}

/* Choices */

enum { MANY = 1000 }; /* elements, from which on these loops are called */

/* Where the doubles of an operand are: in a row, or one that is that of all elements. */
typedef struct Doubles {
    const double *at;
    Py_ssize_t step; /* 1; 0: it is one */
    double one;
} Doubles;

/* Finds the doubles of an operand for an array of some shape; false: they are others. */
static bool find_doubles(Doubles *found, PyObject *x, const NumpyArray *like) {
    *found = (Doubles){.at = &found->one, .step = 0};
    if (PyFloat_CheckExact(x)) {
        found->one = PyFloat_AS_DOUBLE(x);
        return true;
    }
    if (!is_array_of_doubles(x) || !is_shaped(numpy_of(x), like->axes, like->shape)) return false;
    found->at = doubles_of(x);
    found->step = (numpy_of(x)->flags & C_CONTIGUOUS) != 0;
    for (int i = 0; !found->step && i < like->axes; i++)
        if (numpy_of(x)->strides[i]) return false;
    return true;
}

static inline int64_t bits_at(const double *place) {
    int64_t bits;
    memcpy(&bits, place, sizeof bits);
    return bits;
}

static void choose(const char *condition, const Doubles *x, const Doubles *y, Py_ssize_t count, double *to) {
    for (Py_ssize_t i = 0; i < count; i++) {
        const int64_t chosen = -(int64_t)(condition[i] != 0);
        const int64_t bits = (bits_at(x->at + i * x->step) & chosen) | (bits_at(y->at + i * y->step) & ~chosen);
        memcpy(to + i, &bits, sizeof bits);
    }
}

PyObject *chosen_elements(PyObject *condition, PyObject *x, PyObject *y) {
    Doubles one, other;
    if (!is_numpy(condition) || dtype_of(condition)->letter != '?' || !(numpy_of(condition)->flags & C_CONTIGUOUS)) return NULL;
    const NumpyArray *own = numpy_of(condition);
    const Py_ssize_t count = count_of(condition);
    if (count < MANY || (!is_numpy(x) && !is_numpy(y))) return NULL;
    if (!find_doubles(&one, x, own) || !find_doubles(&other, y, own)) return NULL;
    PyObject *made = new_array_of_doubles(own->axes, own->shape);
    if (!made) return NULL;
    double *to = doubles_of(made);
    Py_BEGIN_ALLOW_THREADS
    choose(own->data, &one, &other, count, to);
    Py_END_ALLOW_THREADS
    return made;
}

/* Extremes */

enum { FEW = 256 }; /* elements, up to which the loops are called for one row */

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
    const double *from = doubles_of(array);
    double *to = doubles_of(made);
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

enum { AT_ONCE = 64 }; /* lines side by side */

/* Shares what the extremes of lines side by side have received; false: no element of one is its extreme. */
static bool share_lines(const Lines *lines, Py_ssize_t count, const double *from, const double *extremes, const double *g, double *to) {
    double found[AT_ONCE] = {0};
    for (Py_ssize_t i = 0; i < lines->length; i++)
        for (Py_ssize_t k = 0; k < count; k++) found[k] += from[i * lines->step + k] == extremes[k] ? 1.0 : 0.0;
    bool all = true;
    for (Py_ssize_t k = 0; k < count; k++) {
        all &= found[k] > 0.0;
        found[k] = 1.0 / found[k];
    }
    for (Py_ssize_t i = 0; i < lines->length; i++)
        for (Py_ssize_t k = 0; k < count; k++) {
            const Py_ssize_t at = i * lines->step + k;
            to[at] = g[k] * (from[at] == extremes[k] ? found[k] : 0.0);
        }
    return all;
}

/* As above, of one line whose elements lie side by side. */
static bool share_line(Py_ssize_t length, const double *from, double extreme, double g, double *to) {
    Py_ssize_t found = 0;
    for (Py_ssize_t i = 0; i < length; i++) found += from[i] == extreme;
    const double share = 1.0 / (double)found;
    for (Py_ssize_t i = 0; i < length; i++) to[i] = g * (from[i] == extreme ? share : 0.0);
    return found > 0;
}

static bool share_all(const Lines *lines, const double *from, const double *extremes, const double *g, double *to) {
    bool all = true;
    for (Py_ssize_t i = 0; i < lines->before; i++, from += lines->length * lines->step, to += lines->length * lines->step) {
        if (lines->step == 1) all &= share_line(lines->length, from, extremes[i], g[i], to);
        for (Py_ssize_t k = 0; lines->step > 1 && k < lines->step; k += AT_ONCE) {
            const Py_ssize_t line = i * lines->step + k, count = lines->step - k < AT_ONCE ? lines->step - k : AT_ONCE;
            all &= share_lines(lines, count, from + k, extremes + line, g + line, to + k);
        }
    }
    return all;
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
    const bool done = made && share_all(&lines, from, peaks, received, doubles_of(made));
    feclearexcept(FE_ALL_EXCEPT); /* reversals are silent */
    if (!done) Py_CLEAR(made);
    return made;
}

bool clear_beside_zeros(PyObject *product, PyObject *g) {
    if (!is_array_of_doubles(product) || !is_plain_row(product) || !(numpy_of(product)->flags & WRITEABLE)) return false;
    Doubles given;
    if (!find_doubles(&given, g, numpy_of(product))) return false;
    double *to = doubles_of(product);
    for (Py_ssize_t i = 0, count = count_of(product); i < count; i++)
        if (given.at[i * given.step] == 0.0) to[i] = 0.0;
    return true;
}
