/* Reads Python objects for native steps: strings, large integers, the layouts of records.
 *
 * Strings never change, so reading one that is held needs no GIL. A query about a layout or class is evaluated once,
 * with the GIL, and cached in a table of the heap, which keeps its subject alive. What always holds: no Python
 * exception is raised.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "containers/peek.h"

#include "containers/instances.h"
#include "memory/exceptions.h"
#include "memory/memo.h"

/* Strings */

bool is_text(Value v) { return kind_of(v) == FOREIGN && PyUnicode_CheckExact(python_in(v)); }

size_t text_length(Value v) { return (size_t)PyUnicode_GET_LENGTH(python_in(v)); }

static size_t text_bytes(PyObject *text) {
    return (size_t)PyUnicode_GET_LENGTH(text) * (size_t)PyUnicode_KIND(text);
}

bool texts_equal(Value a, Value b) {
    PyObject *x = python_in(a), *y = python_in(b);
    if (x == y) return true;
    if (PyUnicode_GET_LENGTH(x) != PyUnicode_GET_LENGTH(y) || PyUnicode_KIND(x) != PyUnicode_KIND(y))
        return false;
    return memcmp(PyUnicode_DATA(x), PyUnicode_DATA(y), text_bytes(x)) == 0;
}

uint64_t text_hash(Value v) {
    const unsigned char *bytes = PyUnicode_DATA(python_in(v));
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = text_bytes(python_in(v)); i > 0; i--) hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
    return hash;
}

bool is_any_text(Value v) { return kind_of(v) == FOREIGN && PyUnicode_Check(python_in(v)); }

bool is_foreign_atom(Value v) { return is_any_text(v) || is_large_integer(v); }

bool same_python_type(Value a, Value b) { return Py_TYPE(python_in(a)) == Py_TYPE(python_in(b)); }

/* Large integers: those that INTEGER cannot hold */

bool is_large_integer(Value v) { return kind_of(v) == FOREIGN && PyLong_CheckExact(python_in(v)); }

bool real_of_large_integer(Value v, double *real) {
    if (!is_large_integer(v)) return false;
    PyGILState_STATE state = PyGILState_Ensure();
    *real = PyLong_AsDouble(python_in(v));
    if (PyErr_Occurred()) *real = HUGE_VAL;
    forget_exception();
    PyGILState_Release(state);
    return true;
}

bool objects_equal(Value a, Value b) {
    PyGILState_STATE state = PyGILState_Ensure();
    const bool equal = PyObject_RichCompareBool(python_in(a), python_in(b), Py_EQ) == 1;
    forget_exception();
    PyGILState_Release(state);
    return equal;
}

bool object_hash(Value v, uint64_t *hash) {
    PyGILState_STATE state = PyGILState_Ensure();
    *hash = (uint64_t)PyObject_Hash(python_in(v));
    const bool hashes = !PyErr_Occurred();
    forget_exception();
    PyGILState_Release(state);
    return hashes;
}

/* Returns the only integer that an object can be equal to, or NULL. Other numbers have the hashes of equal integers, which
 * are their own, but for that of -1. */
static PyObject *integer_like(PyObject *python) {
    if (PyLong_Check(python) || PyFloat_Check(python)) return PyNumber_Long(python);
    const Py_hash_t hash = PyObject_Hash(python);
    return hash == -1 ? NULL : PyLong_FromSsize_t(hash == -2 ? -1 : hash);
}

bool whole_of(Value v, int64_t *whole) {
    PyObject *python = python_in(v);
    if (PyLong_CheckExact(python)) return false; /* a large one */
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *integer = integer_like(python);
    int overflow = 1;
    if (integer && PyObject_RichCompareBool(integer, python, Py_EQ) == 1)
        *whole = PyLong_AsLongLongAndOverflow(integer, &overflow);
    Py_XDECREF(integer);
    forget_exception();
    PyGILState_Release(state);
    return !overflow;
}

bool like_text(Value v) {
    PyObject *python = python_in(v);
    if (!PyUnicode_Check(python)) return false;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *text = PyUnicode_FromObject(python); /* of str itself */
    const bool like = text && PyObject_Hash(text) == PyObject_Hash(python) && !PyErr_Occurred() &&
                      PyObject_RichCompareBool(text, python, Py_EQ) == 1;
    Py_XDECREF(text);
    forget_exception();
    PyGILState_Release(state);
    return like;
}

/* Queries about classes, each evaluated once */

enum { PLACES = 256, IS_TUPLE = 1, IS_OVERLOADS = 2 };

