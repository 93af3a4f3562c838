/* Functions of arrays that are applied and reversed without Python code: see operators.h. */
#include "arrays/operators.h"

#include <string.h>

#include "arrays/forms.h"
#include "arrays/pointwise.h"
#include "arrays/reductions.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "numpy/joining.h"
#include "numpy/kernels.h"
#include "numpy/passes.h"
#include "numpy/sums.h"

/* Helpers */

/* Returns whether two operands can be combined without a change of g's shape and dtype: the other one is a number of
 * Python, or an array of the same form. */
static bool fits(const Reversed *r, PyObject *other) {
    if (PyFloat_CheckExact(other)) return true;
    return is_library_array(r->c, other) && (r->form || same_noted_form(r->c, r->forms, r->g, other));
}

/* Returns g combined with another operand of its rule, in place if that is possible. */
static PyObject *combined(const Reversed *r, PyObject *other, binaryfunc function, binaryfunc in_place) {
    if (!PyFloat_CheckExact(other) && !is_library_array(r->c, other)) return NULL; /* its elements were not kept */
    return (r->disposable && fits(r, other) ? in_place : function)(r->g, other);
}

/* Rows */

#define APPLY(NAME) static PyObject *NAME(const ArrayClasses *c, PyObject *const *x, Py_ssize_t count)
#define UNUSED_HERE (void)c, (void)count

/* Returns what Python's function of two operands returns, by NumPy's kernel where there is one. */
static PyObject *applied_to_two(Kernel kernel, PyObject *const *x, binaryfunc function) {
    PyObject *made = is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(kernel, x) : NULL;
    return made ? made : function(x[0], x[1]);
}

APPLY(add) { return UNUSED_HERE, applied_to_two(ADDING, x, PyNumber_Add); }
APPLY(subtract) { return UNUSED_HERE, applied_to_two(SUBTRACTING, x, PyNumber_Subtract); }
APPLY(multiply) { return UNUSED_HERE, applied_to_two(MULTIPLYING, x, PyNumber_Multiply); }

/* Not of a number by an array: libraries do not always divide then. */
APPLY(divide) { return UNUSED_HERE, PyFloat_Check(x[0]) ? NULL : applied_to_two(DIVIDING, x, PyNumber_TrueDivide); }

APPLY(negative) {
    PyObject *made = is_numpy(x[0]) ? kernel_result(NEGATING, x) : NULL;
    return UNUSED_HERE, made ? made : PyNumber_Negative(x[0]);
}

static PyObject *of_sum(const Reversed *r, Py_ssize_t position) { return position < 2 ? Py_NewRef(r->g) : NULL; }

/* What was broadcast is summed before its sign changes: the sum is smaller. */
static PyObject *of_difference(const Reversed *r, Py_ssize_t position) {
    if (position == 0) return Py_NewRef(r->g);
    if (r->form) return negative_of(r->g);
    PyObject *summed = unbroadcast(r->c, r->g, r->operands[1]);
    PyObject *found = summed ? negative_of(summed) : NULL;
    Py_XDECREF(summed);
    return found;
}

static PyObject *of_product(const Reversed *r, Py_ssize_t position) {
    return combined(r, r->operands[1 - position], product_of, product_in_place);
}

/* Returns -(g * z / y), for the quotient z by y. */
static PyObject *of_divisor(const Reversed *r) {
    PyObject *y = r->operands[1], *z = r->result;
    if (!z || !is_library_array(r->c, z) || !is_library_array(r->c, y)) return NULL;
    PyObject *product = combined(r, z, product_of, product_in_place);
    if (!product) return NULL;
    PyObject *quotient = (same_dtype(r->c, product, y) ? quotient_in_place : quotient_of)(product, y);
    Py_DECREF(product);
    PyObject *found = quotient ? negative_of(quotient) : NULL;
    Py_XDECREF(quotient);
    return found;
}

