/* Sums over the axes of arrays, and their reversal: see reductions.h. */
#include "arrays/reductions.h"

#include <string.h>

#include "arrays/forms.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "numpy/sums.h"

enum { ARRAY, AXIS, DTYPE, KEEPS_AXES };

/* Operands */

static PyObject *operand(const Reduction *reduction, Py_ssize_t i) {
    return i < reduction->count ? reduction->operands[i] : NULL;
}

static bool keeps_axes(const Reduction *reduction) { return operand(reduction, KEEPS_AXES) == Py_True; }

/* Returns whether the operands other than the array are of the plain kinds. */
static bool is_plain_reduction(const Reduction *reduction) {
    PyObject *dtype = operand(reduction, DTYPE), *keeps = operand(reduction, KEEPS_AXES);
    return (!dtype || dtype == Py_None) && (!keeps || PyBool_Check(keeps));
}

/* Notes an axis, which may be negative; false: it is none of so many, or has been noted. */
static bool note_axis(PyObject *axis, int axes, bool *reduces) {
    if (!PyLong_CheckExact(axis)) return false;
    const Py_ssize_t given = PyLong_AsSsize_t(axis), i = given < 0 ? given + axes : given;
    if (i < 0 || i >= axes || reduces[i]) return false;
    return reduces[i] = true;
}

/* Finds which of so many axes are reduced; false: not in a way that is handled here. */
static bool read_axes(const Reduction *reduction, int axes, bool reduces[MOST_AXES]) {
    PyObject *axis = operand(reduction, AXIS);
    const bool all = !axis || axis == Py_None;
    for (int i = 0; i < axes; i++) reduces[i] = all;
    if (all) return true;
    if (!PyTuple_Check(axis)) return note_axis(axis, axes, reduces);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axis); i++)
        if (!note_axis(PyTuple_GET_ITEM(axis, i), axes, reduces)) return false;
    return true;
}

/* Applying */

/* Returns whether an array has a short last axis, along which tensorlib/short_axes.py is faster than NumPy. */
static bool is_short(PyObject *array) {
    enum { MOST = 7, FEWEST_ROWS = 64 };
    const NumpyArray *own = numpy_of(array);
    if (own->axes < 2 || dtype_of(array)->letter != 'd') return false;
    Py_ssize_t rows = 1;
    for (int i = 0; i < own->axes - 1; i++) rows *= own->shape[i];
    const Py_ssize_t length = own->shape[own->axes - 1];
    return length > 1 && length <= MOST && rows >= FEWEST_ROWS;
}

/* Returns whether an axis is the last of an array of NumPy's. */
static bool is_last(PyObject *array, PyObject *axis) {
    if (!axis || !PyLong_CheckExact(axis)) return false;
    const Py_ssize_t i = PyLong_AsSsize_t(axis);
    return i == -1 || i == numpy_of(array)->axes - 1;
}

/* Returns the sum of an array over axes, by the library's function. */
static PyObject *summed_by_library(const ArrayClasses *c, PyObject *array, PyObject *axes, bool keeps) {
    PyObject *functions = array_namespace(c, &array, 1), *kept = keeps ? Py_True : Py_False;
    if (!functions) return NULL;
    if (!is_numpy(array)) {
        PyObject *function = builtin_of(c, functions, c->sum), *const given[] = {array, axes, kept};
        if (function) return PyObject_Vectorcall(function, given, 3, NULL);
        PyObject *names = PyTuple_Pack(2, c->axis, c->keepdims);
        PyObject *const arguments[] = {functions, array, axes, kept};
        PyObject *found = names ? PyObject_VectorcallMethod(c->sum, arguments, 2, names) : NULL;
        Py_XDECREF(names);
        return found;
    }
    PyObject *add = PyObject_GetAttr(functions, c->add);
    if (!add) return NULL;
    PyObject *const arguments[] = {add, array, axes, Py_None, Py_None, kept};
    PyObject *made = PyObject_VectorcallMethod(c->reduce, arguments, 6, NULL);
    Py_DECREF(add);
    return made;
}

int only_axis(PyObject *array, PyObject *axes) {
    if (!PyTuple_Check(axes)) return axis_in(array, axes);
    return PyTuple_GET_SIZE(axes) == 1 ? axis_in(array, PyTuple_GET_ITEM(axes, 0)) : -1;
}

/* Returns the sum of an array over axes: along one of them, or of a whole row, at once, else by the library's function. */
static PyObject *summed(const ArrayClasses *c, PyObject *array, PyObject *axes, bool keeps) {
    PyObject *made = NULL;
    if (is_numpy(array) && axes != Py_None)
        made = sum_along(array, only_axis(array, axes), keeps);
    else if (is_numpy(array) && !keeps)
        made = sum_of_row(array);
    return made ? made : summed_by_library(c, array, axes, keeps);
}

