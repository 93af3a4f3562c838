/* Cotangents of functions element by element: see pointwise.h.
 *
 * The loops store what they compute in a buffer of their own, which is then copied to the result: so compilers may use
 * vectors of numbers though the result can be g itself. What is chosen from is computed before, for the same reason.
 */
#include "arrays/pointwise.h"

#include <string.h>

#include "arrays/forms.h"

/* Arrays */

/* Returns whether g is an array of NumPy's with floats or doubles in a row. */
static bool is_plain(const Passed *passed) {
    if (!is_numpy(passed->g) || !is_plain_row(passed->g)) return false;
    const char letter = dtype_of(passed->g)->letter;
    return letter == 'f' || letter == 'd';
}

/* Returns whether an array has g's shape and dtype, and its elements in a row. */
static bool is_beside(const Passed *passed, PyObject *array) {
    return array && is_numpy(array) && same_form(passed->c, passed->g, array) && is_plain_row(array);
}

/* Returns an array for the result, a new reference: g itself if it may be changed. */
static PyObject *room(const Passed *passed) {
    PyObject *made = passed->disposable ? Py_NewRef(passed->g) : PyNumber_Positive(passed->g);
    if (made && (!is_numpy(made) || !is_plain_row(made))) Py_CLEAR(made);
    return made;
}

static void *data_of(PyObject *array) { return numpy_of(array)->data; }

/* Loops */

enum { CHUNK = 64 }; /* how many numbers are computed at once */

/* Computes the Numbers z, of `count`: the statements given compute made[i] of the numbers at `at`. */
#define LOOP(...)                                                                                              \
    Number made[CHUNK];                                                                                        \
    Py_ssize_t start = 0;                                                                                      \
    for (; start + CHUNK <= count; start += CHUNK) {                                                           \
        for (int i = 0; i < CHUNK; i++) {                                                                      \
            const Py_ssize_t at = start + i;                                                                   \
            __VA_ARGS__                                                                                        \
        }                                                                                                      \
        memcpy(z + start, made, sizeof made);                                                                  \
    }                                                                                                          \
    const int rest = (int)(count - start);                                                                     \
    for (int i = 0; i < rest; i++) {                                                                           \
        const Py_ssize_t at = start + i;                                                                       \
        __VA_ARGS__                                                                                            \
    }                                                                                                          \
    memcpy(z + start, made, (size_t)rest * sizeof *made);

/* Calls a loop for the numbers of an array. */
#define OVER(LOOPS, ARRAY, ...)                                                                                \
    (dtype_of(ARRAY)->letter == 'f' ? LOOPS##_float(count_of(ARRAY), __VA_ARGS__)                              \
                                    : LOOPS##_double(count_of(ARRAY), __VA_ARGS__))

/* The greater and the lesser */

#define PART                                                                                                   \
    const Number all = g[at], half = (Number)0.5 * all, equal = a == b ? half : 0;                             \
    made[i] = a > b ? all : equal;

#define BEYOND(NUMBER)                                                                                         \
    static void beyond_##NUMBER(Py_ssize_t count, const NUMBER *g, const NUMBER *x, const NUMBER *y, NUMBER *z) { \
        typedef NUMBER Number;                                                                                 \
        LOOP(const Number a = x[at], b = y[at]; PART)                                                          \
    }                                                                                                          \
    static void beyond_number_##NUMBER(Py_ssize_t count, const NUMBER *g, const NUMBER *x, double y, double sign, \
                                       NUMBER *z) {                                                            \
        typedef NUMBER Number;                                                                                 \
        const Number way = (Number)sign, b = way * (Number)y;                                                  \
        LOOP(const Number a = way * x[at]; PART)                                                               \
    }
BEYOND(float)
BEYOND(double)

