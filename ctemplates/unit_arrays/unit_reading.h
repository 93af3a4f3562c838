/* What translated code reads of arrays, without the GIL: see state/element_sums.h. */
#ifndef CK_UNIT_READING_H
#define CK_UNIT_READING_H

#include "arrays/array_classes.h"
#include "memory/heap.h"
#include "state/element_sums.h"

/* Returns the object of a FOREIGN, borrowed. */
static inline PyObject *python_of(Value v) { return ((const Foreign *)v.object)->python; }

/* Returns the array that a handle shows, borrowed; NULL: it is no Array, or the classes have not been found yet. */
PyObject *data_in(Value v);

/* Returns whether an object is an array of NumPy's of doubles whose elements translated code reads. */
bool is_plain_array(PyObject *data);

/* Returns what translated code may make of a value: ELEMENT_SCALAR, a handle of a scalar; ELEMENT_SCALAR and the number of its
 * axes, one of an array whose elements are read in place; WHOLE_ROW or TRUTH_ROW, one of integers or booleans with one axis;
 * 0: nothing. */
enum { ELEMENT_SCALAR = 3, WHOLE_ROW = ELEMENT_SCALAR + ELEMENT_AXES + 1, TRUTH_ROW };
int64_t element_kind(Value v);

/* Those of ElementHooks. */
bool open_scalar(Value v, double *x);
bool open_array(Machine *m, Value v, int axes, int64_t steps, ElementView *view);
bool is_whole_row(Value v);
bool is_truth_row(Value v);
bool whole_at(Machine *m, Value v, int64_t index, int64_t least, int64_t *whole);
bool find_loop(const char *name, int operands, ElementLoop *loop);

#endif
