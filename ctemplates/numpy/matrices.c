/* Products of small matrices: see matrices.h. */
#include "numpy/matrices.h"

#include <fenv.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

enum { MOST_COLUMNS = 4, MOST_TERMS = 8, MOST_AXES_HERE = 6 };
enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy may warn of */
enum { LEFT, RIGHT, RESULT, PLACES };

/* Stacks of matrices: axes and strides of the result; operands have strides of 0 along what is broadcast. */
typedef struct Stacks {
    int axes; /* before those of matrices */
    Py_ssize_t shape[MOST_AXES_HERE], strides[PLACES][MOST_AXES_HERE];
    Py_ssize_t rows, terms, columns;
    Py_ssize_t down[PLACES], along[PLACES]; /* strides of a matrix */
    char *at[PLACES];
} Stacks;

static inline double real_at(const char *place) { return *(const double *)(const void *)place; }

/* One product */

#define FUSED __attribute__((target("avx2,fma")))

/* A matrix of a few columns in rows of vectors; `mask` has the bits of columns that there are. */
typedef struct Right {
    __m256d rows[MOST_TERMS];
    __m256i mask;
} Right;

static FUSED inline void load(const Stacks *s, const char *from, Right *right) {
    const Py_ssize_t along = s->along[RIGHT];
    for (Py_ssize_t k = 0; k < s->terms; k++, from += s->down[RIGHT]) {
        if (along == sizeof(double)) {
            right->rows[k] = _mm256_maskload_pd((const double *)(const void *)from, right->mask);
        } else {
            const double third = s->columns > 2 ? real_at(from + 2 * along) : 0.0;
            const double last = s->columns > 3 ? real_at(from + 3 * along) : 0.0;
            right->rows[k] = _mm256_set_pd(last, third, real_at(from + along), real_at(from));
        }
    }
}

static FUSED inline void store(const Stacks *s, char *row, __m256d sum, __m256i mask) {
    const Py_ssize_t along = s->along[RESULT];
    if (along == sizeof(double)) {
        _mm256_maskstore_pd((double *)(void *)row, mask, sum);
    } else {
        double sums[MOST_COLUMNS];
        _mm256_storeu_pd(sums, sum);
        for (Py_ssize_t j = 0; j < s->columns; j++) *(double *)(void *)(row + j * along) = sums[j];
    }
}

/* Sets the product of two matrices; returns the bits of `nans` and of NaNs in it. */
#define MULTIPLY(TERMS)                                                                                            static FUSED __m256d multiply_##TERMS(const Stacks *s, char *const *at, const Right *right, __m256d nans) {         const Py_ssize_t terms = TERMS ? TERMS : s->terms, next = s->along[LEFT];                                      const char *left = at[LEFT];                                                                                   char *row = at[RESULT];                                                                                        for (Py_ssize_t i = 0; i < s->rows; i++, left += s->down[LEFT], row += s->down[RESULT]) {                          __m256d sum = _mm256_setzero_pd();                                                                             for (Py_ssize_t k = 0; k < terms; k++)                                                                             sum = _mm256_fmadd_pd(_mm256_set1_pd(real_at(left + k * next)), right->rows[k], sum);                      nans = _mm256_or_pd(nans, _mm256_cmp_pd(sum, sum, _CMP_UNORD_Q));                                              store(s, row, sum, right->mask);                                                                           }                                                                                                              return nans;                                                                                               }

MULTIPLY(3)
MULTIPLY(4)
MULTIPLY(0)

/* All products */

/* Moves all places to the next matrix; false: there is none. */
static bool next_matrix(const Stacks *s, char **at, Py_ssize_t *index) {
    for (int i = s->axes - 1; i >= 0; i--) {
        const bool is_last = ++index[i] == s->shape[i];
        if (is_last) index[i] = 0;
        for (int place = 0; place < PLACES; place++)
            at[place] += is_last ? -(s->shape[i] - 1) * s->strides[place][i] : s->strides[place][i];
        if (!is_last) return true;
    }
    return false;
}

