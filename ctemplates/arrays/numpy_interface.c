/* Finds NumPy's interface in C. */
#include "arrays/numpy_interface.h"

#include <string.h>

typedef unsigned GetVersion(void);

/* NumPy's import_array compares the same numbers: the ABI of NumPy 2, and its first set of features. */
enum { ABI_VERSION = 0x02000000, FIRST_FEATURE_VERSION = 0x12 };

PyTypeObject *numpy_array;

void **numpy_functions(void) {
    PyObject *name = PyUnicode_FromString("numpy._core._multiarray_umath");
    PyObject *module = name ? PyImport_GetModule(name) : NULL; /* does not import it */
    PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **functions = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Clear();
    if (!functions) return NULL;
    if (((GetVersion *)functions[GET_ABI_VERSION])() != ABI_VERSION) return NULL;
    return ((GetVersion *)functions[GET_FEATURE_VERSION])() < FIRST_FEATURE_VERSION ? NULL : functions;
}

bool meet_array(const PyObject *object) {
    if (strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") != 0) return false;
    void **functions = numpy_functions();
    numpy_array = functions ? functions[ARRAY_TYPE] : &PyBaseObject_Type;
    return Py_TYPE(object) == numpy_array;
}
