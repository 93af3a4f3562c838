/* Products of small matrices: see matrices.h. */
#include "numpy/matrices.h"

#include <fenv.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include "numpy/joining.h"
#include "numpy/kernels.h"

enum { FEW_COLUMNS = 4, FEW_TERMS = 8 };     /* of a right matrix that stays in registers */
enum { MOST_TERMS = 256, MOST_ELEMENTS = 2048 }; /* of one that stays in the cache next to the processor */
enum { IN_THREADS = 10000, MOST_AXES_HERE = 6 };   /* elements of a result, from which on the GIL is released */
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

/* One product of a matrix that stays in registers */

#define FUSED __attribute__((target("avx2,fma")))

/* Returns a row of a few columns as a vector. */
static FUSED inline __m256d row_at(const char *from, Py_ssize_t along, Py_ssize_t columns, __m256i mask) {
    if (along == sizeof(double)) return _mm256_maskload_pd((const double *)(const void *)from, mask);
    const double third = columns > 2 ? real_at(from + 2 * along) : 0.0;
    const double last = columns > 3 ? real_at(from + 3 * along) : 0.0;
    return _mm256_set_pd(last, third, real_at(from + along), real_at(from));
}

static FUSED inline void set_row(char *row, Py_ssize_t along, Py_ssize_t columns, __m256d sum) {
    double *to = (double *)(void *)row, sums[FEW_COLUMNS];
    if (along != sizeof(double)) {
        _mm256_storeu_pd(sums, sum);
        for (Py_ssize_t j = 0; j < columns; j++) *(double *)(void *)(row + j * along) = sums[j];
    } else if (columns == 4) {
        _mm256_storeu_pd(to, sum);
    } else { /* stores of masked vectors take long on some processors */
        _mm_storeu_pd(to, _mm256_castpd256_pd128(sum));
        if (columns == 3) _mm_store_sd(to + 2, _mm256_extractf128_pd(sum, 1));
    }
}

/* Returns the bits of `nans` and of NaNs in a product, which it sets, for so many terms of each sum. `mask` has the bits of
 * columns that there are. Rows of the right matrix stay in registers. */
#define MULTIPLY(TERMS)                                                                                        \
    static FUSED __m256d multiply_##TERMS(const Stacks *s, char *const *at, __m256i mask, __m256d nans) {      \
        const Py_ssize_t next = s->along[LEFT], left_down = s->down[LEFT], row_down = s->down[RESULT];         \
        const Py_ssize_t along = s->along[RESULT], columns = s->columns;                                       \
        const char *left = at[LEFT], *right = at[RIGHT];                                                       \
        char *row = at[RESULT];                                                                                \
        __m256d rows[TERMS];                                                                                   \
        EACH_##TERMS(LOAD) for (Py_ssize_t i = s->rows; i > 0; i--, left += left_down, row += row_down) {      \
            __m256d sum = _mm256_setzero_pd();                                                                 \
            EACH_##TERMS(TERM) nans = _mm256_or_pd(nans, _mm256_cmp_pd(sum, sum, _CMP_UNORD_Q));               \
            set_row(row, along, columns, sum);                                                                 \
        }                                                                                                      \
        return nans;                                                                                           \
    }

#define LOAD(k) rows[k] = row_at(right + (k)*s->down[RIGHT], s->along[RIGHT], columns, mask);
#define TERM(k) sum = _mm256_fmadd_pd(_mm256_set1_pd(real_at(left + (k)*next)), rows[k], sum);
#define EACH_2(TERM) TERM(0) TERM(1)
#define EACH_3(TERM) EACH_2(TERM) TERM(2)
#define EACH_4(TERM) EACH_3(TERM) TERM(3)
#define EACH_5(TERM) EACH_4(TERM) TERM(4)
#define EACH_6(TERM) EACH_5(TERM) TERM(5)
#define EACH_7(TERM) EACH_6(TERM) TERM(6)
#define EACH_8(TERM) EACH_7(TERM) TERM(7)

