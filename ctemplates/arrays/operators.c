/* Functions of arrays that are applied and reversed without Python code: see operators.h. */
#include "arrays/operators.h"

#include <string.h>

#include "arrays/forms.h"
#include "arrays/kernels.h"

/* Helpers */

/* Returns whether two operands can be combined without a change of g's shape and dtype: the other one is a number of
 * Python, or an array of the same form. */
static bool fits(const Reversed *r, PyObject *other) {
    return PyFloat_CheckExact(other) || (is_library_array(r->c, other) && same_form(r->c, r->g, other));
}

/* Returns g combined with another operand of its rule, in place if that is possible. */
static PyObject *combined(const Reversed *r, PyObject *other, binaryfunc function, binaryfunc in_place) {
    if (!PyFloat_CheckExact(other) && !is_library_array(r->c, other)) return NULL; /* its elements were not kept */
    return (r->disposable && fits(r, other) ? in_place : function)(r->g, other);
}

/* Rows */

/* Returns what Python's function of two operands returns, by NumPy's kernel where there is one. */
static PyObject *applied_to_two(Kernel kernel, PyObject *const *x, binaryfunc function) {
    PyObject *made = is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(kernel, x) : NULL;
    return made ? made : function(x[0], x[1]);
}

static PyObject *add(PyObject *const *x) { return applied_to_two(ADDING, x, PyNumber_Add); }
static PyObject *subtract(PyObject *const *x) { return applied_to_two(SUBTRACTING, x, PyNumber_Subtract); }
static PyObject *multiply(PyObject *const *x) { return applied_to_two(MULTIPLYING, x, PyNumber_Multiply); }

/* Not of a number by an array: libraries do not always divide then. */
static PyObject *divide(PyObject *const *x) {
    return PyFloat_Check(x[0]) ? NULL : applied_to_two(DIVIDING, x, PyNumber_TrueDivide);
}

static PyObject *negative(PyObject *const *x) {
    PyObject *made = is_numpy(x[0]) ? kernel_result(NEGATING, x) : NULL;
    return made ? made : PyNumber_Negative(x[0]);
}

static PyObject *of_sum(const Reversed *r, Py_ssize_t position) { return position < 2 ? Py_NewRef(r->g) : NULL; }

static PyObject *of_difference(const Reversed *r, Py_ssize_t position) {
    return position == 0 ? Py_NewRef(r->g) : negative_of(r->g);
}

static PyObject *of_product(const Reversed *r, Py_ssize_t position) {
    return combined(r, r->operands[1 - position], product_of, product_in_place);
}

static PyObject *of_quotient(const Reversed *r, Py_ssize_t position) {
    if (position == 0) return combined(r, r->operands[1], quotient_of, quotient_in_place);
    return NULL;
}

static PyObject *of_negative(const Reversed *r, Py_ssize_t position) {
    return position == 0 ? negative_of(r->g) : NULL;
}

/* Matrices */

static PyObject *matmul(PyObject *const *x) {
    return PyFloat_Check(x[0]) || PyFloat_Check(x[1]) ? NULL : PyNumber_MatrixMultiply(x[0], x[1]);
}

static PyObject *of_matrices(const Reversed *r, Py_ssize_t position) {
    PyObject *other = r->operands[1 - position];
    if (!is_library_array(r->c, other) || axes_of(r->c, other) != 2) return NULL;
    if (axes_of(r->c, r->operands[position]) != 2) return NULL;
    PyObject *turned = PyObject_GetAttr(other, r->c->mT), *found = NULL;
    if (turned) found = position ? PyNumber_MatrixMultiply(turned, r->g) : PyNumber_MatrixMultiply(r->g, turned);
    Py_XDECREF(turned);
    return found;
}

/* The greater and the lesser */

static PyObject *greater(PyObject *const *x) {
    return is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(GREATER, x) : NULL;
}

static PyObject *lesser(PyObject *const *x) {
    return is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(LESSER, x) : NULL;
}

/* Passes on g where one operand is beyond the other, half of it where they are equal, elsewhere 0. step: 0 if the other
 * operand is one number. */
