/* gil.h, by PyGILState. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bridge/gil.h"

void *python_lock(void) { return (void *)(uintptr_t)PyGILState_Ensure(); }

void python_unlock(void *lock) { PyGILState_Release((PyGILState_STATE)(uintptr_t)lock); }

void python_release(void *python) {
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)python);
    PyGILState_Release(gil);
}
