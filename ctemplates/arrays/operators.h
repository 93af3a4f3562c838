/* Functions of arrays that are applied and reversed without Python code.
 *
 * A record that names an operator (checkpoint.ad.tensors, `operator`) is that row of the table in operators.c wherever
 * all its operands are arrays and numbers. A row gives the cotangents that the record's rules give, to the last bit; where
 * it gives none, as shapes, dtypes or libraries are not what it handles, the rule does.
 */
#ifndef CK_OPERATORS_H
#define CK_OPERATORS_H

#include "arrays/forms.h"

/* An application that is reversed, of which nothing here is owned. */
typedef struct Reversed {
    const ArrayClasses *c;
    PyObject *g, *result, *const *operands; /* the cotangent, as an array; the result and operands as far as kept */
    Py_ssize_t count;
    Forms *forms; /* of g and the operands */
    PyObject *form; /* a Like, the form of g and of all operands that are arrays; NULL: not known */
    bool disposable; /* g may be changed in place: it is no operand's cotangent, and no other one will be asked for */
} Reversed;

typedef PyObject *Apply(const ArrayClasses *c, PyObject *const *operands, Py_ssize_t count);
typedef PyObject *Reverse(const Reversed *r, Py_ssize_t position);

/* What `reverse` returns: an array of g's shape, which is summed where the operand was broadcast; a new array of the
 * operand's shape; what may be a view of g; or the same, where the operand may also be in parts, which `apply` then takes
 * without an array among the others. */
typedef enum Returns { OF_RESULT, OF_OPERAND, A_VIEW, OF_PARTS } Returns;

/* The numbers of the rows that reversals know by themselves; the others have those behind them. */
enum {
    NO_OPERATOR, ADD_OPERATOR, SUBTRACT_OPERATOR, MULTIPLY_OPERATOR, DIVIDE_OPERATOR, NEGATIVE_OPERATOR, ELEMENT_OPERATOR,
    SLICE_OPERATOR, SET_OPERATOR, ARRAY_OPERATOR, OTHER_OPERATORS
};

/* name: as records write it. apply: returns the result, a new reference; it, or what it returns, is NULL: the record's own
 * function is called.
 * reverse: returns the cotangent of an operand, a new reference, which may be g; NULL: the rule gives it, an exception is
 * ignored. */
typedef struct Operator {
    const char *name;
    Apply *apply;
    Reverse *reverse;
    Returns returns;
} Operator;

/* Returns the number of a row by its name, or of a slope of scalars.def by the name of its function; 0: there is none. */
int operator_named(const char *name);

/* Returns a row; NULL for the number 0, and for slopes, which are not applied here. */
const Operator *operator_at(int64_t number);

/* Returns whether the function of a row, or one with a slope, makes of arrays of one form, and of numbers of Python, an
 * array of that form, if its elements are no integers. */
bool keeps_form(int64_t number);

/* A cotangent of an operand: g, or another array; is_new: nobody else has its elements; form: its form, a Like, borrowed;
 * NULL: not known. */
typedef struct Given {
    PyObject *array, *form;
    bool is_new;
} Given;

/* Returns the cotangent of an operand in the form of the operand. It has no array, without an exception: the record's rule
 * gives it. */
Given operator_cotangent(int64_t number, const Reversed *r, Py_ssize_t position);

#endif
