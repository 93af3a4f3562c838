/* Adds elements of arrays along an axis: see sums.h. */
#include "numpy/sums.h"

#include <fenv.h>
#include <string.h>

enum { LONGEST_ROW = 64 };  /* for longer ones NumPy's loop is as fast; it halves those of more than 128 */
enum { LONGEST_TURN = 64 }; /* elements that are added to as many sums in turn; for more NumPy's loop is as fast */
enum { FEWEST = 256, IN_THREADS = 10000 }; /* elements of an array; those from which on the GIL is released */

/* The elements of an array: `outer` times `length` times `inner`. */
typedef struct Extent {
    Py_ssize_t outer, length, inner;
} Extent;

/* Adding */

typedef double Pair __attribute__((vector_size(16), aligned(8)));

static inline Pair pair_at(const double *place) { return *(const Pair *)(const void *)place; }

/* Returns the sum of a row that is not longer than LONGEST_ROW. */
static double sum_of_row(const double *row, Py_ssize_t length) {
    double sum = row[0];
    Py_ssize_t i = 1;
    if (length >= 8) {
        Pair sums[4];
        for (int k = 0; k < 4; k++) sums[k] = pair_at(row + 2 * k);
        for (i = 8; i + 8 <= length; i += 8)
            for (int k = 0; k < 4; k++) sums[k] += pair_at(row + i + 2 * k);
        sum = ((sums[0][0] + sums[0][1]) + (sums[1][0] + sums[1][1])) + ((sums[2][0] + sums[2][1]) + (sums[3][0] + sums[3][1]));
    }
    for (; i < length; i++) sum += row[i];
    return sum + 0.0; /* NumPy adds rows to zeros */
}

/* Adds rows of `count` elements in turn. */
static void add_in_turn(const double *rows, Py_ssize_t length, Py_ssize_t count, double *to) {
    double sums[LONGEST_TURN];
    memcpy(sums, rows, (size_t)count * sizeof *sums);
    for (Py_ssize_t i = 1; i < length; i++) {
        const double *row = rows + i * count;
        Py_ssize_t k = 0;
        for (; k + 2 <= count; k += 2) *(Pair *)(void *)(sums + k) += pair_at(row + k);
        if (k < count) sums[k] += row[k];
    }
    for (Py_ssize_t k = 0; k < count; k++) to[k] = sums[k] + 0.0;
}

static void add_up(const double *from, Extent extent, double *to) {
    const Py_ssize_t size = extent.length * extent.inner;
    for (Py_ssize_t i = 0; i < extent.outer; i++) {
        if (extent.inner == 1)
            to[i] = sum_of_row(from + i * size, extent.length);
        else
            add_in_turn(from + i * size, extent.length, extent.inner, to + i * extent.inner);
    }
}

/* Whether NumPy adds in the same order */

enum { UNKNOWN, SAME, OTHER };

enum { SAMPLE_OUTER = 33, SAMPLE_LENGTH = 41 };

/* Sets numbers of different sizes and signs, so that sums show their order. */
static void set_sample(double *to, Py_ssize_t count) {
    uint64_t state = 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        to[i] = (double)(int64_t)state * (state >> 20 & 1 ? 1e-3 : 1.0);
        if (i % 11 == 0) to[i] = -0.0;
    }
}

static PyObject *sum_by_numpy(PyObject *array, int axis) {
    PyObject *name = PyUnicode_FromString("numpy"), *numpy = name ? PyImport_GetModule(name) : NULL;
    PyObject *add = numpy ? PyObject_GetAttrString(numpy, "add") : NULL;
    PyObject *found = add ? PyObject_CallMethod(add, "reduce", "Oi", array, axis) : NULL;
    Py_XDECREF(add);
    Py_XDECREF(numpy);
    Py_XDECREF(name);
    return found;
}

static bool agrees(Extent sample) {
    const Py_ssize_t shape[] = {sample.outer, sample.length, sample.inner};
    PyObject *array = new_array_of_doubles(sample.inner == 1 ? 2 : 3, shape);
    double *own = PyMem_Malloc((size_t)(sample.outer * sample.inner) * sizeof *own);
    PyObject *found = NULL;
    if (array && own) {
        double *elements = (double *)(void *)numpy_of(array)->data;
        set_sample(elements, sample.outer * sample.length * sample.inner);
        add_up(elements, sample, own);
        found = sum_by_numpy(array, 1);
    }
    const bool same = found && is_numpy(found) && is_plain_row(found) &&
                      memcmp(numpy_of(found)->data, own, (size_t)(sample.outer * sample.inner) * sizeof *own) == 0;
    Py_XDECREF(found);
    PyMem_Free(own);
    Py_XDECREF(array);
    PyErr_Clear();
    return same;
}

/* Returns whether NumPy adds rows of such a length, or so many side by side, in the same order. */
static bool is_known(Extent extent) {
    static char rows[LONGEST_ROW + 1], turns[LONGEST_TURN + 1];
    const bool is_last = extent.inner == 1;
    char *known = is_last ? &rows[extent.length] : &turns[extent.inner];
    if (*known == UNKNOWN) {
        const Extent sample = {SAMPLE_OUTER, is_last ? extent.length : SAMPLE_LENGTH, extent.inner};
        *known = agrees(sample) ? SAME : OTHER;
    }
    return *known == SAME;
}

/* The interface */

/* Finds the extent of a sum; false: it is left to NumPy. */
static bool find_extent(const NumpyArray *array, int axis, Extent *extent) {
    *extent = (Extent){1, array->shape[axis], 1};
    for (int i = 0; i < axis; i++) extent->outer *= array->shape[i];
    for (int i = axis + 1; i < array->axes; i++) extent->inner *= array->shape[i];
    const bool is_last = axis == array->axes - 1;
    return extent->length > 1 && extent->outer * extent->length * extent->inner >= FEWEST &&
           (is_last ? extent->length <= LONGEST_ROW : extent->inner > 1 && extent->inner <= LONGEST_TURN);
}

/* Adds, and returns whether NumPy would neither warn nor meet a NaN. */
static bool is_added(const double *from, Extent extent, double *to) {
    enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID };
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    add_up(from, extent, to);
    bool has_nan = false;
    for (Py_ssize_t i = 0; i < extent.outer * extent.inner; i++) has_nan |= to[i] != to[i];
    return !has_nan && !fetestexcept(WARNED);
}

PyObject *sum_along(PyObject *array, int axis, bool keeps_axis) {
    enum { MOST_AXES_HERE = 8 };
    const NumpyArray *own = numpy_of(array);
    Extent extent;
    if (own->axes < 2 || own->axes > MOST_AXES_HERE || axis < 0 || axis >= own->axes || !is_plain_row(array)) return NULL;
    if (dtype_of(array)->letter != 'd' || !find_extent(own, axis, &extent) || !is_known(extent)) return NULL;
    Py_ssize_t shape[MOST_AXES_HERE];
    int axes = 0;
    for (int i = 0; i < own->axes; i++)
        if (i != axis || keeps_axis) shape[axes++] = i == axis ? 1 : own->shape[i];
    PyObject *made = new_array_of_doubles(axes, shape);
    if (!made) return PyErr_Clear(), NULL;
    const double *from = (const double *)(const void *)own->data;
    double *to = (double *)(void *)numpy_of(made)->data;
    bool added;
    if (count_of(array) < IN_THREADS) {
        added = is_added(from, extent, to);
    } else {
        Py_BEGIN_ALLOW_THREADS
        added = is_added(from, extent, to);
        Py_END_ALLOW_THREADS
    }
    if (!added) Py_CLEAR(made);
    return made;
}
