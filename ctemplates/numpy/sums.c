/* Adds elements of arrays along an axis: see sums.h.
 *
 * NumPy halves rows of more than BLOCK elements, at multiples of eight, and adds the sums of both halves; a block is added in
 * eight sums side by side. A long row is halved here in the same way into leaves, whose sums threads share, and which are then
 * added as the halves are. Functions call themselves as deep as the logarithm of its length.
 */
#include "numpy/sums.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "memory/exceptions.h"
#include "numpy/columns.h"
#include "numpy/elements.h"
#include "numpy/kernels.h"
#include "numpy/layout.h"
#include "threads/portions.h"

enum { LONGEST_ROW = 64 };  /* for longer ones NumPy's loop is as fast; it halves those of more than 128 */
enum { MOST_IN_REGISTERS = 8 }; /* sums to which elements are added in turn */
enum { LONGEST_TURN = 64 }; /* elements that are added to as many sums in turn; for more NumPy's loop is as fast */
enum { FEWEST = 256, IN_THREADS = 10000 }; /* elements of an array; those from which on the GIL is released */
enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy might warn of */

/* The elements of an array: `outer` times `length` times `inner`. */
typedef struct Extent {
    Py_ssize_t outer, length, inner;
} Extent;

/* Adding */

/* What is added: the elements of an array, or their products with those of another one. */
typedef struct Terms {
    const double *from, *by; /* NULL: there is no other one */
    Extent extent;
} Terms;

#define ELEMENTS(NUMBER, k) NUMBER##_AT(from + (k))
#define PRODUCTS(NUMBER, k) (NUMBER##_AT(from + (k)) * NUMBER##_AT(by + (k)))
#define REAL_AT(place) (*(place))
#define PAIR_AT(place) (*(const PAIR *)(const void *)(place))
#define FOUR_AT(place) (*(const FOUR *)(const void *)(place))

typedef double PAIR __attribute__((vector_size(16), aligned(8)));
typedef double FOUR __attribute__((vector_size(32), aligned(8)));

/* Adds rows that are not longer than LONGEST_ROW, where they are long in eight sums, in vectors of some lanes. NumPy adds rows
 * to zeros. */
#define ADD_ROWS(NAME, ATTRIBUTE, VECTOR, LANES, TERMS)                                                        \
    ATTRIBUTE static void NAME(const Terms *t, double *to) {                                                   \
        enum { VECTORS = 8 / (LANES) };                                                                        \
        const Py_ssize_t length = t->extent.length, rows = t->extent.outer;                                    \
        const double *from = t->from, *by = t->by ? t->by : from;                                              \
        for (Py_ssize_t i = 0; length == 3 && i < rows; i++, from += 3, by += 3)                               \
            to[i] = ((TERMS(REAL, 0) + TERMS(REAL, 1)) + TERMS(REAL, 2)) + 0.0;                                \
        for (Py_ssize_t i = 0; length != 3 && i < rows; i++, from += length, by += length) {                   \
            double sum = TERMS(REAL, 0);                                                                       \
            Py_ssize_t k = 1;                                                                                  \
            if (length >= 8) {                                                                                 \
                VECTOR s[VECTORS];                                                                             \
                for (int j = 0; j < VECTORS; j++) s[j] = TERMS(VECTOR, (LANES)*j);                             \
                for (k = 8; k + 8 <= length; k += 8)                                                           \
                    for (int j = 0; j < VECTORS; j++) s[j] += TERMS(VECTOR, k + (LANES)*j);                    \
                sum = (TWO(s, LANES, 0) + TWO(s, LANES, 2)) + (TWO(s, LANES, 4) + TWO(s, LANES, 6));           \
            }                                                                                                  \
            for (; k < length; k++) sum += TERMS(REAL, k);                                                     \
            to[i] = sum + 0.0;                                                                                 \
        }                                                                                                      \
    }

/* The sum of lane k of vectors side by side, and of the next one. */
#define TWO(s, LANES, k) (s[(k) / (LANES)][(k) % (LANES)] + s[(k) / (LANES)][(k) % (LANES) + 1])