/* Returns what a library's own function of an array, its axes and keepdims returns; NULL: it is not called. */
static PyObject *reduced_by_builtin(const Reduction *reduction, PyObject *name) {
    const ArrayClasses *c = reduction->c;
    PyObject *array = operand(reduction, ARRAY), *axis = operand(reduction, AXIS);
    if (!axis || axis == Py_None || !is_plain_reduction(reduction) || axes_of(c, array) < 1) return NULL;
    PyObject *functions = array_namespace(c, &array, 1), *function = functions ? builtin_of(c, functions, name) : NULL;
    PyObject *const given[] = {array, axis, keeps_axes(reduction) ? Py_True : Py_False};
    return function ? PyObject_Vectorcall(function, given, 3, NULL) : NULL;
}

/* Returns the sum of an array of NumPy's numbers of C; NULL: the record's function gives it, or raises. */
PyObject *reduced_sum(const Reduction *reduction) {
    PyObject *array = operand(reduction, ARRAY), *axis = operand(reduction, AXIS);
    if (!is_numpy(array)) return reduced_by_builtin(reduction, reduction->c->sum);
    if (!is_plain_reduction(reduction)) return NULL;
    const bool is_of_rules = is_last(array, axis) && is_short(array);
    PyObject *made = is_of_rules ? sum_along(array, numpy_of(array)->axes - 1, keeps_axes(reduction))
                                 : summed(reduction->c, array, axis ? axis : Py_None, keeps_axes(reduction));
    if (!made) forget_exception();
    return made;
}

Py_ssize_t elements_to_one(const Reduction *reduction) {
    Py_ssize_t shape[MOST_AXES], count = 1;
    bool reduces[MOST_AXES];
    const int axes = read_shape(reduction->c, operand(reduction, ARRAY), shape);
    if (axes < 0 || !read_axes(reduction, axes, reduces)) return 0;
    for (int i = 0; i < axes; i++)
        if (reduces[i]) count *= shape[i];
    return count;
}

/* Returns an array divided in place by a number of elements. */
static PyObject *shared(PyObject *sum, Py_ssize_t count) {
    PyObject *number = PyLong_FromSsize_t(count);
    PyObject *made = number ? PyNumber_InPlaceTrueDivide(sum, number) : NULL;
    Py_XDECREF(number);
    return made;
}

/* NumPy divides by an integer of 64 bits, in double precision: the same number as long as floats have that integer. */
PyObject *reduced_mean(const Reduction *reduction) {
    enum { MOST_ELEMENTS = 1 << 24 };
    PyObject *array = operand(reduction, ARRAY);
    if (!is_numpy(array)) return reduced_by_builtin(reduction, reduction->c->mean);
    if ((dtype_of(array)->letter != 'f' && dtype_of(array)->letter != 'd')) return NULL;
    const Py_ssize_t count = elements_to_one(reduction);
    PyObject *sum = count > 0 && count <= MOST_ELEMENTS ? reduced_sum(reduction) : NULL;
    PyObject *made = sum && is_numpy(sum) ? shared(sum, count) : NULL;
    Py_XDECREF(sum);
    if (!made) forget_exception();
    return made;
}

/* Reversing */

/* Returns a view of an array of NumPy's in which the axes that were reduced are repeated. */
static PyObject *repeated_view(PyObject *g, int axes, const Py_ssize_t *shape, const bool *reduces, bool keeps) {
    const NumpyArray *own = numpy_of(g);
    Py_ssize_t strides[MOST_AXES];
    int from = 0;
    for (int i = 0; i < axes; i++) {
        const bool is_there = keeps || !reduces[i];
        if (is_there && (from >= own->axes || own->shape[from] != (reduces[i] ? 1 : shape[i]))) return NULL;
        strides[i] = reduces[i] ? 0 : own->strides[from];
        from += is_there;
    }
    return from == own->axes ? view_of(g, axes, shape, strides) : NULL;
}

/* The same of a scalar of NumPy's, which is a sum of all elements. */
static PyObject *repeated_scalar(PyObject *g, int axes, const Py_ssize_t *shape, const bool *reduces, bool keeps) {
    PyObject *alone = new_array_of_doubles(0, NULL);
    if (!alone) return NULL;
    only_element(g, doubles_of(alone));
    PyObject *found = repeated_view(alone, axes, shape, reduces, keeps);
    Py_DECREF(alone);
    return found;
}