PyObject *passed_beyond(const Passed *passed, PyObject *own, PyObject *other, bool greater) {
    const bool number = PyFloat_CheckExact(other);
    if (!is_plain(passed) || !is_beside(passed, own) || (!number && !is_beside(passed, other))) return NULL;
    PyObject *made = room(passed);
    if (!made) return NULL;
    const void *const g = data_of(passed->g), *const x = data_of(own);
    void *const z = data_of(made);
    if (number)
        OVER(beyond_number, made, g, x, PyFloat_AS_DOUBLE(other), greater ? 1.0 : -1.0, z);
    else if (greater)
        OVER(beyond, made, g, x, data_of(other), z);
    else
        OVER(beyond, made, g, data_of(other), x, z);
    return made;
}

/* Choices */

#define WHERE(NUMBER)                                                                                          \
    static void where_##NUMBER(Py_ssize_t count, const NUMBER *g, const unsigned char *y, bool value, NUMBER *z) { \
        typedef NUMBER Number;                                                                                 \
        LOOP(const Number all = g[at]; made[i] = (y[at] != 0) == value ? all : 0;)                             \
    }
WHERE(float)
WHERE(double)

PyObject *passed_where(const Passed *passed, PyObject *condition, bool value) {
    if (!is_plain(passed) || !is_numpy(condition) || !same_shape(passed->c, passed->g, condition)) return NULL;
    if (!is_plain_row(condition) && !(numpy_of(condition)->flags & C_CONTIGUOUS)) return NULL;
    if (dtype_of(condition)->letter != '?') return NULL;
    PyObject *made = room(passed);
    if (made) OVER(where, made, data_of(passed->g), data_of(condition), value, data_of(made));
    return made;
}

/* Slopes: x and r are the operand and the result, K makes a constant. */

#define SLOPE_OF(NAME, NUMBER, SINGULAR, TEXT)                                                                 \
    static void NAME##_##NUMBER(Py_ssize_t count, const NUMBER *g, const NUMBER *of_x, const NUMBER *of_r, NUMBER *z) { \
        typedef NUMBER Number;                                                                                 \
        LOOP(const Number x = of_x[at], r = of_r[at], all = g[at], product = all * (TEXT); (void)x; (void)r;   \
             made[i] = (SINGULAR) && all == 0 ? 0 : product;)                                                  \
    }
#define K(CONSTANT) ((Number)(CONSTANT))
#define SLOPE(NAME, SINGULAR, READS_OPERAND, READS_RESULT, TEXT)                                               \
    SLOPE_OF(NAME, float, SINGULAR, TEXT)                                                                      \
    SLOPE_OF(NAME, double, SINGULAR, TEXT)
#include "scalars/scalars.def"
#undef SLOPE

typedef void OverFloats(Py_ssize_t count, const float *g, const float *x, const float *r, float *z);
typedef void OverDoubles(Py_ssize_t count, const double *g, const double *x, const double *r, double *z);

static const struct Slope {
    const char *name;
    bool reads_operand, reads_result;
    OverFloats *over_floats;
    OverDoubles *over_doubles;
} SLOPES[] = {
#define SLOPE(NAME, SINGULAR, READS_OPERAND, READS_RESULT, TEXT)                                               \
    {#NAME, READS_OPERAND, READS_RESULT, NAME##_float, NAME##_double},
#include "scalars/scalars.def"
};

int slope_named(const char *name) {
    for (int i = 0; i < (int)(sizeof SLOPES / sizeof *SLOPES); i++)
        if (strcmp(SLOPES[i].name, name) == 0) return i;
    return -1;
}

PyObject *times_slope(const Passed *passed, int slope, PyObject *operand, PyObject *result) {
    const struct Slope *found = &SLOPES[slope];
    if (!is_plain(passed)) return NULL;
    if (found->reads_operand && !is_beside(passed, operand)) return NULL;
    if (found->reads_result && !is_beside(passed, result)) return NULL;
    PyObject *made = room(passed);
    if (!made) return NULL;
    const void *const g = data_of(passed->g);
    const void *const x = found->reads_operand ? data_of(operand) : g; /* something, where it is not read */
    const void *const r = found->reads_result ? data_of(result) : g;
    if (dtype_of(made)->letter == 'f')
        found->over_floats(count_of(made), g, x, r, data_of(made));
    else
        found->over_doubles(count_of(made), g, x, r, data_of(made));
    return made;
}
