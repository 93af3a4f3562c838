/* The cotangents of operands in parts, given to the fields that hold their numbers.
 *
 * What always holds: the last number receives first, as in checkpoint.ad.pullbacks; what has no derivative receives nothing.
 */
#ifndef CK_PART_PULLS_H
#define CK_PART_PULLS_H

#include "array_steps/pull.h"

/* Gives what a rule has returned for an operand that has births, of the same structure; false: an exception is set. */
bool give_parts(Pull *p, Py_ssize_t position, PyObject *cotangents);

/* Gives the elements of p->g to the reals and scalars of which the array was made. NOT_HERE: it was made otherwise. */
Pulling give_elements(Pull *p, Py_ssize_t position);

#endif
