/* New handles on arrays and accumulators: small objects of Python that live for a step or two each.
 *
 * Their classes are Python's, so Python would allocate each from the system and free it with all that it does for any
 * class. Here the last ones to be freed are used again.
 */
#ifndef CK_HANDLES_H
#define CK_HANDLES_H

#include "arrays/array_classes.h"

/* Returns a new instance of Array, Discrete, Memory or Accumulator with empty slots; Python's garbage collector does not
 * track it. NULL: an exception is set. */
PyObject *new_handle(const ArrayClasses *c, PyTypeObject *type);

#endif
