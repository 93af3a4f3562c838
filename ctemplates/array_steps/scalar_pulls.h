/* The reversal of steps on NumPy's scalars and of reading elements and views, on doubles of C.
 *
 * What always holds: sums and products are those of the rules, on the same doubles and in the same order. What is not
 * finite, or so small that NumPy might warn of it, is left to them.
 */
#ifndef CK_SCALAR_PULLS_H
#define CK_SCALAR_PULLS_H

#include "array_steps/pull.h"

/* Returns whether an accumulator is that of a scalar, or has received nothing. */
bool takes_scalar(const Pull *p, const Value *accumulator);

/* Adds to such an accumulator; false: an exception is set. */
bool add_scalar(Pull *p, Value *accumulator, double cotangent);

/* Adds the cotangent of an operand, by the number of the step's operator. NOT_HERE: operands, accumulator or operator are
 * others. */
Pulling pull_scalar(Pull *p, int64_t operator, Py_ssize_t position, Value *accumulator);

#endif