MULTIPLY(2)
MULTIPLY(3)
MULTIPLY(4)
MULTIPLY(5)
MULTIPLY(6)
MULTIPLY(7)
MULTIPLY(8)

typedef __m256d Multiply(const Stacks *s, char *const *at, __m256i mask, __m256d nans);

static Multiply *const BY_TERMS[FEW_TERMS + 1] = {NULL,       NULL,       multiply_2, multiply_3, multiply_4,
                                                   multiply_5, multiply_6, multiply_7, multiply_8};

/* One product of a matrix that stays in the cache */

enum { LANES = 4, HIGH = 4, WIDE = 3 * LANES }; /* rows and columns of a tile of the result, whose sums stay in registers */

/* A tile of the result. right: the rows of the right matrix, `padded` elements each, with zeros behind its columns. */
typedef struct Tile {
    const Stacks *s;
    const char *left;
    char *row;
    const double *right;
    Py_ssize_t padded, columns;
} Tile;

static FUSED inline void set_lanes(char *row, Py_ssize_t along, Py_ssize_t columns, __m256d sum) {
    double sums[LANES];
    if (columns >= LANES && along == sizeof(double)) {
        _mm256_storeu_pd((double *)(void *)row, sum);
        return;
    }
    _mm256_storeu_pd(sums, sum);
    for (Py_ssize_t j = 0; j < columns && j < LANES; j++) *(double *)(void *)(row + j * along) = sums[j];
}

#define VECTORS_1(DO, r) DO(r, 0)
#define VECTORS_2(DO, r) VECTORS_1(DO, r) DO(r, 1)
#define VECTORS_3(DO, r) VECTORS_2(DO, r) DO(r, 2)
#define ROWS_1(VECTORS, DO) VECTORS(DO, 0)
#define ROWS_4(VECTORS, DO) VECTORS(DO, 0) VECTORS(DO, 1) VECTORS(DO, 2) VECTORS(DO, 3)