#define GATE(NAME, NUMBER)                                                                                     \
    static void NAME(Py_ssize_t count, const void *from, const void *own, const void *other, int step, bool greater, \
                     void *to) {                                                                 \
        const NUMBER *g = from, *x = own, *y = other;                                                          \
        NUMBER *z = to;                                                                                        \
        for (Py_ssize_t i = 0; i < count; i++) {                                                               \
            const NUMBER a = greater ? x[i] : y[i * step], b = greater ? y[i * step] : x[i];                    \
            z[i] = a > b ? g[i] : a == b ? (NUMBER)0.5 * g[i] : 0;                                           \
        }                                                                                                      \
    }
GATE(gate_floats, float)
GATE(gate_doubles, double)

/* Returns the cotangent of an operand of the greater, or the lesser, of two. */
static PyObject *gated(const Reversed *r, Py_ssize_t position, bool greater) {
    PyObject *own = r->operands[position], *other = r->operands[1 - position];
    if (!is_numpy(r->g) || !is_numpy(own) || !same_form(r->c, r->g, own)) return NULL;
    if (!is_plain_row(r->g) || !is_plain_row(own)) return NULL;
    const char letter = dtype_of(own)->letter;
    const bool number = PyFloat_CheckExact(other);
    if (letter != 'f' && letter != 'd') return NULL;
    if (!number && !(is_numpy(other) && same_form(r->c, own, other) && is_plain_row(other))) return NULL;
    PyObject *made = r->disposable ? Py_NewRef(r->g) : PyNumber_Positive(r->g);
    if (!made || !is_numpy(made) || !is_plain_row(made)) {
        Py_XDECREF(made);
        return NULL;
    }
    const double real = number ? PyFloat_AS_DOUBLE(other) : 0.0;
    const float narrow = (float)real;
    const void *const one = letter == 'f' ? (const void *)&narrow : (const void *)&real;
    const void *const compared = number ? one : numpy_of(other)->data;
    (letter == 'f' ? gate_floats : gate_doubles)(count_of(own), numpy_of(r->g)->data, numpy_of(own)->data, compared, !number,
                                                 greater, numpy_of(made)->data);
    return made;
}

static PyObject *of_greater(const Reversed *r, Py_ssize_t position) {
    return gated(r, position, true);
}

static PyObject *of_lesser(const Reversed *r, Py_ssize_t position) {
    return gated(r, position, false);
}

static const Operator OPERATORS[] = {
    {"add", add, of_sum, true},
    {"subtract", subtract, of_difference, true},
    {"multiply", multiply, of_product, true},
    {"divide", divide, of_quotient, true},
    {"negative", negative, of_negative, true},
    {"matmul", matmul, of_matrices, false},
    {"maximum", greater, of_greater, true},
    {"minimum", lesser, of_lesser, true},
};

enum { OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS };

int operator_named(const char *name) {
    for (int i = 0; i < OPERATOR_COUNT; i++)
        if (strcmp(OPERATORS[i].name, name) == 0) return i + 1;
    return 0;
}

const Operator *operator_at(int64_t number) { return number ? &OPERATORS[number - 1] : NULL; }

PyObject *operator_cotangent(const Operator *operator, const Reversed *r, Py_ssize_t position) {
    PyObject *like = r->operands[position];
    if (!operator || !is_library_array(r->c, r->g) || PyFloat_CheckExact(like)) return NULL;
    Reversed now = *r;
    now.disposable = r->disposable && same_form(r->c, r->g, like);
    if (operator->elementwise && !now.disposable && !same_shape(r->c, r->g, like)) return NULL; /* it was broadcast */
    PyObject *found = operator->reverse(&now, position);
    if (!found) PyErr_Clear(); /* the rule raises it */
    if (found == r->g && now.disposable) return found; /* whose form is known */
    if (found && (operator->elementwise || same_shape(r->c, found, like)) && same_dtype(r->c, found, like)) return found;
    Py_XDECREF(found);
    return NULL;
}
