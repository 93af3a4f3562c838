/* The conversion of values between C and Python, for files that include Python.h.
 *
 * Export makes a new Python value (checkpoint/ad/values.py, containers.py): sharing within one passage and births are
 * kept, reals are new floats. Import is the reverse. Neither recurses, and containers may be reached from themselves.
 * Mutable containers are copied either way; in a passage for a step, C's and Python's are the same container for as long
 * as the step lasts, and what Python has changed is taken back (take_content). Python's belongs to `machine.owner` then,
 * unless it is FROZEN: the step may change it at once, since C saves its own content.
 *
 * In: values or Python objects, with the GIL held and an `escape` of the caller's own, since allocation may jump. A
 * Passage remembers each object that has passed, in both directions, so that it is converted once. The objects are also
 * its worklist: those from `done` on are made but not yet filled.
 *
 * If Python fails, its exception and `failed` are set, and nothing of the passage may be used.
 */
#ifndef CK_PASSAGE_H
#define CK_PASSAGE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bridge/side.h"
#include "memory/heap.h"

typedef struct Known {
    Object *object;
    PyObject *python; /* owned */
} Known;

typedef struct Index {
    uint32_t *slots; /* 1 + a position among the known; 0: empty */
    size_t room;     /* a power of 2, or 0 */
    size_t entered;  /* how many of the known it has */
} Index;

enum { FEW = 8, AT_HAND = 16 };

typedef struct Passage {
    Heap *heap;
    Side side;
    void *helper;   /* PyObject *: the source of side.owner when it is needed; NULL: none */
    bool cotangents; /* duals are accumulators of duals; all else stays a Python object */
    bool failed;
    Known *known;
    size_t count, room, done;
    Index by_object, by_python;
    Known at_hand[AT_HAND];
} Passage;

void passage_begin(Passage *x, Heap *heap, void *helper);
void passage_end(Passage *x);

/* Remembers a pair, taking a reference to `python`; false: no memory. */
bool passage_add(Passage *x, Object *object, PyObject *python);
Known *passage_find_object(Passage *x, const Object *object);
Known *passage_find_python(Passage *x, const PyObject *python);
PyObject *passage_owner(Passage *x); /* the machine's owner in Python, borrowed; NULL: there is none */

#endif
