/* Results of functions of arrays that are no arrays: numbers, strings, None, and tuples of integers, such as shapes. */
#ifndef CK_PLAIN_RESULTS_H
#define CK_PLAIN_RESULTS_H

#include "bridge/passage.h"
#include "state/machine.h"

/* Returns whether C makes the value of the language of a result. */
bool is_plain(PyObject *result);

/* Returns the value of the language; a tuple has the machine's next birth. */
Value plain_value(Machine *m, Passage *x, PyObject *result);

#endif
