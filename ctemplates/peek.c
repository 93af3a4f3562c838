/* What native steps look at in Python objects: strings, large integers, the layouts of records.
 *
 * Strings never change, so looking at one that is held needs no GIL. What is asked of a Layout is asked
 * once, with the GIL, and remembered in the heap: a table of one place for each pair of a layout and a
 * name, which holds both. What always holds: this raises no Python exception. /
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "natives.h"

static PyObject *python_in(Value v) { return ((Foreign *)v.object)->python; }

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

bool same_python_type(Value a, Value b) { return Py_TYPE(python_in(a)) == Py_TYPE(python_in(b)); }

/* Large integers: those that INTEGER cannot hold */

bool is_large_integer(Value v) { return kind_of(v) == FOREIGN && PyLong_CheckExact(python_in(v)); }

bool large_integers_equal(Value a, Value b) {
    PyGILState_STATE state = PyGILState_Ensure();
    const bool equal = PyObject_RichCompareBool(python_in(a), python_in(b), Py_EQ) == 1;
    PyGILState_Release(state);
    return equal;
}

uint64_t large_integer_hash(Value v) {
    PyGILState_STATE state = PyGILState_Ensure();
    const uint64_t hash = (uint64_t)PyObject_Hash(python_in(v));
    PyGILState_Release(state);
    return hash;
}

/* Layouts */

enum { PLACES = 256, IS_TUPLE = 1, IS_OVERLOADS = 2 };

typedef struct Known {
    PyObject *layout, *name; /* owned; name NULL: about the layout itself */
    int64_t arity;           /* in the place of a name; -1: none */
    int32_t answer;          /* a position, -1: nowhere; of the layout itself IS_TUPLE, IS_OVERLOADS */
} Known;

typedef struct Layouts {
    Known known[PLACES];
} Layouts;

static PyObject *class_of(PyObject *layout) { return PyObject_GetAttrString(layout, "cls"); }

static int32_t asked_kind(PyObject *layout) {
    PyObject *cls = class_of(layout);
    if (!cls) return 0;
    int32_t answer = 0;
    if (PyType_Check(cls)) {
        PyTypeObject *type = (PyTypeObject *)cls;
        if (PyType_IsSubtype(type, &PyTuple_Type)) answer |= IS_TUPLE;
        PyObject *name = PyObject_GetAttrString(cls, "__name__");
        if (name && PyUnicode_CompareWithASCIIString(name, "Overloads") == 0) answer |= IS_OVERLOADS;
        Py_XDECREF(name);
    }
    Py_DECREF(cls);
    return answer;
}

static int32_t position_in(PyObject *layout, PyObject *name) {
    PyObject *index = PyObject_GetAttrString(layout, "index");
    if (!index) return -1;
    PyObject *position = PyDict_Check(index) ? PyDict_GetItemWithError(index, name) : NULL;
    const int32_t answer = position ? (int32_t)PyLong_AsLong(position) : -1;
    Py_DECREF(index);
    return answer;
}

static int32_t asked(PyObject *layout, PyObject *name, int64_t arity) {
    PyGILState_STATE state = PyGILState_Ensure();
    int32_t answer = -1;
    if (arity >= 0) {
        PyObject *digits = PyUnicode_FromFormat("%lld", (long long)arity);
        if (digits) answer = position_in(layout, digits);
        Py_XDECREF(digits);
    } else {
        answer = name ? position_in(layout, name) : asked_kind(layout);
    }
    PyErr_Clear();
    PyGILState_Release(state);
    return answer;
}

static void replace(Known *known, Known by) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *layout = known->layout, *name = known->name;
    Py_INCREF(by.layout);
    Py_XINCREF(by.name);
    *known = by;
    Py_XDECREF(layout);
    Py_XDECREF(name);
    PyGILState_Release(state);
}

static int32_t known(Heap *heap, PyObject *layout, PyObject *name, int64_t arity) {
    if (UNLIKELY(!heap->layouts)) {
        Layouts *layouts = heap_allocate(heap, sizeof(Layouts));
        memset(layouts, 0, sizeof(Layouts));
        heap->layouts = layouts;
    }
    const uintptr_t mixed = ((uintptr_t)layout >> 4) * 31 + ((uintptr_t)name >> 4) + (uintptr_t)(arity + 1);
    Known *place = &heap->layouts->known[(mixed ^ mixed >> 8) % PLACES];
    if (UNLIKELY(place->layout != layout || place->name != name || place->arity != arity)) {
        const int32_t answer = asked(layout, name, arity);
        replace(place, (Known){.layout = layout, .name = name, .arity = arity, .answer = answer});
    }
    return place->answer;
}

int32_t layout_position(Heap *heap, void *layout, void *name) { return known(heap, layout, name, -1); }
int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity) {
    return known(heap, layout, NULL, arity);
}
bool layout_is_tuple(Heap *heap, void *layout) { return known(heap, layout, NULL, -1) & IS_TUPLE; }
bool layout_is_overloads(Heap *heap, void *layout) { return known(heap, layout, NULL, -1) & IS_OVERLOADS; }

void layouts_destroy(Heap *heap) {
    if (!heap->layouts) return;
    for (size_t i = 0; i < PLACES; i++) {
        Py_XDECREF(heap->layouts->known[i].layout);
        Py_XDECREF(heap->layouts->known[i].name);
    }
    heap_free(heap, heap->layouts, sizeof(Layouts));
    heap->layouts = NULL;
}