#define BEGIN(r, v) __m256d sum_##r##_##v = _mm256_setzero_pd();
#define READ(r, v) const __m256d right_##v = _mm256_loadu_pd(right + (v)*LANES);
#define ADD(r, v) sum_##r##_##v = _mm256_fmadd_pd(_mm256_set1_pd(real_at(left + (r)*down)), right_##v, sum_##r##_##v);
#define END(r, v)                                                                                              \
    nans = _mm256_or_pd(nans, _mm256_cmp_pd(sum_##r##_##v, sum_##r##_##v, _CMP_UNORD_Q));                      \
    set_lanes(t->row + (r)*t->s->down[RESULT] + (v)*LANES * along, along, t->columns - (v)*LANES, sum_##r##_##v);

#define TILE(HEIGHT, WIDTH)                                                                                    \
    static FUSED __m256d tile_##HEIGHT##_##WIDTH(const Tile *t, __m256d nans) {                                \
        const Py_ssize_t down = t->s->down[LEFT], next = t->s->along[LEFT], along = t->s->along[RESULT];       \
        const char *left = t->left;                                                                            \
        const double *right = t->right;                                                                        \
        ROWS_##HEIGHT(VECTORS_##WIDTH, BEGIN) for (Py_ssize_t k = t->s->terms; k > 0; k--) {                   \
            VECTORS_##WIDTH(READ, 0) ROWS_##HEIGHT(VECTORS_##WIDTH, ADD) left += next;                         \
            right += t->padded;                                                                                \
        }                                                                                                      \
        ROWS_##HEIGHT(VECTORS_##WIDTH, END) return nans;                                                       \
    }

TILE(1, 1)
TILE(1, 2)
TILE(1, 3)
TILE(4, 1)
TILE(4, 2)
TILE(4, 3)

typedef __m256d SetTile(const Tile *t, __m256d nans);

static SetTile *const BY_SIZE[2][3] = {{tile_1_1, tile_1_2, tile_1_3}, {tile_4_1, tile_4_2, tile_4_3}};

static FUSED __m256d multiply_in_tiles(const Stacks *s, char *const *at, __m256i mask, __m256d nans) {
    double right[MOST_ELEMENTS];
    const Py_ssize_t padded = (s->columns + LANES - 1) / LANES * LANES;
    (void)mask;
    for (Py_ssize_t k = 0; k < s->terms; k++)
        for (Py_ssize_t j = 0; j < padded; j++)
            right[k * padded + j] = j < s->columns ? real_at(at[RIGHT] + k * s->down[RIGHT] + j * s->along[RIGHT]) : 0.0;
    for (Py_ssize_t i = 0, height; i < s->rows; i += height) {
        const bool is_high = s->rows - i >= HIGH;
        height = is_high ? HIGH : 1;
        for (Py_ssize_t j = 0; j < s->columns; j += WIDE) {
            const Py_ssize_t left_over = (padded - j) / LANES, columns = s->columns - j;
            const Tile tile = {s, at[LEFT] + i * s->down[LEFT], at[RESULT] + i * s->down[RESULT] + j * s->along[RESULT],
                               right + j, padded, columns};
            nans = BY_SIZE[is_high][left_over < 3 ? left_over - 1 : 2](&tile, nans);
        }
    }
    return nans;
}

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

/* Sets the result, and returns what NumPy may warn of; FE_INVALID, too, where it chooses between NaNs. */
static FUSED int multiply_all(const Stacks *s) {
    char *at[PLACES];
    Py_ssize_t index[MOST_AXES_HERE] = {0};
    memcpy(at, s->at, sizeof at);
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    const __m256i mask = _mm256_set_epi64x(-(s->columns > 3), -(s->columns > 2), -1, -1);
    const bool are_few = s->terms <= FEW_TERMS && s->columns <= FEW_COLUMNS;
    Multiply *multiply = are_few ? BY_TERMS[s->terms] : multiply_in_tiles;
    __m256d nans = _mm256_setzero_pd();
    do
        nans = multiply(s, at, mask, nans);
    while (next_matrix(s, at, index));
    return _mm256_movemask_pd(nans) ? FE_INVALID : fetestexcept(WARNED);
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
                      s->columns > 1 && s->terms * (s->columns + LANES - 1) <= MOST_ELEMENTS;
    return fits && lay_out_operand(s, LEFT, a) && lay_out_operand(s, RIGHT, b);
}

/* Returns a new array of the result, with axes in this order in memory; NULL, maybe with an exception. */
static PyObject *new_result(const Stacks *s, PyObject *order) {
    const int axes = s->axes + 2;
    Py_ssize_t shape[MOST_AXES_HERE + 2];
    memcpy(shape, s->shape, sizeof s->shape);
    shape[axes - 2] = s->rows;
    shape[axes - 1] = s->columns;
    return new_array_in_order(order, axes, shape);
}

PyObject *products_of_matrices(PyObject *order, PyObject *a, PyObject *b) {
    Stacks s;
    if (!is_stack_of_doubles(a) || !is_stack_of_doubles(b) || !has_fused_products()) return NULL;
    const NumpyArray *left = numpy_of(a), *right = numpy_of(b);
    if (left->data == right->data || !lay_out_operands(&s, left, right)) return NULL;
    PyObject *made = new_result(&s, order);
    if (!made) return NULL;
    lay_out_operand(&s, RESULT, numpy_of(made));
    int found;
    if (count_of(made) < IN_THREADS) {
        found = multiply_all(&s);
    } else {
        Py_BEGIN_ALLOW_THREADS
        found = multiply_all(&s);
        Py_END_ALLOW_THREADS
    }
    if (found && (found != FE_UNDERFLOW || !ignores_underflow())) Py_CLEAR(made);
    return made;
}

#else

PyObject *products_of_matrices(PyObject *order, PyObject *a, PyObject *b) {
    (void)order, (void)a, (void)b;
    return NULL;
}

#endif
