/* New handles on cotangents: see results.h. */
#include "arrays/results.h"

#include "arrays/accumulators.h"
#include "arrays/handles.h"

static PyObject *zeros_for(const ArrayClasses *c, PyObject *number, PyObject *zero) {
    if (*slot_of(memory_of(c, number), c->memory_constant) == Py_True) return Py_NewRef(number);
    PyObject *like = *slot_of(number, c->array_data);
    if (!is_numpy(like)) Py_RETURN_NONE;
    PyObject *zeros = zeros_of(like);
    PyObject *made = zeros ? new_array(c, c->array, zeros, new_memory(c, zero, false), NULL) : NULL;
    Py_XDECREF(zeros);
    return made;
}

static PyObject *result_of(const ArrayClasses *c, PyObject *accumulator, PyObject *number, PyObject *zero) {
    if (!Py_IS_TYPE(number, c->array)) Py_RETURN_NONE;
    if (PyFloat_CheckExact(accumulator)) return zeros_for(c, number, zero);
    if (!Py_IS_TYPE(accumulator, c->accumulator) || *slot_of(accumulator, c->accumulator_owned) != Py_True) Py_RETURN_NONE;
    if (elements_of_accumulator(c, accumulator)) Py_RETURN_NONE;
    return new_array(c, c->array, *slot_of(accumulator, c->accumulator_array), new_memory(c, Py_None, false), NULL);
}

bool make_results(PyObject *accumulators, PyObject *numbers, PyObject *zero, PyObject *made) {
    const ArrayClasses *c = array_classes();
    if (!c) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(accumulators); i++) {
        PyObject *result = result_of(c, PyList_GET_ITEM(accumulators, i), PyList_GET_ITEM(numbers, i), zero);
        if (!result) return false;
        const int failed = PyList_Append(made, result);
        Py_DECREF(result);
        if (failed) return false;
    }
    return true;
}
