/* Values on their way between C and Python: what bridge.h promises, for the files that include Python.h.
 *
 * In: values or Python objects, with the GIL held and an `escape` of the caller's own set, since allocation may
 * jump. Out: the others. A Passage remembers each object that has passed, both ways: what is met again is the
 * same. It is its own list of work: what has been passed but not yet filled stands from `done` on.
 *
 * Where Python fails, its exception is set and `failed` too; nothing of the passage is then to be used.
 */
#ifndef CK_PASSAGE_H
#define CK_PASSAGE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bridge/bridge.h"

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
    void *peer;   /* PyObject *: where side.owner is asked for when it is needed; NULL: nowhere */
    bool amounts; /* duals are accumulators of duals, and nothing else is known */
    bool failed;
    Known *known;
    size_t count, room, done;
    Index by_object, by_python;
    Known at_hand[AT_HAND];
} Passage;

void passage_begin(Passage *x, Heap *heap, void *peer);
void passage_end(Passage *x);

/* Remembers a pair, taking a reference to `python`; false: no memory. */
bool passage_add(Passage *x, Object *object, PyObject *python);
Known *passage_find_object(Passage *x, const Object *object);
Known *passage_find_python(Passage *x, const PyObject *python);
PyObject *passage_owner(Passage *x); /* the machine's owner in Python, borrowed; NULL: there is none */

/* A value as a new reference, or NULL. What it holds follows with export_rest. `fresh`: if it is a number that C
 * only refers to, as a location of its own. */
PyObject *export_value(Passage *x, Value v, bool fresh);
bool export_rest(Passage *x);
PyObject *export_key(Value key);

/* A Python object as a value, which is the caller's. What it holds follows with import_rest. */
Value import_value(Passage *x, PyObject *python);
bool import_rest(Passage *x);
const Procedure *import_procedure(Passage *x, PyObject *lambda);

/* What a heap remembers of Python objects that outlive it: the values of constants, layouts and lambdas, and for
 * the constants' own objects where they are from. */
bool heap_recall(const Heap *heap, const void *key, Value *value);
void heap_remember(Heap *heap, const void *key, Value value); /* may jump; takes the reference */

/* Python's classes, found once. Slots of their instances are read and written where they are. */
typedef struct Classes {
    PyTypeObject *pair, *closure, *environment, *record, *list, *dictionary, *dual, *array, *both;
    Py_ssize_t pair_birth, pair_car, pair_cdr, closure_lambda, closure_environment;
    Py_ssize_t environment_birth, environment_values, record_birth, record_layout, record_items;
    Py_ssize_t list_birth, list_items, list_owner, list_stale;
    Py_ssize_t dictionary_birth, dictionary_items, dictionary_owner, dictionary_stale;
    Py_ssize_t dual_tag, dual_primal, dual_tangent, both_primal, both_tangent, layout_class;
    PyObject *empty, *frozen, *never, *tuple_layout, *layout, *fresh, *procedure_peer;
    /* names */
    PyObject *machine, *owner, *address, *start, *stop, *step, *fields;
    PyObject *perform, *differentiate, *resume, *wrong_call, *truth, *strip, *uncaught, *reverse;
} Classes;
/* What a module names, a new reference; NULL: there is no such thing, and an exception is set. offset_in: where the
 * instances of a class have a slot; 0: nowhere. */
PyObject *found_in(const char *module, const char *name);
PyTypeObject *class_in(const char *module, const char *name);
Py_ssize_t offset_in(PyTypeObject *type, const char *name);

typedef struct Named {
    PyObject **name;
    const char *text;
} Named;
void intern_names(const Named *names, size_t count); /* where one cannot be made, an exception is set */

const Classes *classes(void); /* NULL: they cannot be found, and an exception is set */

static inline PyObject **slot_of(PyObject *object, Py_ssize_t offset) {
    return (PyObject **)(void *)((char *)object + offset);
}

/* A new instance with its slots empty. */
static inline PyObject *new_instance(PyTypeObject *type) { return PyType_GenericAlloc(type, 0); }

#endif
