/* Calls of a cotangent's peer: see bridge_reverse.h. Each method answers None where it has kept an exception. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bridge/bridge_reverse.h"

static PyObject *number_of(Value v) {
    switch (kind_of(v)) {
    case REAL: return PyFloat_FromDouble(v.real);
    case INTEGER: return PyLong_FromLongLong(v.integer);
    case BOOLEAN: return PyBool_FromLong(v.integer != 0);
    default: Py_RETURN_NONE;
    }
}

static PyObject *tuple_of_numbers(const Value *values, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *item = number_of(values[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *tuple_of_reals(const double *reals, int count) {
    Value values[3];
    for (int i = 0; i < count; i++) values[i] = of_real(reals[i]);
    return tuple_of_numbers(values, count);
}

/* What a method answered, which is given up. */
static Outcome outcome_of(PyObject *answer) {
    if (!answer) PyErr_Clear(); /* only where memory ended before the method began */
    const Outcome outcome = !answer ? NO_MEMORY : answer == Py_None ? FAILED : STOPPED;
    Py_XDECREF(answer);
    return outcome;
}

static Outcome read_reals(PyObject *answer, double *reals, int count) {
    if (answer && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == count)
        for (int i = 0; i < count; i++) reals[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(answer, i));
    return outcome_of(answer);
}

Outcome foreign_scale(Cotangent *c, const Block *block, const Action *action, const Value *values, Value result,
                      double *amounts) {
    const PyGILState_STATE lock = PyGILState_Ensure();
    const int count = action->count;
    PyObject *operands = tuple_of_numbers(values, count), *accumulators = tuple_of_reals(amounts, count);
    PyObject *answer = NULL, *z = number_of(result);
    if (operands && accumulators && z)
        answer = PyObject_CallMethod(c->peer, "scale", "OIOOdO", (PyObject *)block->python, action->step, operands, z,
                                     c->window[action->source].real, accumulators);
    Py_XDECREF(operands);
    Py_XDECREF(accumulators);
    Py_XDECREF(z);
    const Outcome outcome = read_reals(answer, amounts, count);
    PyGILState_Release(lock);
    return outcome;
}

Outcome foreign_resumed(Cotangent *c, void *capsule) {
    const PyGILState_STATE lock = PyGILState_Ensure();
    const Outcome outcome = outcome_of(PyObject_CallMethod(c->peer, "resumed", "O", (PyObject *)capsule));
    PyGILState_Release(lock);
    return outcome;
}

void foreign_run_stays(Cotangent *c) {
    const PyGILState_STATE lock = PyGILState_Ensure();
    outcome_of(PyObject_CallMethod(c->peer, "run_stays", NULL));
    PyGILState_Release(lock);
}
