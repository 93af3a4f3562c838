/* Rows: arrays of NumPy's with one axis of doubles, as tuples and of lists of reals, without an object of Python for each.
 * The origins of such steps are those of checkpoint/ctarget/origins.py.
 */
#ifndef CK_ROWS_H
#define CK_ROWS_H

#include "arrays/array_classes.h"
#include "containers/containers.h"
#include "memory/exceptions.h"

enum { LEAST_ROW = 8 }; /* reals, from which on they are treated together; as MANY of checkpoint/ad/operands.py */

/* Returns the values of a list as a row, a new reference; NULL, without an exception: not all are reals, or few. */
static inline PyObject *row_of_list(const List *list) {
    uint64_t tags = 0;
    double *reals = NULL;
    PyObject *row = list->length < LEAST_ROW ? NULL : new_row((Py_ssize_t)list->length, &reals);
    for (size_t i = 0; row && i < list->length; i++) {
        tags |= list->values[i].tag;
        reals[i] = list->values[i].real;
    }
    if (tags) Py_CLEAR(row);
    if (!row) forget_exception();
    return row;
}

/* Returns whether an array is a row of as many reals. */
static inline bool is_row(PyObject *array) {
    return is_numpy(array) && is_row_of_reals(array) && numpy_of(array)->shape[0] >= LEAST_ROW;
}

/* Returns the items of a row as a new tuple with the machine's next birth. */
static inline Value items_of_row(Machine *m, PyObject *array) {
    const NumpyArray *row = numpy_of(array);
    const size_t count = (size_t)row->shape[0];
    const Value made = born_tuple(m, count);
    Value *to = cells_of(made) + 1;
    const char *from = row->data;
    if (row->strides[0] == sizeof(double))
        store_reals(to, (const double *)(const void *)from, count);
    else
        for (size_t i = 0; i < count; i++, from += row->strides[0]) to[i] = of_real(*(const double *)(const void *)from);
    return made;
}

/* Returns the origin of a row: `make` takes the plan, the operand or result that is an array, and the birth and length of
 * what holds the reals. is_wanted: whether these receive cotangents. A new reference; NULL with an exception. */
static inline PyObject *origin_of_row(const ArrayClasses *c, PyObject *plan, PyObject *make, PyObject *array, uint64_t birth,
                                      size_t count, bool is_wanted) {
    if (!birth || !is_wanted) return Py_NewRef(c->idle);
    return PyObject_CallFunction(make, "OOKn", plan, array, (unsigned long long)birth, (Py_ssize_t)count);
}

#endif