ADD_ROWS(add_elements, , PAIR, 2, ELEMENTS)
ADD_ROWS(add_products, , PAIR, 2, PRODUCTS)

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
ADD_ROWS(add_elements_widely, WIDE, FOUR, 4, ELEMENTS)
ADD_ROWS(add_products_widely, WIDE, FOUR, 4, PRODUCTS)

static void add_rows(const Terms *t, double *to) {
    if (__builtin_cpu_supports("avx2"))
        (t->by ? add_products_widely : add_elements_widely)(t, to);
    else
        (t->by ? add_products : add_elements)(t, to);
}
#else
static void add_rows(const Terms *t, double *to) { (t->by ? add_products : add_elements)(t, to); }
#endif

/* Adds rows of `count` elements in turn. Called with a constant: so few sums stay in registers. */
static inline __attribute__((always_inline)) void add_few_in_turn(const double *rows, Py_ssize_t length, int count, double *to) {
    PAIR sums[MOST_IN_REGISTERS / 2];
    double last = rows[count - 1];
    for (int k = 0; k < count / 2; k++) sums[k] = PAIR_AT(rows + 2 * k);
    for (Py_ssize_t i = 1; i < length; i++) {
        const double *row = rows + i * count;
        for (int k = 0; k < count / 2; k++) sums[k] += PAIR_AT(row + 2 * k);
        last += row[count - 1];
    }
    for (int k = 0; k < count / 2; k++) *(PAIR *)(void *)(to + 2 * k) = sums[k] + 0.0;
    if (count % 2) to[count - 1] = last + 0.0;
}

static void add_in_turn(const double *rows, Py_ssize_t length, Py_ssize_t count, double *to) {
    switch (count) {
    case 2: add_few_in_turn(rows, length, 2, to); return;
    case 3: add_few_in_turn(rows, length, 3, to); return;
    case 4: add_few_in_turn(rows, length, 4, to); return;
    case 5: add_few_in_turn(rows, length, 5, to); return;
    case 6: add_few_in_turn(rows, length, 6, to); return;
    case 7: add_few_in_turn(rows, length, 7, to); return;
    case 8: add_few_in_turn(rows, length, 8, to); return;
    }
    double sums[LONGEST_TURN];
    memcpy(sums, rows, (size_t)count * sizeof *sums);
    for (Py_ssize_t i = 1; i < length; i++) {
        const double *row = rows + i * count;
        Py_ssize_t k = 0;
        for (; k + 2 <= count; k += 2) *(PAIR *)(void *)(sums + k) += PAIR_AT(row + k);
        if (k < count) sums[k] += row[k];
    }
    for (Py_ssize_t k = 0; k < count; k++) to[k] = sums[k] + 0.0;
}

static void add_up(const Terms *t, double *to) {
    const Extent extent = t->extent;
    if (extent.inner == 1) {
        add_rows(t, to);
        return;
    }
    for (Py_ssize_t i = 0; i < extent.outer; i++)
        add_in_turn(t->from + i * extent.length * extent.inner, extent.length, extent.inner, to + i * extent.inner);
}

/* Long rows */

enum {
    BLOCK = 128,
    LEAF = 1 << 13,          /* elements of a leaf at most; about half as many at least */
    FEWEST_SHARED = 1 << 21, /* elements: fewer may be in caches, where NumPy is as fast alone */
    EFFORT = 3,              /* of an element */
    AHEAD = 256,             /* elements that memory has time to come for: half a page */
    SAMPLE_ROW = 3 * LEAF + 1003
};

/* Adds a block, and asks for the lines of those behind it, which the processor does by itself only within a page. */
static double add_block(const double *from, Py_ssize_t count) {
    PAIR s[4] = {PAIR_AT(from), PAIR_AT(from + 2), PAIR_AT(from + 4), PAIR_AT(from + 6)};
    Py_ssize_t k = 8;
    for (; k + 8 <= count; k += 8) {
        __builtin_prefetch(from + k + AHEAD);
        for (int j = 0; j < 4; j++) s[j] += PAIR_AT(from + k + 2 * j);
    }
    double sum = ((s[0][0] + s[0][1]) + (s[1][0] + s[1][1])) + ((s[2][0] + s[2][1]) + (s[3][0] + s[3][1]));
    for (; k < count; k++) sum += from[k];
    return sum;
}

