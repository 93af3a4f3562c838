/* See exceptions.h. */
#include "memory/exceptions.h"

PyObject *take_exception(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!type) return PyErr_NewException("checkpoint.ctarget.Unknown", PyExc_SystemError, NULL);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback && value) PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

/* Raises the exception, and releases it; Python's interpreter calls it. */
static int raise_again(void *exception) {
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF((PyObject *)exception);
    return -1;
}

void forget_exception(void) {
    if (!PyErr_Occurred()) return;
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        return;
    }
    PyObject *exception = take_exception();
    if (exception && Py_AddPendingCall(raise_again, exception) == 0) return;
    PyErr_WriteUnraisable(exception); /* no room for it: said, as it cannot be raised */
    Py_XDECREF(exception);
}
