/* Functions of arrays that are applied and reversed without Python code.
 *
 * A record that names an operator (checkpoint.ad.tensors, `operator`) is that row of the table in operators.c wherever
 * all its operands are arrays and numbers. A row gives the cotangents that the record's rules give, to the last bit,
 * while shapes and dtypes agree; wherever it gives none, the rule does.
 */
#ifndef CK_OPERATORS_H
#define CK_OPERATORS_H

#include "arrays/array_classes.h"

/* An application that is reversed, of which nothing here is owned. */
typedef struct Reversed {
    const ArrayClasses *c;
    PyObject *g, *result, *const *operands; /* the cotangent, as an array; the result and operands as far as kept */
    Py_ssize_t count;
    bool disposable; /* g may be changed in place: it is no operand's cotangent, and no other one will be asked for */
} Reversed;

typedef PyObject *Apply(PyObject *const *operands);
typedef PyObject *Reverse(const Reversed *r, Py_ssize_t position);

/* name: as records write it. apply: returns the result, a new reference; it, or what it returns, is NULL: the record's own
 * function is called.
 * reverse: returns the cotangent of an operand, a new array, or g; NULL: the rule gives it, an exception is ignored.
 * elementwise: it is asked only for operands of g's shape, and returns arrays of that. */
typedef struct Operator {
    const char *name;
    Apply *apply;
    Reverse *reverse;
    bool elementwise;
} Operator;

/* Returns the number of a row by its name; 0: there is none. */
int operator_named(const char *name);

/* Returns a row; NULL for the number 0. */
const Operator *operator_at(int64_t number);

/* Returns the cotangent of an operand in the form of the operand, a new reference: g, or an array that nobody else
 * has. NULL without an exception: the record's rule gives it. */
PyObject *operator_cotangent(const Operator *operator, const Reversed *r, Py_ssize_t position);

#endif
