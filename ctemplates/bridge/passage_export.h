/* Export: values of C as Python's (passage.h). */
#ifndef CK_PASSAGE_EXPORT_H
#define CK_PASSAGE_EXPORT_H

#include "bridge/passage.h"

/* A value as a new reference, or NULL. What it holds follows with export_rest. `fresh`: if it is a number that C
 * only refers to, as a location of its own. */
PyObject *export_value(Passage *x, Value v, bool fresh);

bool export_rest(Passage *x);

PyObject *export_key(Value key);

#endif
