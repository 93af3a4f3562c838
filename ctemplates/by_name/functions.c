/* NumPy's functions by kernels: see functions.h. */
#include "by_name/functions.h"

#include "by_name/chains.h"
#include "memory/exceptions.h"
#include "numpy/columns.h"
#include "numpy/joining.h"
#include "numpy/kernels.h"
#include "numpy/matrices.h"
#include "numpy/passes.h"
#include "numpy/scattering.h"
#include "numpy/sums.h"

/* Returns the result of a kernel, or that of NumPy's own function, where there is no kernel for these operands. */
static PyObject *called(Kernel kernel, Py_ssize_t wanted, PyObject *own, PyObject *const *x, Py_ssize_t count) {
    PyObject *made = count == wanted ? kernel_result(kernel, x) : NULL;
    if (made) return made;
    forget_exception();
    return PyObject_Vectorcall(own, x, (size_t)count, NULL);
}

#define CALLED(name, numpy, operands)                                                                          \
    static PyObject *by_##name(PyObject *own, PyObject *const *x, Py_ssize_t count) {                          \
        return called(name, operands, own, x, count);                                                          \
    }
KERNELS(CALLED)

/* Returns what was made, or None without an exception: the caller does it then. */
static PyObject *or_none(PyObject *made) {
    if (made) return made;
    forget_exception();
    Py_RETURN_NONE;
}

static PyObject *summed(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    const int axis = count == 3 && is_numpy(x[0]) ? axis_in(x[0], x[1]) : -1;
    return or_none(axis < 0 ? NULL : sum_along(x[0], axis, x[2] == Py_True));
}

static PyObject *summed_products(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count == 3 ? sum_of_products(x[0], x[1], x[2] == Py_True) : NULL);
}

static PyObject *chained(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count > 3 ? result_of_chain(x[0], x[1], x[2], x + 3, count - 3) : NULL);
}

static PyObject *added_up(PyObject *own, PyObject *row) {
    (void)own;
    return or_none(sum_of_row(row));
}

static PyObject *crossed(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count == 2 ? cross_products(x[0], x[1]) : NULL);
}

static PyObject *added_at(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    if (count == 4 && PyLong_CheckExact(x[3]) && add_at(x[0], x[1], x[2], (int)PyLong_AsLong(x[3]))) Py_RETURN_TRUE;
    return or_none(NULL);
}

static PyObject *added_to(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    if (count == 2 && add_to_columns(x[0], x[1])) Py_RETURN_TRUE;
    Py_RETURN_NONE;
}

static PyObject *multiplied(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    PyObject *made = count == 3 ? products_of_matrices(x[0], x[1], x[2]) : NULL;
    if (made || count != 3) return made ? made : Py_NewRef(Py_None);
    forget_exception();
    return PyObject_Vectorcall(own, x + 1, 2, NULL);
}

typedef PyObject *Join(PyObject *order, PyObject *arrays, Py_ssize_t axis);

/* Returns what a function makes of an order, arrays, and maybe an axis, or what NumPy's own makes of the last ones. */
static PyObject *joined(Join *join, PyObject *own, PyObject *const *x, Py_ssize_t count) {
    if (count < 2 || count > 3) Py_RETURN_NONE;
    const Py_ssize_t axis = count == 3 ? PyLong_AsSsize_t(x[2]) : 0;
    PyObject *made = PyErr_Occurred() ? NULL : join(x[0], x[1], axis);
    if (made) return made;
    forget_exception();
    return PyObject_Vectorcall(own, x + 1, (size_t)count - 1, NULL);
}

static PyObject *joined_along(PyObject *own, PyObject *const *x, Py_ssize_t count) { return joined(concatenated, own, x, count); }

static PyObject *piled(PyObject *own, PyObject *const *x, Py_ssize_t count) { return joined(stacked, own, x, count); }

static PyObject *copied(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count == 2 ? copy_in_order(x[0], x[1]) : NULL);
}

