/* Lays out operands and results: see layout.h. */
#include "numpy/layout.h"

#include <string.h>

/* Operands */

enum { SHORT_ROW = 8 }; /* elements of a view's row, from which on NumPy itself copies them as fast */

/* Returns whether the elements of an array lie in the order of its axes, as NumPy then lays out a result: along each axis
 * they are no nearer than along those inside of it, and none goes backwards. */
static bool is_in_order(const NumpyArray *array) {
    Py_ssize_t outer = PY_SSIZE_T_MAX;
    for (int i = 0; i < array->axes; i++) {
        if (array->shape[i] == 1 || array->strides[i] == 0) continue;
        if (array->strides[i] < 0 || array->strides[i] > outer) return false;
        outer = array->strides[i];
    }
    return true;
}

/* Returns whether an operand is an array that can be laid out, of the width of those before it. */
static bool is_fit(PyObject *operand, const Places *p, PyObject *const *dtypes, bool first) {
    const NumpyArray *array = numpy_of(operand);
    if (array->axes > MOST_AXES || !(array->flags & ALIGNED)) return false;
    if (!(array->flags & C_CONTIGUOUS)) {
        if (array->axes > 1 && array->shape[array->axes - 1] >= SHORT_ROW) return false;
        if (!is_in_order(array)) return false;
    }
    return first ? array->dtype == dtypes[FLOAT] || array->dtype == dtypes[DOUBLE] : array->dtype == dtypes[p->width];
}

/* Extends the shape of the result by that of an operand. */
static bool extend_shape(Places *p, const NumpyArray *array) {
    if (array->axes > p->axes) {
        const int more = array->axes - p->axes;
        memmove(p->shape + more, p->shape, (size_t)p->axes * sizeof *p->shape);
        for (int i = 0; i < more; i++) p->shape[i] = 1;
        p->axes = array->axes;
    }
    Py_ssize_t *shape = p->shape + (p->axes - array->axes);
    for (int i = 0; i < array->axes; i++) {
        if (shape[i] == 1) shape[i] = array->shape[i];
        if (array->shape[i] != shape[i] && array->shape[i] != 1) return false;
    }
    return true;
}

/* Stores a number of Python's as one of C, as NumPy converts it; false: it may lose digits, and NumPy warn. */
static bool take_number(Places *p, int place, PyObject *operand) {
    double value;
    if (PyFloat_CheckExact(operand)) {
        value = PyFloat_AS_DOUBLE(operand);
    } else {
        int overflow = 0;
        const long long whole = PyLong_CheckExact(operand) ? PyLong_AsLongLongAndOverflow(operand, &overflow) : -1;
        if (!PyLong_CheckExact(operand) || overflow || whole > (1 << 24) || whole < -(1 << 24)) return false;
        value = (double)whole;
    }
    if (p->width == FLOAT)
        p->numbers[place].narrow = (float)value;
    else
        p->numbers[place].wide = value;
    p->at[place] = (char *)&p->numbers[place];
    for (int i = 0; i < p->axes; i++) p->strides[i][place] = 0;
    return true;
}

static void take_array(Places *p, int place, const NumpyArray *array) {
    const int missing = p->axes - array->axes;
    for (int i = 0; i < p->axes; i++)
        p->strides[i][place] = i < missing || array->shape[i - missing] == 1 ? 0 : array->strides[i - missing];
    p->at[place] = array->data;
}

bool lay_out(Places *p, PyObject *const *operands, int count, PyObject *const *dtypes) {
    bool first = true;
    p->axes = 0;
    p->count = count + 1;
    p->width = FLOAT;
    for (int i = 0; i < count; i++) {
        if (!is_numpy(operands[i])) continue;
        if (!is_fit(operands[i], p, dtypes, first) || !extend_shape(p, numpy_of(operands[i]))) return false;
        if (first) p->width = numpy_of(operands[i])->dtype == dtypes[FLOAT] ? FLOAT : DOUBLE;
        first = false;
    }
    for (int i = 0; i < p->axes; i++)
        if (p->shape[i] == 0) return false;
    for (int i = 0; i < count; i++) {
        if (is_numpy(operands[i]))
            take_array(p, i, numpy_of(operands[i]));
        else if (!take_number(p, i, operands[i]))
            return false;
    }
    return p->axes > 0; /* NumPy returns no array of no axes, but its element */
}

