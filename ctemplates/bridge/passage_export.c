/* Export: objects are created empty when they are first reached, and then filled in turn. */
#include "bridge/passage_export.h"

#include "bridge/classes.h"
#include "memory/memo.h"
#include "containers/containers.h"
#include "containers/peek.h"

static PyObject *integer(int64_t i) { return PyLong_FromLongLong(i); }

/* Returns a new instance with its birth; NULL: no memory. */
static PyObject *with_birth(PyTypeObject *type, Py_ssize_t birth_offset, int64_t birth) {
    PyObject *made = new_instance(type);
    PyObject *number = made ? integer(birth) : NULL;
    if (!number) {
        Py_XDECREF(made);
        return NULL;
    }
    *slot_of(made, birth_offset) = number;
    return made;
}

static PyObject *exported_owner(Passage *x, uint64_t owner) {
    PyObject *found = owner == FROZEN ? classes()->frozen : passage_owner(x);
    return Py_NewRef(found ? found : Py_None);
}

static PyObject *empty_record(const Object *object) {
    const Classes *c = classes();
    const Value layout = ((const Cells *)object)->cells[0];
    PyObject *made = with_birth(c->record, c->record_birth, object->birth);
    if (!made) return NULL;
    PyObject *python = layout.tag == NOTHING ? c->tuple_layout : ((Foreign *)layout.object)->python;
    *slot_of(made, c->record_layout) = Py_NewRef(python);
    *slot_of(made, c->record_items) = PyTuple_New(object->length - 1);
    return made;
}

static PyObject *empty_list(Passage *x, const List *list) {
    const Classes *c = classes();
    PyObject *made = with_birth(c->list, c->list_birth, list->storage.head.birth);
    if (!made) return NULL;
    *slot_of(made, c->list_items) = PyList_New((Py_ssize_t)list->length);
    *slot_of(made, c->list_owner) = exported_owner(x, list->storage.owner);
    return made;
}

static PyObject *empty_dictionary(Passage *x, const Dictionary *dictionary) {
    const Classes *c = classes();
    PyObject *made = with_birth(c->dictionary, c->dictionary_birth, dictionary->storage.head.birth);
    if (!made) return NULL;
    *slot_of(made, c->dictionary_items) = PyDict_New();
    *slot_of(made, c->dictionary_owner) = exported_owner(x, dictionary->storage.owner);
    return made;
}

static PyObject *empty_instance_of(Passage *x, const Instance *instance) {
    const Classes *c = classes();
    PyObject *made = with_birth(c->instance, c->instance_birth, instance->storage.head.birth);
    if (!made) return NULL;
    *slot_of(made, c->instance_layout) = Py_NewRef((PyObject *)python_in(instance->layout));
    *slot_of(made, c->instance_items) = PyList_New((Py_ssize_t)instance->length);
    *slot_of(made, c->instance_owner) = exported_owner(x, instance->storage.owner);
    return made;
}

static PyObject *empty_environment(const Object *object) {
    const Classes *c = classes();
    PyObject *made = with_birth(c->environment, c->environment_birth, object->birth);
    if (made) *slot_of(made, c->environment_values) = PyTuple_New(object->length);
    return made;
}

static PyObject *empty_dual(const Passage *x, const Object *object) {
    const Classes *c = classes();
    return x->cotangents ? new_instance(c->both) : with_birth(c->dual, c->dual_tag, object->birth);
}

static PyObject *empty_object(Passage *x, Object *object, Kind kind) {
    const Classes *c = classes();
    switch (kind) {
    case PAIR: return with_birth(c->pair, c->pair_birth, object->birth);
    case RECORD: return empty_record(object);
    case LIST: return empty_list(x, (const List *)object);
    case DICTIONARY: return empty_dictionary(x, (const Dictionary *)object);
    case INSTANCE: return empty_instance_of(x, (const Instance *)object);
    case DUAL: return empty_dual(x, object);
    default: return empty_environment(object);
    }
}

/* Exports a counted object, to be filled later; each occurrence of a dual becomes a new location. */
static PyObject *export_object(Passage *x, Object *object, Kind kind) {
    Value source;
    if (kind != DUAL) {
        const Known *known = passage_find_object(x, object);
        if (known) return Py_NewRef(known->python);
        if (x->failed) return NULL;
        if (!object->birth && heap_recall(x->heap, object, &source) && source.tag == FOREIGN)
            return Py_NewRef(((Foreign *)source.object)->python);
    }
    PyObject *made = empty_object(x, object, kind);
    if (made && !passage_add(x, object, made)) Py_CLEAR(made);
    return made;
}

static PyObject *export_closure(Passage *x, Value v) {
    const Classes *c = classes();
    PyObject *environment = kind_of(v) == PROCEDURE ? Py_NewRef(c->empty) : export_object(x, v.object, ENVIRONMENT);
    PyObject *made = environment ? new_instance(c->closure) : NULL;
    if (!made) {
        Py_XDECREF(environment);
        return NULL;
    }
    *slot_of(made, c->closure_lam) = Py_NewRef((PyObject *)procedure_of(v)->lambda);
    *slot_of(made, c->closure_env) = environment;
    return made;
}

static PyObject *export_range(const Value *cells) {
    return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)cells[0].integer,
                                 (long long)cells[1].integer, (long long)cells[2].integer);
}

