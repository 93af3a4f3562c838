/* Trees of data: see trees.h. They are shallow, so both directions recurse. */
#include "bridge/trees.h"

#include "containers/containers.h"
#include "containers/keys.h"

/* Import */

static bool import_part(Tree *tree, PyObject *python, Value *to, int deeper);

static Value import_string(Tree *tree, PyObject *python) {
    const Value made = new_foreign(tree->heap, python, false); /* first: memory may run out */
    Py_INCREF(python);
    return made;
}

static bool import_tuple(Tree *tree, PyObject *python, Value *to, int deeper) {
    const Py_ssize_t length = PyTuple_GET_SIZE(python);
    if (length > tree->parts) return false;
    Cells *made = new_cells(tree->heap, RECORD, (uint32_t)length + 1);
    for (Py_ssize_t i = 0; i <= length; i++) made->cells[i] = nothing();
    made->head.birth = (uint64_t)tree->births++ & LARGEST_BIRTH;
    *to = of_object(RECORD, made);
    for (Py_ssize_t i = 0; i < length; i++)
        if (!import_part(tree, PyTuple_GET_ITEM(python, i), &made->cells[i + 1], deeper)) return false;
    return true;
}

static bool import_list(Tree *tree, PyObject *python, Value *to, int deeper) {
    const Py_ssize_t length = PyList_GET_SIZE(python);
    if (length > tree->parts) return false;
    *to = new_list(tree->heap, (size_t)length, FROZEN);
    Value *values = list_in(*to)->values;
    for (Py_ssize_t i = 0; i < length; i++) values[i] = nothing();
    to->object->birth = (uint64_t)tree->births++ & LARGEST_BIRTH;
    for (Py_ssize_t i = 0; i < length; i++)
        if (!import_part(tree, PyList_GET_ITEM(python, i), &values[i], deeper)) return false;
    return true;
}

static bool import_dictionary(Tree *tree, PyObject *python, Value *to, int deeper) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    *to = new_dictionary(tree->heap, FROZEN);
    Entries *entries = entries_in(*to);
    to->object->birth = (uint64_t)tree->births++ & LARGEST_BIRTH;
    while (PyDict_Next(python, &position, &key, &value)) {
        if (!PyUnicode_CheckExact(key)) return false;
        const Value name = import_string(tree, key);
        const int64_t field = key_field(tree->heap, name, ALL_KEYS);
        Value part = nothing();
        if (field == NO_FIELD || !import_part(tree, value, &part, deeper)) return false;
        entries_set(tree->heap, entries, field, name, part);
    }
    return true;
}

/* deeper: how many containers may be within this one. */
static bool import_part(Tree *tree, PyObject *python, Value *to, int deeper) {
    const PyTypeObject *type = Py_TYPE(python);
    if (tree->parts-- <= 0) return false;
    if (type == &PyFloat_Type) {
        *to = of_real(PyFloat_AS_DOUBLE(python));
    } else if (type == &PyLong_Type) {
        int overflow;
        *to = of_integer(PyLong_AsLongLongAndOverflow(python, &overflow));
        return !overflow;
    } else if (type == &PyBool_Type) {
        *to = of_boolean(python == Py_True);
    } else if (python == Py_None) {
        *to = nothing();
    } else if (type == &PyUnicode_Type) {
        *to = import_string(tree, python);
    } else if (!deeper) {
        return false;
    } else if (type == &PyTuple_Type) {
        return import_tuple(tree, python, to, deeper - 1);
    } else if (type == &PyList_Type) {
        return import_list(tree, python, to, deeper - 1);
    } else if (type == &PyDict_Type) {
        return import_dictionary(tree, python, to, deeper - 1);
    } else {
        return false;
    }
    return true;
}

bool tree_import(Tree *tree, PyObject *python, Value *to) { return import_part(tree, python, to, DEEPEST_TREE); }

/* Cotangents */

static PyObject *of_tuple(Cotangent *c, const Cells *record, size_t *reals) {
    const Py_ssize_t length = (Py_ssize_t)record->head.length - 1;
    PyObject *made = PyTuple_New(length);
    for (Py_ssize_t i = 0; made && i < length; i++) {
        PyObject *part = tree_cotangent(c, record->cells[i + 1], record->head.birth, i, reals);
        if (part) PyTuple_SET_ITEM(made, i, part);
        else Py_CLEAR(made);
    }
    return made;
}

static PyObject *of_list(Cotangent *c, const List *list, size_t *reals) {
    PyObject *made = PyList_New((Py_ssize_t)list->length);
    for (size_t i = 0; made && i < list->length; i++) {
        PyObject *part = tree_cotangent(c, list->values[i], list->storage.head.birth, (int64_t)i, reals);
        if (part) PyList_SET_ITEM(made, (Py_ssize_t)i, part);
        else Py_CLEAR(made);
    }
    return made;
}

static PyObject *of_dictionary(Cotangent *c, const Dictionary *dictionary, size_t *reals) {
    const Entries *entries = &dictionary->entries;
    PyObject *made = PyDict_New();
    for (size_t i = 0; made && i < entries->end; i++) {
        const DictionaryEntry *entry = &entries->all[i];
        PyObject *part = tree_cotangent(c, entry->value, dictionary->storage.head.birth, entry->field, reals);
        if (!part || PyDict_SetItem(made, ((Foreign *)entry->key.object)->python, part) < 0) Py_CLEAR(made);
        Py_XDECREF(part);
    }
    return made;
}

PyObject *tree_cotangent(Cotangent *c, Value value, uint64_t birth, int64_t field, size_t *reals) {
    switch (kind_of(value)) {
    case REAL: {
        const Value *found = cotangent_find(c, birth, field);
        ++*reals;
        return !found ? PyFloat_FromDouble(0.0) : found->tag == REAL ? PyFloat_FromDouble(found->real) : NULL;
    }
    case RECORD: return of_tuple(c, (const Cells *)value.object, reals);
    case LIST: return of_list(c, list_in(value), reals);
    case DICTIONARY: return of_dictionary(c, dictionary_in(value), reals);
    default: Py_RETURN_NONE;
    }
}
