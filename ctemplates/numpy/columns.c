/* Loops over rows of a few doubles: see columns.h. */
#include "numpy/columns.h"

#include <fenv.h>

#include "numpy/elements.h"
#include "numpy/layout.h"

enum { SPACE = 3, MOST_AXES_HERE = 8, MOST_COLUMNS = 16, MANY_ROWS = 128 };
enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy may warn of */

/* Cross products */

/* Returns whether a product has a NaN. */
static bool set_cross_products(const double *a, const double *b, Py_ssize_t count, double *restrict to) {
    bool has_nan = false;
    for (Py_ssize_t i = 0; i < count; i++, a += SPACE, b += SPACE, to += SPACE) {
        const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
        has_nan |= (x != x) | (y != y) | (z != z);
        to[0] = x, to[1] = y, to[2] = z;
    }
    return has_nan;
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
    const bool has_nan = set_cross_products(doubles_of(a), doubles_of(b), count / SPACE, doubles_of(made));
    if (fetestexcept(WARNED) || has_nan) Py_CLEAR(made);
    return made;
}

/* Sums, differences, products and quotients */

/* The operands of a row: where it begins in both of them, and how far the next one is. */
typedef struct Operands {
    const char *a, *b;
    Py_ssize_t next_a, next_b;
} Operands;

/* Sets rows of WIDTH elements, and returns whether an operand has a NaN: the one with an element for a row, or the first.
 * STEP_A, STEP_B: 1, or 0 where one element is that of a whole row. The result may be the first operand. */
#define SET_ROWS(SIGN, WIDTH, STEP_A, STEP_B)                                                                  \
    for (; count; count--, to += (WIDTH), o.a += o.next_a, o.b += o.next_b) {                                  \
        const double *a = (const double *)(const void *)o.a, *b = (const double *)(const void *)o.b;           \
        const double *asked = (STEP_B) ? a : b;                                                                \
        double row[WIDTH];                                                                                     \
        for (int j = 0; j < ((STEP_A) && (STEP_B) ? (WIDTH) : 1); j++) has_nan |= asked[j] != asked[j];        \
        for (int j = 0; j < (WIDTH); j++) row[j] = a[j * (STEP_A)] SIGN b[j * (STEP_B)];                       \
        for (int j = 0; j < (WIDTH); j++) to[j] = row[j];                                                      \
    }

#define SET_ROWS_OF(SIGN, WIDTH)                                                                               \
    if (steps == BOTH)                                                                                         \
        SET_ROWS(SIGN, WIDTH, 1, 1)                                                                            \
    else if (steps == FIRST)                                                                                   \
        SET_ROWS(SIGN, WIDTH, 1, 0)                                                                            \
    else                                                                                                       \
        SET_ROWS(SIGN, WIDTH, 0, 1)

enum { FIRST = 1, SECOND = 2, BOTH = FIRST | SECOND }; /* operands with elements of their own in each row */

#define ROWS_FUNCTION(NAME, SIGN)                                                                              \
    static bool NAME(Operands o, int steps, Py_ssize_t count, Py_ssize_t width, double *to) {                  \
        bool has_nan = false;                                                                                  \
        if (width == 2) {                                                                                      \
            SET_ROWS_OF(SIGN, 2)                                                                               \
        } else {                                                                                               \
            SET_ROWS_OF(SIGN, 3)                                                                               \
        }                                                                                                      \
        return has_nan;                                                                                        \
    }

ROWS_FUNCTION(set_sums, +)
ROWS_FUNCTION(set_differences, -)
ROWS_FUNCTION(set_products, *)
ROWS_FUNCTION(set_quotients, /)

typedef bool Setting(Operands o, int steps, Py_ssize_t count, Py_ssize_t width, double *to);
static Setting *const SETTINGS[KERNEL_COUNT] = {
    [ADDING] = set_sums, [SUBTRACTING] = set_differences, [MULTIPLYING] = set_products, [DIVIDING] = set_quotients};

/* Returns whether an operand is one row for all of the other one, whose rows follow one another. */
static bool has_one_row(const Places *p) {
    const Py_ssize_t next = p->shape[1] * (Py_ssize_t)sizeof(double);
    return (!p->strides[0][0] && p->strides[0][1] == next) || (!p->strides[0][1] && p->strides[0][0] == next);
}

bool are_few_columns(const Places *p, Kernel kernel) {
    if (p->axes != 2 || p->width != DOUBLE || !SETTINGS[kernel] || p->shape[1] < 2 || p->shape[1] > SPACE) return false;
    for (int k = 0; k < 2; k++)
        if (p->strides[1][k] != 0 && p->strides[1][k] != sizeof(double)) return false;
    if (!p->strides[1][0] && !p->strides[1][1]) return false; /* a result of repeated elements */
    if (p->shape[0] >= MANY_ROWS && has_one_row(p)) return false; /* which is put beside itself once, and serves all rows */
    return p->strides[1][2] == sizeof(double) && p->strides[0][2] == p->shape[1] * (Py_ssize_t)sizeof(double);
}

bool set_few_columns(const Places *p, Kernel kernel) {
    const int steps = (p->strides[1][0] ? FIRST : 0) | (p->strides[1][1] ? SECOND : 0);
    const Operands o = {p->at[0], p->at[1], p->strides[0][0], p->strides[0][1]};
    return SETTINGS[kernel](o, steps, p->shape[0], p->shape[1], (double *)(void *)p->at[2]);
}

/* Divisors */

bool add_divisors(const double *g, const double *z, const double *y, Py_ssize_t rows, Py_ssize_t width, double *to) {
    bool has_nan = false;
    for (Py_ssize_t i = 0; i < rows; i++, g += width, z += width) {
        double sum = -(g[0] * z[0] / y[i]) + -(g[1] * z[1] / y[i]);
        if (width == 3) sum += -(g[2] * z[2] / y[i]);
        to[i] = sum + 0.0;
        has_nan |= sum != sum;
    }
    return has_nan;
}

/* Additions in place */

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
