/* Export: values of C as Python's (passage.h). */
#ifndef CK_PASSAGE_EXPORT_H
#define CK_PASSAGE_EXPORT_H

#include "bridge/passage.h"

/* Returns a value as a new reference, or NULL. Its content is filled in by export_rest. `fresh`: a number that is a
 * Python object in C too is exported as a location of its own. */
PyObject *export_value(Passage *x, Value v, bool fresh);

bool export_rest(Passage *x);

PyObject *export_key(Value key);

#endif
