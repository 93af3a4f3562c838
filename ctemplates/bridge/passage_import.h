/* Import: Python's values as C's (passage.h). */
#ifndef CK_PASSAGE_IMPORT_H
#define CK_PASSAGE_IMPORT_H

#include "bridge/passage.h"

/* Returns a Python object as a value that the caller owns. Its content is filled in by import_rest. */
Value import_value(Passage *x, PyObject *python);

bool import_rest(Passage *x);

/* Returns a new container with what a mutable one of Python's has now, also where that is C's own already. Its parts are
 * filled in by import_rest. */
Value import_content(Passage *x, PyObject *python);

const Procedure *import_procedure(Passage *x, PyObject *lambda);

/* Keeps the peer, and so its code, alive as long as the heap. false: a Python exception is set. */
bool heap_keep(Heap *heap, PyObject *peer);

#endif