typedef enum Question {
    WHICH_KIND,     /* of a layout: IS_TUPLE, IS_OVERLOADS */
    WHERE_NAMED,    /* of a layout and a name: the position; -1: nowhere */
    WHERE_OF_ARITY, /* of a layout and a number: the position of its digits */
    WITH_NAME,      /* of a layout and a name: whether there is a layout with one more field */
    IS_INSTANCE,    /* of classes, and a layout or a kind of values: 0, 1; -1: only Python can tell */
    IS_OF_CLASS     /* likewise, of these classes themselves */
} Question;

typedef struct Known {
    Question question;
    int32_t answer;
    PyObject *about, *also; /* owned; NULL: none */
    PyObject *found;        /* of WITH_NAME: the layout, owned */
    int64_t number;
} Known;

typedef struct Layouts {
    Known known[PLACES];
} Layouts;

/* Returns an attribute by the one interned string of its name: Python's cache of attributes keeps every string used. */
static PyObject *attribute(PyObject *object, const char *name) {
    PyObject *interned = PyUnicode_InternFromString(name);
    PyObject *found = interned ? PyObject_GetAttr(object, interned) : NULL;
    Py_XDECREF(interned);
    return found;
}

static int32_t kind_of_layout(PyObject *layout) {
    PyObject *cls = attribute(layout, "cls");
    if (!cls) return 0;
    int32_t answer = 0;
    if (PyType_Check(cls)) {
        if (PyType_IsSubtype((PyTypeObject *)cls, &PyTuple_Type)) answer |= IS_TUPLE;
        PyObject *name = attribute(cls, "__name__");
        if (name && PyUnicode_CompareWithASCIIString(name, "Overloads") == 0) answer |= IS_OVERLOADS;
        Py_XDECREF(name);
    }
    Py_DECREF(cls);
    return answer;
}

static int32_t position_in(PyObject *layout, PyObject *name) {
    PyObject *index = attribute(layout, "index");
    if (!index) return -1;
    PyObject *position = PyDict_Check(index) ? PyDict_GetItemWithError(index, name) : NULL;
    const int32_t answer = position ? (int32_t)PyLong_AsLong(position) : -1;
    Py_DECREF(index);
    return answer;
}

static int32_t position_of_arity(PyObject *layout, int64_t arity) {
    PyObject *digits = PyUnicode_FromFormat("%lld", (long long)arity);
    const int32_t answer = digits ? position_in(layout, digits) : -1;
    Py_XDECREF(digits);
    return answer;
}

/* Returns the class of values of a kind; NULL: the kind does not determine it. */
static PyTypeObject *class_of_kind(int64_t kind) {
    switch (kind) {
    case REAL: return &PyFloat_Type;
    case INTEGER: return &PyLong_Type;
    case BOOLEAN: return &PyBool_Type;
    case NOTHING: return Py_TYPE(Py_None);
    case RECORD: return &PyTuple_Type;
    case LIST: return &PyList_Type;
    case DICTIONARY: return &PyDict_Type;
    case RANGE: return &PyRange_Type;
    case PROCEDURE:
    case CLOSURE: return &PyFunction_Type;
    case FOREIGN: return &PyUnicode_Type;
    default: return NULL;
    }
}

/* Answers only for classes whose metaclass does not define subclass checks. */
static int32_t is_subclass(PyTypeObject *cls, PyObject *classes) {
    int32_t answer = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
        PyObject *other = PyTuple_GET_ITEM(classes, i);
        if (Py_TYPE(other) != &PyType_Type) return -1;
        answer |= PyType_IsSubtype(cls, (PyTypeObject *)other) != 0;
    }
    return answer;
}

/* Returns the classes in `types`: a Types, or a Layout, which represents its class alone. */
static PyObject *classes_in(PyObject *types) {
    PyObject *classes = attribute(types, "classes");
    if (classes) return classes;
    forget_exception();
    PyObject *cls = attribute(types, "cls"), *found = cls ? PyTuple_Pack(1, cls) : NULL;
    Py_XDECREF(cls);
    return found;
}

static int32_t is_among(PyTypeObject *cls, PyObject *classes) {
    int32_t answer = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++)
        answer |= PyTuple_GET_ITEM(classes, i) == (PyObject *)cls;
    return answer;
}

static int32_t is_instance(Question question, PyObject *types, PyObject *layout, int64_t kind) {
    PyObject *classes = classes_in(types), *cls = layout ? attribute(layout, "cls") : NULL;
    PyTypeObject *type = layout ? (PyTypeObject *)cls : class_of_kind(kind);
    int32_t answer = -1;
    if (classes && PyTuple_Check(classes) && type && PyType_Check((PyObject *)type))
        answer = question == IS_INSTANCE ? is_subclass(type, classes) : is_among(type, classes);
    Py_XDECREF(classes);
    Py_XDECREF(cls);
    return answer;
}

