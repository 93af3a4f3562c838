/* Functions of arrays that are operators of Python, applied and reversed without Python code.
 *
 * A record that names an operator (checkpoint.ad.tensors, `operator`) is the operator wherever all its operands are
 * arrays and numbers. Its rules are those of the operator while shapes and dtypes agree: a cotangent that would have
 * another shape or dtype than its operand is left to the record's rule, which sums and converts.
 */
#ifndef CK_OPERATORS_H
#define CK_OPERATORS_H

#include "arrays/storage_table.h"

typedef enum Operator { NO_OPERATOR, ADDITION, SUBTRACTION, MULTIPLICATION, NEGATION } Operator;

/* Returns the operator that a record is. */
Operator operator_of(const ArrayClasses *c, PyObject *record);

/* Returns the result, a new reference; NULL: an exception is set. */
PyObject *apply_operator(Operator operator, PyObject *const *operands);

/* Returns the cotangent of an operand, a new reference; NULL without an exception: the record's rule gives it. */
PyObject *operator_cotangent(const ArrayClasses *c, Operator operator, PyObject *g, PyObject *natives,
                             Py_ssize_t position);

/* Adds an Accumulator to another one, in place where that owns its array; false: an exception is set. */
bool add_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *into, PyObject *contribution);

#endif
