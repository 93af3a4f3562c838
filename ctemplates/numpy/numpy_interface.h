/* NumPy's interface in C, without its headers. */
#ifndef CK_NUMPY_INTERFACE_H
#define CK_NUMPY_INTERFACE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Indices in the table of its functions, which do not change within one version of the binary interface:
 * numpy/_core/include/numpy/__multiarray_api.h (tests/ctarget/test_array_memory.py compares). */
enum {
    GET_ABI_VERSION = 0, ARRAY_TYPE = 2, GET_DTYPE = 45, NEW_ARRAY = 94, ZEROS = 183, GET_FEATURE_VERSION = 211, SET_BASE = 282,
    SET_HANDLER = 304, GET_HANDLER = 305
};

/* PyArrayObject_fields of numpy/ndarraytypes.h: the beginning of an array. */
typedef struct NumpyArray {
    PyObject_HEAD
    char *data;
    int axes;
    Py_ssize_t *shape, *strides; /* NULL without axes */
    PyObject *base;  /* NULL: it has its elements itself */
    PyObject *dtype;
    int flags;
} NumpyArray;

/* An inner loop of a function of NumPy's. */
typedef void Loop(char **places, const Py_ssize_t *count, const Py_ssize_t *strides, void *data);

enum { C_CONTIGUOUS = 1, ALIGNED = 0x100, WRITEABLE = 0x400 }; /* bits of its flags */

/* PyArray_Descr: the beginning of a dtype. */
typedef struct NumpyDtype {
    PyObject_HEAD
    PyTypeObject *scalar;
    char kind, letter, order, unused; /* NumPy's letters of its kind and of itself; '=' for native bytes */
    int number;
    uint64_t flags;
    Py_ssize_t size; /* bytes of an element */
} NumpyDtype;

/* Returns NumPy's table of functions. NULL without an exception: NumPy is not imported, or its version is not known. */
void **numpy_functions(void);

/* The type of NumPy's arrays once one has been met; a type that no array has, if its layout is not known. */
extern PyTypeObject *numpy_array;

bool meet_array(const PyObject *object); /* sets it, if the object is the first of them */

/* Returns whether an object is exactly an array of NumPy's, laid out as above. */
static inline bool is_numpy(const PyObject *object) {
    return Py_TYPE(object) == numpy_array || (!numpy_array && meet_array(object));
}

static inline const NumpyArray *numpy_of(PyObject *array) { return (const NumpyArray *)(const void *)array; }

static inline const NumpyDtype *dtype_of(PyObject *array) {
    return (const NumpyDtype *)(const void *)numpy_of(array)->dtype;
}

static inline Py_ssize_t count_of(PyObject *array) {
    Py_ssize_t count = 1;
    for (int i = 0; i < numpy_of(array)->axes; i++) count *= numpy_of(array)->shape[i];
    return count;
}

/* Returns whether an array of NumPy's has this shape. */
static inline bool is_shaped(const NumpyArray *array, int axes, const Py_ssize_t *shape) {
    if (array->axes != axes) return false;
    for (int i = 0; i < axes; i++)
        if (array->shape[i] != shape[i]) return false;
    return true;
}

/* Returns whether the elements of an array of NumPy's are numbers of C in a row. */
static inline bool is_plain_row(PyObject *array) {
    const int wanted = C_CONTIGUOUS | ALIGNED;
    return (numpy_of(array)->flags & wanted) == wanted && dtype_of(array)->order == '=';
}

/* Returns a read-only view of an array of NumPy's, with these axes and strides in bytes, a new reference; NULL with an
 * exception. */
PyObject *view_of(PyObject *array, int axes, const Py_ssize_t *shape, const Py_ssize_t *strides);

/* Returns whether an array of NumPy's has one axis, and elements that are doubles of C; not necessarily next to each
 * other. */
static inline bool is_row_of_reals(PyObject *array) {
    const NumpyDtype *dtype = dtype_of(array);
    return numpy_of(array)->axes == 1 && dtype->letter == 'd' && dtype->order == '=' && (numpy_of(array)->flags & ALIGNED);
}

/* Returns a new array of doubles, not set yet; NULL with an exception, or without one if no array of NumPy's has been met. */
PyObject *new_array_of_doubles(int axes, const Py_ssize_t *shape);

/* The same, with strides in bytes along which each of its elements has a place of its own, without gaps. */
PyObject *new_strided_array_of_doubles(int axes, const Py_ssize_t *shape, const Py_ssize_t *strides);

/* Returns a new array of `count` doubles, and where they are, not set yet; NULL with an exception, or without one if no
 * array of NumPy's has been met. */
PyObject *new_row(Py_ssize_t count, double **reals);

/* Returns NumPy's own dtype of doubles, borrowed; NULL, without an exception: no array of NumPy's has been met. */
PyObject *dtype_of_doubles(void);

/* Returns zeros of doubles of this shape, a new reference; NULL with an exception. An array of NumPy's has been met. */
PyObject *zeros_of_doubles(int axes, const Py_ssize_t *shape);

/* Returns zeros of the shape and dtype of an array of NumPy's, a new reference; NULL with an exception. */
PyObject *zeros_of(PyObject *array);

/* Returns an axis of an array of NumPy's, an integer of Python's, from 0 on; -1: it is no such axis. */
int axis_in(PyObject *array, PyObject *axis);

/* The functions whose loops are called: KERNEL(name, NumPy's name, number of operands). */
#define KERNELS(KERNEL)                                                                                        \
    KERNEL(ADDING, "add", 2)                                                                                   \
    KERNEL(SUBTRACTING, "subtract", 2)                                                                         \
    KERNEL(MULTIPLYING, "multiply", 2)                                                                         \
    KERNEL(DIVIDING, "divide", 2)                                                                              \
    KERNEL(NEGATING, "negative", 1)                                                                            \
    KERNEL(GREATER, "maximum", 2)                                                                              \
    KERNEL(LESSER, "minimum", 2)                                                                               \
    KERNEL(ROOT, "sqrt", 1)

#define KERNEL_NAME(name, numpy, count) name,
typedef enum Kernel { KERNELS(KERNEL_NAME) KERNEL_COUNT } Kernel;

#endif