/* Stores the layout with one more field. */
static int32_t widened(Known *known) {
    PyObject *method = attribute(known->about, "with_name");
    known->found = method ? PyObject_CallOneArg(method, known->also) : NULL;
    Py_XDECREF(method);
    return known->found != NULL;
}

static int32_t asked(Known *known) {
    switch (known->question) {
    case WHICH_KIND: return kind_of_layout(known->about);
    case WHERE_NAMED: return position_in(known->about, known->also);
    case WHERE_OF_ARITY: return position_of_arity(known->about, known->number);
    case WITH_NAME: return widened(known);
    case IS_INSTANCE:
    case IS_OF_CLASS: return is_instance(known->question, known->about, known->also, known->number);
    }
    return -1;
}

static void learn(Known *place, Known new) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *about = place->about, *also = place->also, *found = place->found;
    new.answer = asked(&new);
    forget_exception();
    Py_INCREF(new.about);
    Py_XINCREF(new.also);
    *place = new;
    Py_XDECREF(about);
    Py_XDECREF(also);
    Py_XDECREF(found);
    PyGILState_Release(state);
}

static const Known *known(Heap *heap, Question question, void *about, void *also, int64_t number) {
    if (UNLIKELY(!heap->layouts)) {
        Layouts *layouts = heap_allocate(heap, sizeof(Layouts));
        memset(layouts, 0, sizeof(Layouts));
        heap->layouts = layouts;
    }
    const uintptr_t mixed =
        ((uintptr_t)about >> 4) * 31 + ((uintptr_t)also >> 4) + (uintptr_t)number * 7 + (uintptr_t)question;
    Known *place = &heap->layouts->known[(mixed ^ mixed >> 8) % PLACES];
    if (UNLIKELY(place->about != about || place->also != also || place->number != number ||
                 place->question != question))
        learn(place, (Known){.question = question, .about = about, .also = also, .number = number});
    return place;
}

int32_t layout_position(Heap *heap, void *layout, void *name) {
    return known(heap, WHERE_NAMED, layout, name, 0)->answer;
}
int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity) {
    return known(heap, WHERE_OF_ARITY, layout, NULL, arity)->answer;
}
bool layout_is_tuple(Heap *heap, void *layout) { return known(heap, WHICH_KIND, layout, NULL, 0)->answer & IS_TUPLE; }
bool layout_is_overloads(Heap *heap, void *layout) {
    return known(heap, WHICH_KIND, layout, NULL, 0)->answer & IS_OVERLOADS;
}

static int32_t about_class(Heap *heap, Question question, Value v, Value types) {
    double real;
    if (kind_of(types) != FOREIGN || (kind_of(v) == FOREIGN && !is_text(v))) return -1;
    if (kind_of(v) == RECORD && kind_of(cells_of(v)[0]) == FOREIGN)
        return known(heap, question, python_in(types), python_in(cells_of(v)[0]), RECORD)->answer;
    if (kind_of(v) == INSTANCE)
        return known(heap, question, python_in(types), python_in(instance_in(v)->layout), RECORD)->answer;
    const Kind kind = kind_of(v) == DUAL && real_in(v, &real) ? REAL : kind_of(v);
    return known(heap, question, python_in(types), NULL, kind)->answer;
}

int32_t instance_of(Heap *heap, Value v, Value types) { return about_class(heap, IS_INSTANCE, v, types); }
int32_t of_class(Heap *heap, Value v, Value types) { return about_class(heap, IS_OF_CLASS, v, types); }

/* The heap allocates without the GIL: where memory runs out it jumps past a release. The reference is taken last. */
Value layout_value(Heap *heap, void *layout) {
    Value found;
    if (heap_recall(heap, layout, &found)) return found;
    found = new_foreign(heap, layout, false);
    PyGILState_STATE state = PyGILState_Ensure();
    Py_INCREF((PyObject *)layout);
    PyGILState_Release(state);
    heap_remember(heap, layout, found);
    return found;
}

Value layout_with_name(Heap *heap, Value layout, Value name) {
    PyObject *wider = known(heap, WITH_NAME, python_in(layout), python_in(name), 0)->found;
    return wider ? layout_value(heap, wider) : nothing();
}

void layouts_destroy(Heap *heap) {
    if (!heap->layouts) return;
    for (size_t i = 0; i < PLACES; i++) {
        Py_XDECREF(heap->layouts->known[i].about);
        Py_XDECREF(heap->layouts->known[i].also);
        Py_XDECREF(heap->layouts->known[i].found);
    }
    heap_free(heap, heap->layouts, sizeof(Layouts));
    heap->layouts = NULL;
}