static PyObject *of_quotient(const Reversed *r, Py_ssize_t position) {
    if (position == 0) return combined(r, r->operands[1], quotient_of, quotient_in_place);
    return of_divisor(r);
}

static PyObject *of_negative(const Reversed *r, Py_ssize_t position) {
    return position == 0 ? negative_of(r->g) : NULL;
}

/* Matrices */

APPLY(matmul) {
    return UNUSED_HERE, PyFloat_Check(x[0]) || PyFloat_Check(x[1]) ? NULL : PyNumber_MatrixMultiply(x[0], x[1]);
}

/* Returns the products of all elements of g with all of a row. */
static PyObject *outer_product(const Reversed *r, PyObject *row) {
    PyObject *column = Py_BuildValue("(ii)", -1, 1);
    PyObject *const arguments[] = {r->g, column};
    PyObject *turned = column ? PyObject_VectorcallMethod(r->c->reshape, arguments, 2, NULL) : NULL;
    PyObject *found = turned ? product_of(turned, row) : NULL;
    Py_XDECREF(turned);
    Py_XDECREF(column);
    return found;
}

/* Of a matrix and a matrix, or a matrix and a vector. */
static PyObject *of_matrices(const Reversed *r, Py_ssize_t position) {
    PyObject *other = r->operands[1 - position];
    if (!is_library_array(r->c, other)) return NULL;
    const int64_t own = noted_axes(r->c, r->forms, r->operands[position]), axes = noted_axes(r->c, r->forms, other);
    if (own == 2 && axes == 1 && position == 0) return outer_product(r, other);
    if (own == 1 && axes == 2 && position == 1) return PyNumber_MatrixMultiply(r->g, other);
    if (own != 2 || axes != 2) return NULL;
    PyObject *turned = PyObject_GetAttr(other, r->c->mT), *found = NULL;
    if (turned) found = position ? PyNumber_MatrixMultiply(turned, r->g) : PyNumber_MatrixMultiply(r->g, turned);
    Py_XDECREF(turned);
    return found;
}

/* Choices */

APPLY(greater) { return UNUSED_HERE, is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(GREATER, x) : NULL; }

APPLY(lesser) { return UNUSED_HERE, is_numpy(x[0]) || is_numpy(x[1]) ? kernel_result(LESSER, x) : NULL; }

static PyObject *of_extreme(const Reversed *r, Py_ssize_t position, bool greater_one) {
    const Passed passed = {.c = r->c, .g = r->g, .disposable = r->disposable};
    return passed_beyond(&passed, r->operands[position], r->operands[1 - position], greater_one);
}

static PyObject *of_greater(const Reversed *r, Py_ssize_t position) { return of_extreme(r, position, true); }

static PyObject *of_lesser(const Reversed *r, Py_ssize_t position) { return of_extreme(r, position, false); }

static PyObject *of_choice(const Reversed *r, Py_ssize_t position) {
    const Passed passed = {.c = r->c, .g = r->g, .disposable = r->disposable};
    return position ? passed_where(&passed, r->operands[0], position == 1) : NULL;
}

/* Elements */

APPLY(element) {
    const double *found = array_element(x[0], x[1]);
    return UNUSED_HERE, found ? new_scalar(*found) : NULL;
}

/* Of a nested list alone: other operands say how else the array is made. */
APPLY(array_of_parts) {
    for (Py_ssize_t i = 1; i < count; i++)
        if (x[i] != Py_None && !(PyLong_CheckExact(x[i]) && PyLong_AsLong(x[i]) == 0)) return NULL;
    return UNUSED_HERE, array_of_nest(x[0]);
}

/* Leaves a cotangent to the rule. */
static PyObject *by_rule(const Reversed *r, Py_ssize_t position) { return (void)r, (void)position, NULL; }

/* Sums, and other shapes */

APPLY(sum) { return reduced_sum(&(Reduction){.c = c, .operands = x, .count = count}); }

APPLY(mean) { return reduced_mean(&(Reduction){.c = c, .operands = x, .count = count}); }

