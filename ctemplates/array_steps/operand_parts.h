/* Operands in parts: tuples and lists of numbers, of what has no derivative, and of such tuples and lists.
 *
 * In: the value of such an operand, while a step on arrays takes it. Out: the births of its nests, each before those within
 * it. What always holds: a number in an operand that has births is a field of one of them, by which its cotangent is found.
 * Nests that the run has not made, deeper ones, and more of them than MOST_BIRTHS have none: Python tapes the step.
 */
#ifndef CK_OPERAND_PARTS_H
#define CK_OPERAND_PARTS_H

#include "arrays/array_classes.h"
#include "numpy/joining.h"
#include "tasks/task.h"

/* Notes the births of an operand, if it has them. */
void note_births(const ArrayClasses *c, Natives *natives, uint32_t i, Value v);

/* Returns the births of all operands for a tape, a new reference; NULL with an exception. */
PyObject *packed_births(const Natives *natives);

/* Returns those of an operand among packed ones; NULL: it has none. */
const uint64_t *births_of_operand(PyObject *packed, Py_ssize_t i);

/* Returns the same as Python's integers: for each operand a tuple, a new reference; NULL with an exception. */
PyObject *unpacked_births(PyObject *packed, Py_ssize_t count);

/* Returns how many nests (joining.h) there are in a native operand, itself counted: so many births it has. */
Py_ssize_t nests_in(PyObject *native);

#endif