/* Returns another handle on an array, as checkpoint.ad.numbers.fresh does. */
static PyObject *fresh_array(PyObject *array) {
    const Classes *c = classes();
    PyObject *made = new_untracked(c->array);
    if (!made) return NULL;
    *slot_of(made, c->array_data) = Py_XNewRef(*slot_of(array, c->array_data));
    *slot_of(made, c->array_memory) = Py_XNewRef(*slot_of(array, c->array_memory));
    return made;
}

static PyObject *export_foreign(const Passage *x, Foreign *foreign, bool fresh) {
    PyObject *python = foreign->python;
    foreign_touch(x->heap, foreign);
    if (fresh && !x->cotangents) {
        if (Py_IS_TYPE(python, classes()->array)) return fresh_array(python);
        if (Py_IS_TYPE(python, classes()->dual)) return PyObject_CallOneArg(classes()->fresh, python);
    }
    return Py_NewRef(python);
}

PyObject *export_value(Passage *x, Value v, bool fresh) {
    const Kind kind = kind_of(v);
    switch (kind) {
    case REAL: return PyFloat_FromDouble(v.real);
    case INTEGER: return integer(v.integer);
    case BOOLEAN: return PyBool_FromLong(v.integer != 0);
    case NOTHING: return Py_NewRef(Py_None);
    case FOREIGN: return export_foreign(x, (Foreign *)v.object, fresh);
    case PROCEDURE:
    case CLOSURE: return export_closure(x, v);
    case RANGE: return export_range(cells_of(v));
    case NODE:
        PyErr_SetString(PyExc_SystemError, "a number on a tape left its step");
        return NULL;
    default: return export_object(x, v.object, kind);
    }
}

/* Returns an object of a class that derives from tuple. Steals the items; an enumeration returns its member. */
static PyObject *of_tuple_class(PyObject *class, PyObject *items) {
    if (PyObject_HasAttrString(class, "__members__")) {
        PyObject *member = PyObject_CallOneArg(class, items);
        Py_DECREF(items);
        return member;
    }
    PyObject *arguments = PyTuple_Pack(1, items);
    Py_DECREF(items);
    PyObject *made = arguments ? PyTuple_Type.tp_new((PyTypeObject *)class, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    return made;
}

/* Exports a key, recursively: keys are shallow, and Python's own hash of them recurses too. */
PyObject *export_key(Value key) {
    Passage none;
    if (kind_of(key) != RECORD) {
        none.cotangents = true;
        return export_value(&none, key, false);
    }
    const Value *cells = cells_of(key);
    const Py_ssize_t count = (Py_ssize_t)key.object->length - 1;
    PyObject *parts = PyTuple_New(count);
    for (Py_ssize_t i = 0; parts && i < count; i++) {
        PyObject *part = export_key(cells[i + 1]);
        if (!part) Py_CLEAR(parts);
        if (parts) PyTuple_SET_ITEM(parts, i, part);
    }
    if (!parts || cells[0].tag == NOTHING) return parts;
    return of_tuple_class(*slot_of(((Foreign *)cells[0].object)->python, classes()->layout_cls), parts);
}

/* Filling */

static bool fill_tuple(Passage *x, PyObject *tuple, const Value *cells) {
    if (!tuple) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = export_value(x, cells[i], true);
        if (!item) return false;
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return true;
}

static bool fill_list(Passage *x, PyObject *items, const Value *values) {
    if (!items) return false;
    const Py_ssize_t count = PyList_GET_SIZE(items);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = export_value(x, values[i], true);
        if (!item) return false;
        PyList_SET_ITEM(items, i, item);
    }
    return true;
}

static bool fill_dictionary(Passage *x, PyObject *items, const Entries *from) {
    if (!items) return false;
    for (size_t i = 0; i < from->end; i++) {
        if (from->all[i].field == NO_FIELD) continue;
        PyObject *key = export_key(from->all[i].key);
        PyObject *value = key ? export_value(x, from->all[i].value, true) : NULL;
        const bool set = value && PyDict_SetItem(items, key, value) == 0;
        Py_XDECREF(key);
        Py_XDECREF(value);
        if (!set) return false;
    }
    return true;
}

static bool fill_two(Passage *x, PyObject *object, const Value *cells, Py_ssize_t first, Py_ssize_t second) {
    return (*slot_of(object, first) = export_value(x, cells[0], true)) &&
           (*slot_of(object, second) = export_value(x, cells[1], true));
}

static bool fill(Passage *x, Known known) {
    const Classes *c = classes();
    const Value *cells = ((Cells *)known.object)->cells;
    switch ((Kind)known.object->kind) {
    case PAIR: return fill_two(x, known.python, cells, c->pair_car, c->pair_cdr);
    case DUAL:
        return x->cotangents ? fill_two(x, known.python, cells, c->both_primal, c->both_tangent)
                          : fill_two(x, known.python, cells, c->dual_primal, c->dual_tangent);
    case RECORD: return fill_tuple(x, *slot_of(known.python, c->record_items), cells + 1);
    case LIST: return fill_list(x, *slot_of(known.python, c->list_items), ((List *)known.object)->values);
    case INSTANCE:
        return fill_list(x, *slot_of(known.python, c->instance_items), ((Instance *)known.object)->values);
    case DICTIONARY:
        return fill_dictionary(
            x, *slot_of(known.python, c->dictionary_items), &((Dictionary *)known.object)->entries);
    default: return fill_tuple(x, *slot_of(known.python, c->environment_values), cells);
    }
}

bool export_rest(Passage *x) {
    while (x->done < x->count) {
        if (!fill(x, x->known[x->done])) {
            x->failed = true;
            return false;
        }
        x->done++;
    }
    return !x->failed;
}
