/* Finds NumPy's interface in C. */
#include "numpy/numpy_interface.h"

#include <string.h>

#include "memory/exceptions.h"

typedef unsigned GetVersion(void);

/* NumPy's import_array compares the same numbers: the ABI of NumPy 2, and its first set of features. */
enum { ABI_VERSION = 0x02000000, FIRST_FEATURE_VERSION = 0x12 };

typedef PyObject *NewArray(PyTypeObject *, PyObject *dtype, int axes, const Py_ssize_t *shape, const Py_ssize_t *strides,
                           void *data, int flags, PyObject *like);
typedef PyObject *GetDtype(int number);
typedef PyObject *Zeros(int axes, const Py_ssize_t *shape, PyObject *dtype, int is_fortran);
typedef int SetBase(PyObject *view, PyObject *array);

PyTypeObject *numpy_array;

static void **known; /* NumPy's table, once numpy_array is set */

void **numpy_functions(void) {
    PyObject *name = PyUnicode_FromString("numpy._core._multiarray_umath");
    PyObject *module = name ? PyImport_GetModule(name) : NULL; /* does not import it */
    PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **functions = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    Py_XDECREF(name);
    forget_exception();
    if (!functions) return NULL;
    if (((GetVersion *)functions[GET_ABI_VERSION])() != ABI_VERSION) return NULL;
    return ((GetVersion *)functions[GET_FEATURE_VERSION])() < FIRST_FEATURE_VERSION ? NULL : functions;
}

bool meet_array(const PyObject *object) {
    static const PyTypeObject *other; /* the type that was asked for last, of objects that are not NumPy's arrays */
    if (Py_TYPE(object) == other) return false;
    if (strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") != 0) {
        other = Py_TYPE(object);
        return false;
    }
    const PyGILState_STATE state = PyGILState_Ensure(); /* shapes are read without Python's lock */
    void **functions = known = numpy_functions();
    PyGILState_Release(state);
    numpy_array = functions ? functions[ARRAY_TYPE] : &PyBaseObject_Type;
    return Py_TYPE(object) == numpy_array;
}

PyObject *view_of(PyObject *array, int axes, const Py_ssize_t *shape, const Py_ssize_t *strides) {
    const NumpyArray *whole = numpy_of(array);
    const int flags = whole->flags & ALIGNED; /* without the bit of what may be written */
    PyObject *made = ((NewArray *)known[NEW_ARRAY])(numpy_array, Py_NewRef(whole->dtype), axes, shape, strides, whole->data,
                                                    flags, NULL);
    if (made && ((SetBase *)known[SET_BASE])(made, Py_NewRef(array)) < 0) Py_CLEAR(made);
    return made;
}

enum { DOUBLE_NUMBER = 12 }; /* NPY_DOUBLE */

PyObject *new_array_of_doubles(int axes, const Py_ssize_t *shape) { return new_strided_array_of_doubles(axes, shape, NULL); }

PyObject *new_strided_array_of_doubles(int axes, const Py_ssize_t *shape, const Py_ssize_t *strides) {
    if (!known) return NULL;
    PyObject *dtype = ((GetDtype *)known[GET_DTYPE])(DOUBLE_NUMBER);
    return dtype ? ((NewArray *)known[NEW_ARRAY])(numpy_array, dtype, axes, shape, strides, NULL, 0, NULL) : NULL;
}

PyObject *new_row(Py_ssize_t count, double **reals) {
    PyObject *made = new_array_of_doubles(1, &count);
    if (made) *reals = (double *)(void *)numpy_of(made)->data;
    return made;
}

PyObject *dtype_of_doubles(void) {
    static PyObject *found; /* NumPy keeps it */
    if (!found && known) found = ((GetDtype *)known[GET_DTYPE])(DOUBLE_NUMBER);
    forget_exception();
    return found;
}

PyObject *zeros_of_doubles(int axes, const Py_ssize_t *shape) {
    return ((Zeros *)known[ZEROS])(axes, shape, Py_NewRef(dtype_of_doubles()), 0);
}

PyObject *zeros_of(PyObject *array) {
    const NumpyArray *like = numpy_of(array);
    return ((Zeros *)known[ZEROS])(like->axes, like->shape, Py_NewRef(like->dtype), 0);
}

int axis_in(PyObject *array, PyObject *axis) {
    if (!PyLong_CheckExact(axis)) return -1;
    const int axes = numpy_of(array)->axes;
    int overflow;
    long long given = PyLong_AsLongLongAndOverflow(axis, &overflow);
    if (given < 0) given += axes;
    return !overflow && given >= 0 && given < axes ? (int)given : -1;
}
