/* Functions of arrays that are operators of Python: see operators.h. */
#include "arrays/operators.h"

Operator operator_of(const ArrayClasses *c, PyObject *record) {
    PyObject *name = PyObject_GetAttr(record, c->operator);
    Operator found = NO_OPERATOR;
    if (!name)
        PyErr_Clear();
    else if (name == c->add)
        found = ADDITION;
    else if (name == c->subtract)
        found = SUBTRACTION;
    else if (name == c->multiply)
        found = MULTIPLICATION;
    else if (name == c->negative)
        found = NEGATION;
    Py_XDECREF(name);
    return found;
}

PyObject *apply_operator(Operator operator, PyObject *const *operands) {
    switch (operator) {
    case ADDITION: return PyNumber_Add(operands[0], operands[1]);
    case SUBTRACTION: return PyNumber_Subtract(operands[0], operands[1]);
    case MULTIPLICATION: return PyNumber_Multiply(operands[0], operands[1]);
    case NEGATION: return PyNumber_Negative(operands[0]);
    case NO_OPERATOR: break;
    }
    PyErr_SetString(PyExc_SystemError, "no operator");
    return NULL;
}

static bool same_attribute(PyObject *x, PyObject *y, PyObject *name) {
    PyObject *first = PyObject_GetAttr(x, name), *second = first ? PyObject_GetAttr(y, name) : NULL;
    const int same = second ? (first == second ? 1 : PyObject_RichCompareBool(first, second, Py_EQ)) : -1;
    Py_XDECREF(first);
    Py_XDECREF(second);
    if (same < 0) PyErr_Clear();
    return same == 1;
}

static PyObject *cotangent(const ArrayClasses *c, Operator operator, PyObject *g, PyObject *natives, Py_ssize_t position) {
    switch (operator) {
    case ADDITION: return Py_NewRef(g);
    case SUBTRACTION: return position == 0 ? Py_NewRef(g) : PyNumber_Negative(g);
    case NEGATION: return PyNumber_Negative(g);
    case MULTIPLICATION: {
        PyObject *other = PyList_GET_ITEM(natives, 1 - position);
        return PyFloat_CheckExact(other) || is_library_array(c, other) ? PyNumber_Multiply(g, other) : NULL;
    }
    case NO_OPERATOR: break;
    }
    return NULL;
}

PyObject *operator_cotangent(const ArrayClasses *c, Operator operator, PyObject *g, PyObject *natives,
                             Py_ssize_t position) {
    PyObject *like = PyList_GET_ITEM(natives, position);
    if (operator == NO_OPERATOR || !is_library_array(c, g) || PyFloat_CheckExact(like)) return NULL;
    if (!same_attribute(g, like, c->shape)) return NULL;
    PyObject *found = cotangent(c, operator, g, natives, position);
    if (!found) PyErr_Clear(); /* the rule raises it */
    if (found && same_attribute(found, like, c->dtype) && same_attribute(found, like, c->shape)) return found;
    Py_XDECREF(found);
    return NULL;
}

bool add_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *into, PyObject *contribution) {
    PyObject **array = slot_of(into, c->accumulator_array), **owned = slot_of(into, c->accumulator_owned);
    PyObject *given = *slot_of(contribution, c->accumulator_array);
    PyObject *sum = *owned == Py_True ? PyNumber_InPlaceAdd(*array, given) : PyNumber_Add(*array, given);
    if (!sum) return false;
    Py_SETREF(*array, sum);
    if (*owned == Py_True) return true;
    note_array(c, heap, sum);
    PyObject *shape = PyObject_GetAttr(sum, c->shape);
    if (!shape) return false;
    const Py_ssize_t axes = PyObject_Size(shape);
    Py_DECREF(shape);
    Py_SETREF(*owned, Py_NewRef(axes > 0 ? Py_True : Py_False));
    return axes >= 0;
}
