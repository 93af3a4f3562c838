/* Lays out operands and results: see layout.h. */
#include "numpy/layout.h"

#include <string.h>

/* Operands */

enum { FEW = 1024 };    /* elements, for which a call of NumPy's takes longer than they do */
enum { SHORT_ROW = 8 }; /* elements of a view's row, from which on NumPy itself copies them as fast */

/* Returns whether an operand is an array that can be laid out, of the width of those before it. */
static bool is_fit(PyObject *operand, const Places *p, PyObject *const *dtypes, bool first) {
    const NumpyArray *array = numpy_of(operand);
    if (array->axes > MOST_AXES || !(array->flags & ALIGNED)) return false;
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

/* Returns whether the elements of a place lie in the order of the axes: along each axis they are no nearer than along those
 * inside of it, and none goes backwards. */
static bool is_in_order(const Places *p, int place) {
    Py_ssize_t outer = PY_SSIZE_T_MAX;
    for (int i = 0; i < p->axes; i++) {
        const Py_ssize_t stride = p->strides[i][place];
        if (!stride) continue;
        if (stride < 0 || stride > outer) return false;
        outer = stride;
    }
    return true;
}

/* Moves the axes in front of an axis behind it, until each stride of a place is no greater than the one before. */
static void sort_axes(Places *p, int place) {
    for (int i = 1; i < p->axes; i++)
        for (int k = i; k > 0 && p->strides[k][place] > p->strides[k - 1][place]; k--) {
            const Places other = *p;
            memcpy(p->strides[k], other.strides[k - 1], sizeof *p->strides);
            memcpy(p->strides[k - 1], other.strides[k], sizeof *p->strides);
            p->shape[k] = other.shape[k - 1];
            p->shape[k - 1] = other.shape[k];
            p->order[k] = other.order[k - 1];
            p->order[k - 1] = other.order[k];
        }
}

/* Returns whether an operand has a stride along each axis, so that its order of the axes is the result's. */
static bool is_whole(const Places *p, int place) {
    for (int i = 0; i < p->axes; i++)
        if (!p->strides[i][place]) return false;
    return true;
}

/* Returns whether a kernel takes less time than NumPy's own call: not for many elements of which an operand is a view of long
 * rows with gaps. */
static bool is_worth_a_call(const Places *p, int place, PyObject *operand) {
    if (p->shape[p->axes - 1] < SHORT_ROW || count_in(p) < FEW) return true;
    if ((numpy_of(operand)->flags & C_CONTIGUOUS) || numpy_of(operand)->axes < 2) return true;
    Py_ssize_t next = size_of(p->width);
    for (int i = p->axes - 1; i >= 0; i--) {
        const Py_ssize_t stride = p->strides[i][place];
        if (stride && stride != next) return false;
        if (stride) next = stride * p->shape[i];
    }
    return true;
}

/* Puts the axes in the order in which NumPy lays out a result; false: operands do not agree on it, or NumPy's own call takes
 * no longer. */
static bool put_in_order(Places *p, PyObject *const *operands) {
    bool are_in_order = true;
    int whole = -1;
    for (int k = 0; k < p->count - 1; k++) {
        if (!is_numpy(operands[k]) || (numpy_of(operands[k])->flags & C_CONTIGUOUS)) continue;
        are_in_order = are_in_order && is_in_order(p, k);
        if (whole < 0 && is_whole(p, k)) whole = k;
    }
    p->is_permuted = !are_in_order;
    if (p->is_permuted) {
        if (whole < 0) return false;
        for (int i = 0; i < p->axes; i++) p->order[i] = i;
        sort_axes(p, whole);
    }
    for (int k = 0; k < p->count - 1; k++)
        if (is_numpy(operands[k]) && (!is_in_order(p, k) || !is_worth_a_call(p, k, operands[k]))) return false;
    return true;
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
    return p->axes > 0 && put_in_order(p, operands); /* NumPy returns no array of no axes, but its element */
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

void find_result(const Places *p, Py_ssize_t *shape, Py_ssize_t *strides) {
    Py_ssize_t next = size_of(p->width);
    for (int i = p->axes - 1; i >= 0; i--) {
        shape[p->order[i]] = p->shape[i];
        strides[p->order[i]] = next;
        next *= p->shape[i];
    }
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

/* Vectors of numbers, at places where one may be, and of what comparisons of them find. */
typedef double Pair __attribute__((vector_size(16), aligned(8)));
typedef double Four __attribute__((vector_size(32), aligned(8)));
typedef int64_t PairMask __attribute__((vector_size(16)));
typedef int64_t FourMask __attribute__((vector_size(32)));

#define HAS_NAN(NAME, ATTRIBUTE, VECTOR, LANES)                                                                \
    ATTRIBUTE static bool NAME(const double *reals, Py_ssize_t count) {                                        \
        VECTOR##Mask found = {0};                                                                              \
        Py_ssize_t i = 0;                                                                                      \
        for (; i + (LANES) <= count; i += (LANES)) {                                                           \
            const VECTOR some = *(const VECTOR *)(const void *)(reals + i);                                    \
            found |= some != some;                                                                             \
        }                                                                                                      \
        bool has_nan = false;                                                                                  \
        for (int k = 0; k < (LANES); k++) has_nan |= found[k] != 0;                                            \
        for (; i < count; i++) has_nan |= reals[i] != reals[i];                                                \
        return has_nan;                                                                                        \
    }

HAS_NAN(has_nan_in_pairs, , Pair, 2)
#if defined(__x86_64__) && defined(__GNUC__)
HAS_NAN(has_nan_in_fours, __attribute__((target("avx2"))), Four, 4)
bool has_nan_among(const double *reals, Py_ssize_t count) {
    return (__builtin_cpu_supports("avx2") ? has_nan_in_fours : has_nan_in_pairs)(reals, count);
}
#else
bool has_nan_among(const double *reals, Py_ssize_t count) { return has_nan_in_pairs(reals, count); }
#endif

static bool has_nan_in_row(const char *row, Py_ssize_t count, Py_ssize_t stride, Width width) {
    if (width == DOUBLE && stride == sizeof(double)) return has_nan_among((const double *)(const void *)row, count);
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