static Py_ssize_t half_of(Py_ssize_t count) { return count / 2 - count / 2 % 8; }

static double add_leaf(const double *from, Py_ssize_t count) {
    const Py_ssize_t half = half_of(count);
    return count <= BLOCK ? add_block(from, count) : add_leaf(from, half) + add_leaf(from + half, count - half);
}

/* A row in leaves. starts: of each leaf its first element, then the number of all elements. */
typedef struct Row {
    const double *from;
    Py_ssize_t *starts, leaves;
    double *sums;
} Row;

static void divide(Row *row, Py_ssize_t start, Py_ssize_t count) {
    if (count <= LEAF) {
        row->starts[row->leaves++] = start;
        return;
    }
    divide(row, start, half_of(count));
    divide(row, start + half_of(count), count - half_of(count));
}

/* Adds the sums of so many elements, from a leaf on, which becomes the one behind them. */
static double add_sums(const Row *row, Py_ssize_t *leaf, Py_ssize_t count) {
    if (count <= LEAF) return row->sums[(*leaf)++];
    const double first = add_sums(row, leaf, half_of(count));
    return first + add_sums(row, leaf, count - half_of(count));
}

static int add_leaves(const void *context, int64_t start, int64_t end) {
    const Row *row = context;
    feclearexcept(FE_ALL_EXCEPT);
    for (int64_t i = start; i < end; i++) row->sums[i] = add_leaf(row->from + row->starts[i], row->starts[i + 1] - row->starts[i]);
    return fetestexcept(WARNED);
}

/* Adds all elements; false: there is no memory, or NumPy might warn. */
static bool add_row(const double *from, Py_ssize_t count, double *total) {
    const size_t most = (size_t)count / (LEAF / 4);
    Row row = {.from = from, .starts = malloc((most + 1) * sizeof *row.starts), .sums = malloc(most * sizeof *row.sums)};
    bool done = row.starts && row.sums;
    if (done) {
        divide(&row, 0, count);
        row.starts[row.leaves] = count;
        done = !do_in_portions(add_leaves, &row, row.leaves, (int64_t)EFFORT * LEAF, 1);
    }
    if (done) {
        Py_ssize_t leaf = 0;
        feclearexcept(FE_ALL_EXCEPT);
        *total = add_sums(&row, &leaf, count);
        done = !fetestexcept(WARNED);
    }
    free(row.starts);
    free(row.sums);
    return done;
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
        double *elements = doubles_of(array);
        set_sample(elements, sample.outer * sample.length * sample.inner);
        add_up(&(Terms){elements, NULL, sample}, own);
        found = sum_by_numpy(array, 1);
    }
    const bool same = found && is_numpy(found) && is_plain_row(found) &&
                      memcmp(numpy_of(found)->data, own, (size_t)(sample.outer * sample.inner) * sizeof *own) == 0;
    Py_XDECREF(found);
    PyMem_Free(own);
    Py_XDECREF(array);
    forget_exception();
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

static bool agrees_on_rows(void) {
    double *elements, own;
    PyObject *array = new_row(SAMPLE_ROW, &elements), *found = NULL;
    if (array) {
        set_sample(elements, SAMPLE_ROW);
        found = sum_by_numpy(array, 0);
    }
    const bool same = found && add_row(elements, SAMPLE_ROW, &own) && own == PyFloat_AsDouble(found);
    Py_XDECREF(found);
    Py_XDECREF(array);
    forget_exception();
    return same;
}