static PyObject *scaled(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count == 3 && PyFloat_CheckExact(x[1]) ? scaled_cotangent(x[0], PyFloat_AS_DOUBLE(x[1]), x[2]) : NULL);
}

static PyObject *cleared(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    if (count == 2 && clear_beside_zeros(x[0], x[1])) Py_RETURN_TRUE;
    return or_none(NULL);
}

static PyObject *shared(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    if (count != 4 || !is_numpy(x[0])) Py_RETURN_NONE;
    const int axis = axis_in(x[0], x[1]);
    return or_none(axis < 0 && x[1] != Py_None ? NULL : shared_by_extremes(x[0], axis, x[2], x[3]));
}

static PyObject *chosen(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    (void)own;
    return or_none(count == 3 ? chosen_elements(x[0], x[1], x[2]) : NULL);
}

static PyObject *greatest(PyObject *own, PyObject *array) {
    (void)own;
    return or_none(extremes_of_rows(array, true));
}

static PyObject *least(PyObject *own, PyObject *array) {
    (void)own;
    return or_none(extremes_of_rows(array, false));
}

static PyObject *peak(PyObject *own, PyObject *const *x, Py_ssize_t count) {
    double found;
    (void)own;
    if (count == 1 && find_peak(x[0], &found)) return PyFloat_FromDouble(found);
    Py_RETURN_NONE;
}

/* CPython takes functions of all signatures as one type, and calls them by their flags. */
#define AS_METHOD(function) ((PyCFunction)(void (*)(void))(function))

#define METHOD(name, numpy, operands) {numpy, AS_METHOD(by_##name), METH_FASTCALL, NULL},
static PyMethodDef METHODS[] = {KERNELS(METHOD){"matmul", AS_METHOD(multiplied), METH_FASTCALL, NULL},
                                {"concatenate", AS_METHOD(joined_along), METH_FASTCALL, NULL},
                                {"stack", AS_METHOD(piled), METH_FASTCALL, NULL},
                                {"copy", AS_METHOD(copied), METH_FASTCALL, NULL},
                                {"scaled", AS_METHOD(scaled), METH_FASTCALL, NULL},
                                {"zeroed", AS_METHOD(cleared), METH_FASTCALL, NULL},
                                {"shared", AS_METHOD(shared), METH_FASTCALL, NULL},
                                {"where", AS_METHOD(chosen), METH_FASTCALL, NULL},
                                {"max", greatest, METH_O, NULL},
                                {"min", least, METH_O, NULL},
                                {"peak", AS_METHOD(peak), METH_FASTCALL, NULL},
                                {"sum", AS_METHOD(summed), METH_FASTCALL, NULL},
                                {"sum_of_products", AS_METHOD(summed_products), METH_FASTCALL, NULL},
                                {"chain", AS_METHOD(chained), METH_FASTCALL, NULL},
                                {"total", added_up, METH_O, NULL},
                                {"cross", AS_METHOD(crossed), METH_FASTCALL, NULL},
                                {"add_at", AS_METHOD(added_at), METH_FASTCALL, NULL},
                                {"iadd", AS_METHOD(added_to), METH_FASTCALL, NULL}};

enum { NUMPYS = KERNEL_COUNT + 3 }; /* the first of them, which may call NumPy's functions of these names */

bool enter_functions(PyObject *by_name) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    bool done = numpy != NULL;
    for (size_t i = 0; done && i < sizeof METHODS / sizeof *METHODS; i++) {
        PyObject *own = i < NUMPYS ? PyObject_GetAttrString(numpy, METHODS[i].ml_name) : NULL;
        PyObject *made = own || i >= NUMPYS ? PyCFunction_New(&METHODS[i], own) : NULL;
        done = made && PyDict_SetItemString(by_name, METHODS[i].ml_name, made) == 0;
        Py_XDECREF(made);
        Py_XDECREF(own);
    }
    Py_XDECREF(numpy);
    return done;
}
