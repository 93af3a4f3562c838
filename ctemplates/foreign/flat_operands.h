/* Operands of steps on arrays that are tuples or lists of arrays: where the cotangents of these belong.
 *
 * An operand is *flat* if it is a tuple or list that a run has made or has been given, of nothing but arrays of numbers.
 * The cotangent of each is that of a field, found by the operand's birth. Python tapes steps with other nests.
 */
#ifndef CK_FLAT_OPERANDS_H
#define CK_FLAT_OPERANDS_H

#include "foreign/applied.h"

/* Notes an operand that is flat, and its birth. */
void note_flat(const ArrayClasses *c, Natives *natives, uint32_t i, Value v);

/* Returns whether C tapes a step: each operand in parts is kept as it is, and is flat if it has a cotangent. A flat one
 * that holds active arrays then counts as a number. false may leave an exception. */
bool tapes_parts(const ArrayClasses *c, PyObject *plan, Natives *natives);

#endif