/* Sets the result; false: NumPy might warn, or choose between NaNs. */
static FUSED bool multiply_all(const Stacks *s) {
    char *at[PLACES];
    Py_ssize_t index[MOST_AXES_HERE] = {0};
    memcpy(at, s->at, sizeof at);
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    Right right = {.mask = _mm256_set_epi64x(-(s->columns > 3), -(s->columns > 2), -1, -1)};
    const char *loaded = NULL;
    __m256d nans = _mm256_setzero_pd();
    do {
        if (at[RIGHT] != loaded) load(s, loaded = at[RIGHT], &right);
        nans = s->terms == 4   ? multiply_4(s, at, &right, nans)
               : s->terms == 3 ? multiply_3(s, at, &right, nans)
                               : multiply_0(s, at, &right, nans);
    } while (next_matrix(s, at, index));
    return !_mm256_movemask_pd(nans) && !fetestexcept(WARNED);
}

/* The interface */

static bool has_fused_products(void) {
    static int known = -1;
    if (known < 0) known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return known;
}

static bool is_stack_of_doubles(PyObject *x) {
    return is_numpy(x) && dtype_of(x)->letter == 'd' && dtype_of(x)->order == '=' && (numpy_of(x)->flags & ALIGNED) &&
           numpy_of(x)->axes >= 2 && numpy_of(x)->axes <= MOST_AXES_HERE;
}

/* Lays out one operand along the axes of all; false: its stack has another shape. */
static bool lay_out_operand(Stacks *s, int place, const NumpyArray *array) {
    const int own = array->axes - 2;
    for (int i = 0; i < s->axes; i++) {
        const int axis = i - (s->axes - own);
        const Py_ssize_t length = axis < 0 ? 1 : array->shape[axis];
        if (length != 1 && length != s->shape[i]) return false;
        s->strides[place][i] = length == 1 ? 0 : array->strides[axis];
    }
    s->down[place] = array->strides[own];
    s->along[place] = array->strides[own + 1];
    s->at[place] = array->data;
    return true;
}

static bool lay_out_operands(Stacks *s, const NumpyArray *a, const NumpyArray *b) {
    const NumpyArray *longer = a->axes >= b->axes ? a : b, *other = a->axes >= b->axes ? b : a;
    s->axes = longer->axes - 2;
    for (int i = 0; i < s->axes; i++) {
        const int axis = i - (longer->axes - other->axes);
        s->shape[i] = axis >= 0 && longer->shape[i] == 1 ? other->shape[axis] : longer->shape[i];
        if (!s->shape[i]) return false;
    }
    s->rows = a->shape[a->axes - 2];
    s->terms = a->shape[a->axes - 1];
    s->columns = b->shape[b->axes - 1];
    const bool fits = b->shape[b->axes - 2] == s->terms && s->rows > 1 && s->terms > 1 && s->terms <= MOST_TERMS &&
                      s->columns > 1 && s->columns <= MOST_COLUMNS;
    return fits && lay_out_operand(s, LEFT, a) && lay_out_operand(s, RIGHT, b);
}

/* Returns a new array of the result, with axes in this order in memory; NULL, maybe with an exception. */
static PyObject *new_result(const Stacks *s, PyObject *order) {
    const int axes = s->axes + 2;
    Py_ssize_t shape[MOST_AXES_HERE + 2] = {0}, strides[MOST_AXES_HERE + 2] = {0}, next = sizeof(double);
    if (!PyTuple_CheckExact(order) || PyTuple_GET_SIZE(order) != axes) return NULL;
    memcpy(shape, s->shape, (size_t)s->axes * sizeof *shape);
    shape[axes - 2] = s->rows;
    shape[axes - 1] = s->columns;
    for (int i = axes - 1; i >= 0; i--) {
        const Py_ssize_t axis = PyLong_AsSsize_t(PyTuple_GET_ITEM(order, i));
        if (axis < 0 || axis >= axes || strides[axis]) return NULL;
        strides[axis] = next;
        next *= shape[axis];
    }
    return new_strided_array_of_doubles(axes, shape, strides);
}

PyObject *products_of_matrices(PyObject *order, PyObject *a, PyObject *b) {
    Stacks s;
    if (!is_stack_of_doubles(a) || !is_stack_of_doubles(b) || !has_fused_products()) return NULL;
    const NumpyArray *left = numpy_of(a), *right = numpy_of(b);
    if (left->data == right->data || !lay_out_operands(&s, left, right)) return NULL;
    PyObject *made = new_result(&s, order);
    if (!made) return NULL;
    lay_out_operand(&s, RESULT, numpy_of(made));
    if (!multiply_all(&s)) Py_CLEAR(made);
    return made;
}

#else

PyObject *products_of_matrices(PyObject *order, PyObject *a, PyObject *b) {
    (void)order, (void)a, (void)b;
    return NULL;
}

#endif