/* Returns an array of another library with the axes that were reduced as axes of length 1, a new reference. */
static PyObject *with_axes(const ArrayClasses *c, PyObject *g, int axes, const Py_ssize_t *shape, const bool *reduces) {
    PyObject *kept = PyTuple_New(axes);
    for (int i = 0; kept && i < axes; i++) {
        PyObject *length = PyLong_FromSsize_t(reduces[i] ? 1 : shape[i]);
        if (!length)
            Py_CLEAR(kept);
        else
            PyTuple_SET_ITEM(kept, i, length);
    }
    PyObject *const arguments[] = {g, kept};
    PyObject *made = kept ? PyObject_VectorcallMethod(c->reshape, arguments, 2, NULL) : NULL;
    Py_XDECREF(kept);
    return made;
}

/* Returns g repeated by the library's function. */
static PyObject *repeated_by_library(const ArrayClasses *c, PyObject *g, PyObject *like) {
    PyObject *functions = array_namespace(c, &g, 1), *shape = shape_as_tuple(c, like);
    PyObject *function = functions ? builtin_of(c, functions, c->broadcast_to) : NULL;
    PyObject *const arguments[] = {functions, g, shape};
    PyObject *made = NULL;
    if (functions && shape)
        made = function ? PyObject_Vectorcall(function, arguments + 1, 2, NULL)
                        : PyObject_VectorcallMethod(c->broadcast_to, arguments, 3, NULL);
    Py_XDECREF(shape);
    return made;
}

PyObject *repeated(const Reduction *reduction, PyObject *g) {
    const ArrayClasses *c = reduction->c;
    PyObject *like = operand(reduction, ARRAY);
    Py_ssize_t shape[MOST_AXES];
    bool reduces[MOST_AXES];
    const int axes = read_shape(c, like, shape);
    if (axes < 1 || !is_plain_reduction(reduction) || !read_axes(reduction, axes, reduces)) return NULL;
    if (is_scalar(g)) return repeated_scalar(g, axes, shape, reduces, keeps_axes(reduction));
    if (is_numpy(g)) return repeated_view(g, axes, shape, reduces, keeps_axes(reduction));
    PyObject *whole = keeps_axes(reduction) ? Py_NewRef(g) : with_axes(c, g, axes, shape, reduces);
    PyObject *made = whole ? repeated_by_library(c, whole, like) : NULL;
    Py_XDECREF(whole);
    return made;
}

/* Returns these axes as a tuple of Python's. */
static PyObject *tuple_of(const int *axes, int count) {
    PyObject *made = PyTuple_New(count);
    for (int i = 0; made && i < count; i++) {
        PyObject *axis = PyLong_FromLong(axes[i]);
        if (!axis)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, i, axis);
    }
    return made;
}

/* Replaces an array by its sum over axes, if there are any. */
static void sum_over(const ArrayClasses *c, PyObject **array, const int *axes, int count, bool keeps) {
    if (!*array || !count) return;
    PyObject *given = tuple_of(axes, count);
    Py_SETREF(*array, given ? summed(c, *array, given, keeps) : NULL);
    Py_XDECREF(given);
}

bool is_broadcast_along_short(const ArrayClasses *c, PyObject *g, PyObject *like) {
    Py_ssize_t from[MOST_AXES], to[MOST_AXES];
    const int axes = read_shape(c, like, to);
    if (axes < 2 || !is_numpy(g) || read_shape(c, g, from) != axes || to[axes - 1] != 1 || !is_short(g)) return false;
    return memcmp(from, to, (size_t)(axes - 1) * sizeof *to) == 0;
}

PyObject *unbroadcast(const ArrayClasses *c, PyObject *g, PyObject *like) {
    Py_ssize_t from[MOST_AXES], to[MOST_AXES];
    const int given = read_shape(c, g, from), wanted = read_shape(c, like, to), extra = given - wanted;
    if (given < 0 || wanted < 0 || extra < 0) return NULL;
    int first[MOST_AXES], repeats[MOST_AXES], count = 0;
    for (int i = 0; i < extra; i++) first[i] = i;
    for (int i = 0; i < wanted; i++)
        if (to[i] == 1 && from[extra + i] != 1) repeats[count++] = i;
    if (!extra && count == 1 && repeats[0] == wanted - 1 && is_numpy(g) && is_short(g))
        return sum_along(g, wanted - 1, true); /* or the rules do it */
    PyObject *made = Py_NewRef(g);
    sum_over(c, &made, first, extra, false);
    sum_over(c, &made, repeats, count, true);
    return made;
}