static PyObject *of_total(const Reversed *r, Py_ssize_t position) {
    const Reduction reduction = {.c = r->c, .operands = r->operands, .count = r->count};
    return position == 0 ? repeated(&reduction, r->g) : NULL;
}

static PyObject *of_mean(const Reversed *r, Py_ssize_t position) {
    const Reduction reduction = {.c = r->c, .operands = r->operands, .count = r->count};
    const Py_ssize_t count = position == 0 ? elements_to_one(&reduction) : 0;
    PyObject *number = count ? PyLong_FromSsize_t(count) : NULL;
    PyObject *share = number ? PyNumber_TrueDivide(r->g, number) : NULL;
    PyObject *found = share ? repeated(&reduction, share) : NULL;
    Py_XDECREF(share);
    Py_XDECREF(number);
    return found;
}

/* Extremes, of an array, an axis, and whether axes of length 1 stay */

static bool has_axis(PyObject *const *x, Py_ssize_t count) { return count > 1 && x[1] != Py_None; }

static PyObject *extreme(PyObject *const *x, Py_ssize_t count, bool greatest) {
    const bool keeps = count > 2 && x[2] != Py_False;
    return !keeps && !has_axis(x, count) ? extreme_of_few(x[0], greatest) : NULL;
}

APPLY(greatest) { return UNUSED_HERE, extreme(x, count, true); }

APPLY(least) { return UNUSED_HERE, extreme(x, count, false); }

static PyObject *of_shares(const Reversed *r, Py_ssize_t position) {
    PyObject *array = r->operands[0];
    if (position || !is_numpy(array) || !r->result) return NULL;
    const bool along = has_axis(r->operands, r->count);
    const int axis = along ? only_axis(array, r->operands[1]) : -1;
    if (along && axis < 0) return NULL;
    return shared_by_extremes(array, axis, r->result, r->g);
}

static PyObject *of_shape(const Reversed *r, Py_ssize_t position) {
    PyObject *shape = position == 0 ? shape_as_tuple(r->c, r->operands[0]) : NULL;
    PyObject *const arguments[] = {r->g, shape};
    PyObject *found = shape ? PyObject_VectorcallMethod(r->c->reshape, arguments, 2, NULL) : NULL;
    Py_XDECREF(shape);
    return found;
}

static const Operator OPERATORS[] = {
    [ADD_OPERATOR] = {"add", add, of_sum, OF_RESULT},
    [SUBTRACT_OPERATOR] = {"subtract", subtract, of_difference, OF_RESULT},
    [MULTIPLY_OPERATOR] = {"multiply", multiply, of_product, OF_RESULT},
    [DIVIDE_OPERATOR] = {"divide", divide, of_quotient, OF_RESULT},
    [NEGATIVE_OPERATOR] = {"negative", negative, of_negative, OF_RESULT},
    [ELEMENT_OPERATOR] = {"element", element, by_rule, OF_OPERAND},
    [SLICE_OPERATOR] = {"slice", NULL, by_rule, OF_OPERAND},
    [SET_OPERATOR] = {"set-element", NULL, by_rule, OF_OPERAND},
    [ARRAY_OPERATOR] = {"array", array_of_parts, of_shape, OF_PARTS},
    [OTHER_OPERATORS] = {"matmul", matmul, of_matrices, OF_OPERAND},
    {"maximum", greater, of_greater, OF_RESULT},
    {"minimum", lesser, of_lesser, OF_RESULT},
    {"where", NULL, of_choice, OF_RESULT},
    {"sum", sum, of_total, A_VIEW},
    {"mean", mean, of_mean, A_VIEW},
    {"max", greatest, of_shares, OF_OPERAND},
    {"min", least, of_shares, OF_OPERAND},
    {"reshape", NULL, of_shape, A_VIEW},
};

enum { OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS };

int operator_named(const char *name) {
    for (int i = NO_OPERATOR + 1; i < OPERATOR_COUNT; i++)
        if (strcmp(OPERATORS[i].name, name) == 0) return i;
    return slope_named(name) < 0 ? NO_OPERATOR : OPERATOR_COUNT + slope_named(name);
}

