/* Functions of arrays that are applied and reversed without Python code: see operators.h. */
#include "arrays/operators.h"

#include <string.h>

#include "arrays/forms.h"

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

static PyObject *add(PyObject *const *x) { return PyNumber_Add(x[0], x[1]); }
static PyObject *subtract(PyObject *const *x) { return PyNumber_Subtract(x[0], x[1]); }
static PyObject *multiply(PyObject *const *x) { return PyNumber_Multiply(x[0], x[1]); }
static PyObject *divide(PyObject *const *x) { return PyNumber_TrueDivide(x[0], x[1]); }
static PyObject *negative(PyObject *const *x) { return PyNumber_Negative(x[0]); }

static PyObject *of_sum(const Reversed *r, Py_ssize_t position) { return position < 2 ? Py_NewRef(r->g) : NULL; }

static PyObject *of_difference(const Reversed *r, Py_ssize_t position) {
    return position == 0 ? Py_NewRef(r->g) : PyNumber_Negative(r->g);
}

static PyObject *of_product(const Reversed *r, Py_ssize_t position) {
    return combined(r, r->operands[1 - position], PyNumber_Multiply, PyNumber_InPlaceMultiply);
}

static PyObject *of_quotient(const Reversed *r, Py_ssize_t position) {
    if (position == 0) return combined(r, r->operands[1], PyNumber_TrueDivide, PyNumber_InPlaceTrueDivide);
    return NULL;
}

static PyObject *of_negative(const Reversed *r, Py_ssize_t position) {
    return position == 0 ? PyNumber_Negative(r->g) : NULL;
}

static const Operator OPERATORS[] = {
    {"add", add, of_sum},
    {"subtract", subtract, of_difference},
    {"multiply", multiply, of_product},
    {"divide", divide, of_quotient},
    {"negative", negative, of_negative},
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
    if (!now.disposable && !same_shape(r->c, r->g, like)) return NULL;
    PyObject *found = operator->reverse(&now, position);
    if (!found) PyErr_Clear(); /* the rule raises it */
    if (found && same_form(r->c, found, like)) return found;
    Py_XDECREF(found);
    return NULL;
}
