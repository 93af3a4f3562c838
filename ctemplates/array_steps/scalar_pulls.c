/* The reversal of steps on NumPy's scalars: see scalar_pulls.h. */
#include "array_steps/scalar_pulls.h"

#include <math.h>

#include "arrays/accumulators.h"
#include "arrays/handles.h"
#include "numpy/elements.h"
#include "program/value.h"

/* Accumulators */

bool takes_scalar(const Pull *p, const Value *accumulator) {
    if (accumulator->tag == REAL) return true;
    PyObject *python = accumulator_in(p->c, *accumulator);
    double real;
    PyObject *array = python ? *slot_of(python, p->c->accumulator_array) : NULL;
    return array && only_element(array, &real);
}

/* Gives an accumulator that has received nothing its first cotangent. */
static bool begin_scalar(Pull *p, Value *accumulator, double cotangent) {
    const ArrayClasses *c = p->c;
    p->made = new_handle(c, c->accumulator);
    PyObject *scalar = p->made ? new_scalar(cotangent) : NULL;
    if (!scalar) return false;
    *slot_of(p->made, c->accumulator_array) = scalar;
    *slot_of(p->made, c->accumulator_owned) = Py_NewRef(Py_False);
    *accumulator = new_foreign(p->heap, p->made, false);
    p->made = NULL;
    return true;
}

bool add_scalar(Pull *p, Value *accumulator, double cotangent) {
    PyObject *python = accumulator_in(p->c, *accumulator);
    if (!python) return begin_scalar(p, accumulator, cotangent);
    PyObject **sum = slot_of(python, p->c->accumulator_array);
    double before = 0.0;
    only_element(*sum, &before);
    PyObject *made = new_scalar(before + cotangent);
    if (!made) return false;
    Py_SETREF(*slot_of(python, p->c->accumulator_owned), Py_NewRef(Py_False));
    Py_SETREF(*sum, made);
    Py_CLEAR(*slot_of(python, p->c->accumulator_form));
    return true;
}

/* Cotangents */

/* Returns whether a result of two numbers is one of which no library warns. */
static bool is_silent(double result, double x, double y) {
    return isnormal(result) || (result == 0.0 && (x == 0.0 || y == 0.0));
}

/* Stores the cotangent of a factor, g y, or of a dividend, g / y. */
static bool scaled(double g, double y, bool divides, double *found) {
    if (divides && y == 0.0) return false;
    *found = divides ? g / y : g * y;
    return is_silent(*found, g, divides ? g : y);
}

/* Stores the cotangent of an operand; false: the rule gives it. */
static bool cotangent_of(const Pull *p, int64_t operator, Py_ssize_t position, double *found) {
    const Applied *applied = p->applied;
    double g, x[2] = {0.0, 0.0}, z;
    if (!only_element(p->g, &g) || Py_SIZE(applied) > 2) return false;
    for (Py_ssize_t i = 0; i < Py_SIZE(applied); i++)
        if (!double_of(applied->operands[i], &x[i])) return false;
    switch (operator) {
    case ADD_OPERATOR: *found = g; return true;
    case NEGATIVE_OPERATOR: *found = -g; return true;
    case SUBTRACT_OPERATOR: *found = position ? -g : g; return true;
    case MULTIPLY_OPERATOR: return scaled(g, x[1 - position], false, found);
    case DIVIDE_OPERATOR:
        if (position == 0) return scaled(g, x[1], true, found);
        if (!applied->result || !double_of(applied->result, &z)) return false;
        if (!scaled(g, z, false, &z) || !scaled(z, x[1], true, found)) return false;
        *found = -*found;
        return true;
    default: return false;
    }
}

/* Adds the cotangent of an element that has been read to that of the array. */
static Pulling pull_element(Pull *p, Value *accumulator) {
    const ArrayClasses *c = p->c;
    PyObject *python = accumulator_in(c, *accumulator), *const *operands = p->applied->operands;
    double g;
    if (!only_element(p->g, &g)) return NOT_HERE;
    if (python && add_to_element(c, python, operands[1], g)) return PULLED;
    p->made = accumulator->tag == REAL ? accumulator_of_element(c, operands[0], operands[1], g) : NULL;
    if (!p->made) return PyErr_Occurred() ? REFUSED : NOT_HERE;
    *accumulator = new_foreign(p->heap, p->made, false);
    p->made = NULL;
    return PULLED;
}

/* Adds the cotangent of a view that has been read to that of the array; the index is used up. */
static Pulling pull_view(Pull *p, Value *accumulator, PyObject *index) {
    PyObject *python = accumulator_in(p->c, *accumulator);
    const bool added = index && python && add_to_view(p->c, python, index, p->g);
    if (index && accumulator->tag == REAL) p->made = accumulator_of_view(p->c, p->applied->operands[0], index, p->g);
    Py_XDECREF(index);
    if (p->made) {
        *accumulator = new_foreign(p->heap, p->made, false);
        p->made = NULL;
        return PULLED;
    }
    return added ? PULLED : PyErr_Occurred() ? REFUSED : NOT_HERE;
}

Pulling pull_scalar(Pull *p, int64_t operator, Py_ssize_t position, Value *accumulator) {
    double cotangent;
    if (operator == NO_OPERATOR || operator > SLICE_OPERATOR) return NOT_HERE;
    PyObject *const *operands = p->applied->operands;
    if (operator == SLICE_OPERATOR) return pull_view(p, accumulator, PySlice_New(operands[1], operands[2], operands[3]));
    if (operator == ELEMENT_OPERATOR) {
        const Pulling pulled = pull_element(p, accumulator);
        return pulled == NOT_HERE ? pull_view(p, accumulator, Py_NewRef(operands[1])) : pulled;
    }
    const bool is_real = PyFloat_CheckExact(operands[position]);
    if (is_real ? accumulator->tag != REAL : !takes_scalar(p, accumulator)) return NOT_HERE;
    if (!cotangent_of(p, operator, position, &cotangent)) return NOT_HERE;
    if (!is_real) return add_scalar(p, accumulator, cotangent) ? PULLED : REFUSED;
    accumulator->real += cotangent;
    return PULLED;
}