const Operator *operator_at(int64_t number) {
    return number && number < OPERATOR_COUNT ? &OPERATORS[number] : NULL;
}

bool keeps_form(int64_t number) {
    const Operator *row = operator_at(number);
    return number && (!row || row->returns == OF_RESULT);
}

/* Returns what a row, or a slope, gives for an operand. */
static PyObject *by_number(int64_t number, const Reversed *r, Py_ssize_t position) {
    const Operator *row = operator_at(number);
    if (row) return row->reverse(r, position);
    const Passed passed = {.c = r->c, .g = r->g, .disposable = r->disposable};
    return times_slope(&passed, (int)(number - OPERATOR_COUNT), r->operands[0], r->result);
}

/* Returns a Like as the form of what has been found to have it; NULL of an array. */
static PyObject *form_like(const ArrayClasses *c, PyObject *like) { return Py_IS_TYPE(like, c->like) ? like : NULL; }

/* Returns the sums of the cotangents of what was broadcast along a short last axis, which are nowhere themselves: of a factor
 * or a divisor; NULL: they are to be computed. */
static PyObject *summed_at_once(int64_t number, const Reversed *r, Py_ssize_t position) {
    if (number != MULTIPLY_OPERATOR && (number != DIVIDE_OPERATOR || position == 0)) return NULL;
    if (!is_broadcast_along_short(r->c, r->g, r->operands[position])) return NULL;
    if (number == DIVIDE_OPERATOR) return r->result ? sum_of_divisors(r->g, r->result, r->operands[1]) : NULL;
    return sum_of_products(r->g, r->operands[1 - position], true);
}

/* Returns the cotangent that a row, or a slope, gives, summed where the operand was broadcast, but not looked at further;
 * NULL: none. */
static PyObject *unchecked(int64_t number, const Reversed *r, Py_ssize_t position, bool sums) {
    PyObject *found = sums ? summed_at_once(number, r, position) : NULL;
    if (found) return found;
    forget_exception();
    found = by_number(number, r, position);
    if (found && sums) Py_SETREF(found, unbroadcast(r->c, found, r->operands[position]));
    if (!found) forget_exception(); /* the rule raises it */
    return found;
}

/* Returns whether an object is a scalar of NumPy's, but no double: the product of two complex ones by an operator of
 * Python's is rounded otherwise than by NumPy's function, which rules call. */
static bool is_other_scalar(PyObject *g) { return !is_numpy(g) && !is_scalar(g) && is_scalar_type(Py_TYPE(g)); }

Given operator_cotangent(int64_t number, const Reversed *r, Py_ssize_t position) {
    PyObject *like = r->operands[position];
    if (!number || !is_library_array(r->c, r->g) || PyFloat_CheckExact(like)) return (Given){0};
    if (is_other_scalar(r->g)) return (Given){0};
    const Operator *row = operator_at(number);
    const Returns returns = row ? row->returns : OF_RESULT;
    const bool same = r->form || same_noted_form(r->c, r->forms, r->g, like);
    Reversed now = *r;
    now.disposable = r->disposable && same;
    Given given = {.array = unchecked(number, &now, position, returns == OF_RESULT && !same)};
    if (!given.array) return given;
    given.form = r->form ? r->form : form_like(r->c, like);
    const bool is_g = given.array == r->g, is_alike = (is_g && same) || (returns == OF_RESULT && r->form);
    const bool has_shape = is_alike || (returns == OF_RESULT && same) || same_shape(r->c, given.array, like);
    if (!has_shape || !(is_alike || has_noted_dtype(r->c, r->forms, given.array, like))) {
        Py_DECREF(given.array);
        return (Given){0};
    }
    PyObject *known = given.form ? given.form : like;
    given.is_new = returns != A_VIEW && returns != OF_PARTS && !is_g && noted_axes(r->c, r->forms, known) > 0;
    return given;
}