/* The result */

void lay_out_result(Places *p, char *at) {
    const int place = p->count - 1;
    Py_ssize_t stride = size_of(p->width);
    for (int i = p->axes - 1; i >= 0; i--) {
        p->strides[i][place] = p->shape[i] == 1 ? 0 : stride;
        stride *= p->shape[i];
    }
    p->at[place] = at;
}

void join_axes(Places *p) {
    int last = 0;
    for (int i = 1; i < p->axes; i++) {
        bool joins = true;
        for (int k = 0; k < p->count; k++) {
            const Py_ssize_t outer = p->strides[last][k], inner = p->strides[i][k];
            joins = joins && (p->shape[last] == 1 || p->shape[i] == 1 || outer == inner * p->shape[i]);
        }
        if (!joins) last++;
        for (int k = 0; k < p->count; k++)
            if (!joins || p->shape[i] != 1) p->strides[last][k] = p->strides[i][k];
        p->shape[last] = joins ? p->shape[last] * p->shape[i] : p->shape[i];
    }
    p->axes = last + 1;
}

bool next_index(Places *p, int axes, Py_ssize_t *index) {
    for (int axis = axes - 1; axis >= 0; axis--) {
        for (int k = 0; k < p->count; k++) p->at[k] += p->strides[axis][k];
        if (++index[axis] < p->shape[axis]) return true;
        for (int k = 0; k < p->count; k++) p->at[k] -= p->strides[axis][k] * p->shape[axis];
        index[axis] = 0;
    }
    return false;
}

/* NaNs */

int smallest_operand(const Places *p) {
    int found = 0;
    Py_ssize_t fewest = PY_SSIZE_T_MAX;
    for (int k = 0; k < p->count - 1; k++) {
        Py_ssize_t own = 1;
        for (int i = 0; i < p->axes; i++) own *= p->strides[i][k] ? p->shape[i] : 1;
        if (own < fewest) found = k, fewest = own;
    }
    return found;
}

/* Two numbers, at places where one may be. */
typedef double Pair __attribute__((vector_size(16), aligned(8)));
typedef int64_t Mask __attribute__((vector_size(16)));

static bool has_nan_in_pairs(const double *row, Py_ssize_t count) {
    Mask found = {0, 0};
    for (Py_ssize_t i = 0; i + 2 <= count; i += 2) {
        const Pair two = *(const Pair *)(const void *)(row + i);
        found |= two != two;
    }
    return found[0] || found[1] || row[count - 1] != row[count - 1];
}

static bool has_nan_in_row(const char *row, Py_ssize_t count, Py_ssize_t stride, Width width) {
    if (width == DOUBLE && stride == sizeof(double)) return has_nan_in_pairs((const double *)(const void *)row, count);
    bool found = false;
    for (Py_ssize_t i = 0; i < count; i++, row += stride) {
        const double x = width == DOUBLE ? *(const double *)(const void *)row : *(const float *)(const void *)row;
        found |= x != x;
    }
    return found;
}

bool has_nan(const Places *p, int place) {
    Places alone = {.width = p->width, .count = 1, .at = {p->at[place]}};
    for (int i = 0; i < p->axes; i++) {
        if (!p->strides[i][place]) continue;
        alone.shape[alone.axes] = p->shape[i];
        alone.strides[alone.axes++][0] = p->strides[i][place];
    }
    if (!alone.axes) return has_nan_in_row(alone.at[0], 1, 0, alone.width);
    join_axes(&alone);
    const int inner = alone.axes - 1;
    Py_ssize_t index[MOST_AXES] = {0};
    while (!has_nan_in_row(alone.at[0], alone.shape[inner], alone.strides[inner][0], alone.width))
        if (!next_index(&alone, inner, index)) return false;
    return true;
}