/* Returns whether NumPy adds the elements of a long row in the same order. */
static bool knows_rows(void) {
    static char known;
    if (known == UNKNOWN) known = agrees_on_rows() ? SAME : OTHER;
    return known == SAME;
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

/* Adds, and returns what NumPy might warn of; FE_INVALID, too, where it chooses between NaNs. */
static int warned_of(const Terms *t, double *to) {
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    add_up(t, to);
    return has_nan_among(to, t->extent.outer * t->extent.inner) ? FE_INVALID : fetestexcept(WARNED);
}

enum { MOST_AXES_HERE = 8 };

/* Returns a new array of sums along an axis; NULL, maybe with an exception. */
static PyObject *sums_of(const Terms *t, const NumpyArray *array, int axis, bool keeps_axis) {
    Py_ssize_t shape[MOST_AXES_HERE];
    int axes = 0;
    for (int i = 0; i < array->axes; i++)
        if (i != axis || keeps_axis) shape[axes++] = i == axis ? 1 : array->shape[i];
    PyObject *made = new_array_of_doubles(axes, shape);
    if (!made) return NULL;
    double *to = doubles_of(made);
    int found;
    if (t->extent.outer * t->extent.length * t->extent.inner < IN_THREADS) {
        found = warned_of(t, to);
    } else {
        Py_BEGIN_ALLOW_THREADS
        found = warned_of(t, to);
        Py_END_ALLOW_THREADS
    }
    if (found && !(t->by && found == FE_UNDERFLOW && ignores_underflow())) Py_CLEAR(made);
    return made;
}

static bool is_summed_here(PyObject *x) {
    return is_array_of_doubles(x) && is_plain_row(x) && numpy_of(x)->axes >= 2 && numpy_of(x)->axes <= MOST_AXES_HERE;
}

PyObject *sum_along(PyObject *array, int axis, bool keeps_axis) {
    if (!is_summed_here(array)) return NULL;
    const NumpyArray *own = numpy_of(array);
    Terms terms = {.from = doubles_of(array)};
    if (axis < 0 || axis >= own->axes || !find_extent(own, axis, &terms.extent) || !is_known(terms.extent)) return NULL;
    return sums_of(&terms, own, axis, keeps_axis);
}

PyObject *sum_of_products(PyObject *a, PyObject *b, bool keeps_axis) {
    if (!is_summed_here(a) || !is_summed_here(b)) return NULL;
    const NumpyArray *own = numpy_of(a);
    const int last = own->axes - 1;
    Terms terms = {.from = doubles_of(a), .by = doubles_of(b)};
    if (!is_shaped(numpy_of(b), own->axes, own->shape) || !find_extent(own, last, &terms.extent) || !is_known(terms.extent)) return NULL;
    return sums_of(&terms, own, last, keeps_axis);
}

PyObject *sum_of_divisors(PyObject *g, PyObject *z, PyObject *y) {
    if (!is_summed_here(g) || !is_summed_here(z) || !is_summed_here(y)) return NULL;
    const NumpyArray *own = numpy_of(g), *divisors = numpy_of(y);
    const int last = own->axes - 1;
    Extent extent;
    if (!is_shaped(numpy_of(z), own->axes, own->shape) || !find_extent(own, last, &extent) || !is_known(extent)) return NULL;
    if (extent.length > 3 || divisors->axes != own->axes || count_of(y) != extent.outer) return NULL;
    PyObject *made = new_array_of_doubles(divisors->axes, divisors->shape);
    if (!made) return NULL;
    double *to = doubles_of(made);
    bool has_nan;
    Py_BEGIN_ALLOW_THREADS
    has_nan = add_divisors(doubles_of(g), doubles_of(z), doubles_of(y), extent.outer, extent.length, to);
    Py_END_ALLOW_THREADS
    feclearexcept(FE_ALL_EXCEPT);
    if (has_nan) Py_CLEAR(made);
    return made;
}

PyObject *sum_of_row(PyObject *array) {
    if (!is_numpy(array) || !is_row_of_reals(array) || !is_plain_row(array)) return NULL;
    const Py_ssize_t count = count_of(array);
    if (count < FEWEST_SHARED || !are_shared(count, EFFORT) || !knows_rows()) return NULL;
    const double *from = doubles_of(array);
    double total = 0.0;
    bool done;
    Py_BEGIN_ALLOW_THREADS
    done = add_row(from, count, &total);
    Py_END_ALLOW_THREADS
    return done && total == total && total != 0.0 ? new_scalar(total) : NULL;
}
