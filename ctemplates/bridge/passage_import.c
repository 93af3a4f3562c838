/* Import: objects are created empty when they are first reached, and then filled in turn. Until then their fields are
 * NOTHING, so that they can be dropped at any time.
 */
#include "bridge/passage_import.h"

#include "bridge/classes.h"
#include "memory/memo.h"
#include "containers/containers.h"
#include "containers/keys.h"

enum { DEEP = 64 };                           /* duals nested deeper stay Python objects */

static Value failed(Passage *x) {
    x->failed = true;
    return nothing();
}

/* Returns the content of a slot of an instance, borrowed; NULL: it is empty. */
static PyObject *held(Passage *x, PyObject *object, Py_ssize_t offset) {
    PyObject *found = *slot_of(object, offset);
    if (!found) {
        PyErr_Format(PyExc_SystemError, "a %s without content cannot enter C", Py_TYPE(object)->tp_name);
        x->failed = true;
    }
    return found;
}

static int64_t number_in(Passage *x, PyObject *object, Py_ssize_t offset) {
    PyObject *number = held(x, object, offset);
    const int64_t found = number ? PyLong_AsLongLong(number) : 0;
    if (UNLIKELY(found == -1 && PyErr_Occurred())) x->failed = true;
    return found;
}

static uint64_t birth_in(Passage *x, PyObject *object, Py_ssize_t offset) {
    return (uint64_t)number_in(x, object, offset);
}

/* Returns a FOREIGN value. The reference is taken last: memory may run out before. */
static Value foreign(Passage *x, PyObject *python) {
    const Value made = new_foreign(x->heap, python, false);
    Py_INCREF(python);
    return made;
}

static Value import_integer(Passage *x, PyObject *python) {
    int overflow;
    const long long found = PyLong_AsLongLongAndOverflow(python, &overflow);
    return overflow ? foreign(x, python) : of_integer(found);
}

/* Returns whether a dual's reals are all floats, duals within it included. */
static bool is_of_floats(PyObject *dual) {
    const Classes *c = classes();
    PyObject *pending[DEEP];
    size_t count = 0;
    pending[count++] = dual;
    while (count) {
        PyObject *now = pending[--count];
        PyObject *parts[2] = {*slot_of(now, c->dual_primal), *slot_of(now, c->dual_tangent)};
        for (int i = 0; i < 2; i++) {
            if (!parts[i]) return false;
            if (PyFloat_CheckExact(parts[i])) continue;
            if (!Py_IS_TYPE(parts[i], c->dual) || count == DEEP) return false;
            pending[count++] = parts[i];
        }
    }
    return true;
}

static bool is_unwanted(const Heap *heap, uint64_t birth) {
    return (birth && birth < heap->unwanted_before) || birth - heap->unwanted < heap->unwanted_count;
}

/* Returns an object of so many cells, appended to the objects to be filled. */
static Value empty_cells(Passage *x, Kind kind, PyObject *python, size_t length, uint64_t birth) {
    if (length > UINT32_MAX - 1) {
        PyErr_SetString(PyExc_OverflowError, "a tuple is too long");
        return failed(x);
    }
    Cells *made = new_cells(x->heap, kind, (uint32_t)length);
    for (size_t i = 0; i < length; i++) made->cells[i] = nothing();
    made->head.birth = birth & LARGEST_BIRTH;
    made->head.constant = kind != DUAL && is_unwanted(x->heap, birth);
    passage_add(x, &made->head, python);
    return of_object(kind, made);
}

static Value import_dual(Passage *x, PyObject *python) {
    if (!is_of_floats(python)) return foreign(x, python);
    return empty_cells(x, DUAL, python, 2, birth_in(x, python, classes()->dual_tag));
}

static Value import_layout(Passage *x, PyObject *layout) {
    const Classes *c = classes();
    if (layout == c->tuple_layout || *slot_of(layout, c->layout_cls) == (PyObject *)&PyTuple_Type) return nothing();
    Value found;
    if (!heap_recall(x->heap, layout, &found)) {
        found = foreign(x, layout);
        heap_remember(x->heap, layout, found);
    }
    return copied(found);
}

static Value import_record(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *items = held(x, python, c->record_items), *layout = held(x, python, c->record_layout);
    if (!items || !layout) return nothing();
    const Value made = empty_cells(
        x, RECORD, python, (size_t)PyTuple_GET_SIZE(items) + 1, birth_in(x, python, c->record_birth));
    if (kind_of(made) == RECORD) cells_of(made)[0] = import_layout(x, layout);
    return made;
}

static uint64_t imported_owner(Passage *x, PyObject *owner) {
    if (!owner || owner == Py_None) return NOBODY;
    if (owner == classes()->frozen) return FROZEN;
    return x->side.run && owner == passage_owner(x) ? x->side.run : NOBODY;
}

static Value import_list(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *items = held(x, python, c->list_items);
    if (!items) return nothing();
    const size_t length = (size_t)PyList_GET_SIZE(items);
    const Value made = new_list(x->heap, length, imported_owner(x, *slot_of(python, c->list_owner)));
    for (size_t i = 0; i < length; i++) list_in(made)->values[i] = nothing();
    made.object->birth = LARGEST_BIRTH & birth_in(x, python, c->list_birth);
    passage_add(x, made.object, python);
    return made;
}

static Value import_instance(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *items = held(x, python, c->instance_items), *layout = held(x, python, c->instance_layout);
    if (!items || !layout) return nothing();
    const uint32_t length = (uint32_t)PyList_GET_SIZE(items);
    const uint64_t owner = imported_owner(x, *slot_of(python, c->instance_owner));
    const Value made = new_instance_of(x->heap, import_layout(x, layout), length, owner);
    for (uint32_t i = 0; i < length; i++) instance_in(made)->values[i] = nothing();
    made.object->birth = LARGEST_BIRTH & birth_in(x, python, c->instance_birth);
    passage_add(x, made.object, python);
    return made;
}

/* Imports a key, recursively: keys are shallow, and Python's own hash of them recurses too. */
static Value import_key(Passage *x, PyObject *key) {
    if (PyFloat_Check(key)) return foreign(x, key);
    if (!PyTuple_Check(key)) return import_value(x, key);
    const size_t count = (size_t)PyTuple_GET_SIZE(key);
    Cells *made = new_cells(x->heap, RECORD, (uint32_t)count + 1);
    for (size_t i = 0; i <= count; i++) made->cells[i] = nothing();
    if (!PyTuple_CheckExact(key)) {
        made->cells[0] = foreign(x, Py_None); /* first: memory may run out */
        PyObject *length = PyLong_FromSize_t(count), *layout = NULL;
        if (length)
            layout = PyObject_CallFunctionObjArgs(classes()->layout_of_tuples, (PyObject *)Py_TYPE(key), length, NULL);
        Py_XDECREF(length);
        if (layout)
            Py_SETREF(((Foreign *)made->cells[0].object)->python, layout);
        else
            failed(x);
    }
    for (size_t i = 0; i < count; i++) made->cells[i + 1] = import_key(x, PyTuple_GET_ITEM(key, (Py_ssize_t)i));
    return of_object(RECORD, made);
}

/* Imports the keys, without values yet; a dictionary with keys that C cannot compare stays a Python object. */
static Value import_dictionary(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *items = held(x, python, c->dictionary_items), *key, *value;
    if (!items) return nothing();
    const Value made = new_dictionary(x->heap, imported_owner(x, *slot_of(python, c->dictionary_owner)));
    Dictionary *dictionary = (Dictionary *)made.object;
    Py_ssize_t position = 0;
    while (PyDict_Next(items, &position, &key, &value)) {
        const Value imported = import_key(x, key);
        const int64_t field = key_field(x->heap, imported, ALL_KEYS);
        if (field == NO_FIELD) {
            drop(x->heap, imported);
            drop(x->heap, made);
            return foreign(x, python);
        }
        entries_set(x->heap, &dictionary->entries, field, imported, nothing());
    }
    dictionary->storage.head.birth = LARGEST_BIRTH & birth_in(x, python, c->dictionary_birth);
    passage_add(x, &dictionary->storage.head, python);
    return made;
}

static Value import_environment(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *values = held(x, python, c->environment_values);
    if (!values || !PyTuple_GET_SIZE(values)) return nothing();
    return empty_cells(
        x, ENVIRONMENT, python, (size_t)PyTuple_GET_SIZE(values), birth_in(x, python, c->environment_birth));
}

/* Imports a range whose numbers fit in C; any other stays a Python object. */
static Value import_range(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *const names[3] = {c->start, c->stop, c->step};
    int64_t numbers[3];
    for (int i = 0; i < 3; i++) {
        int overflow;
        PyObject *number = PyObject_GetAttr(python, names[i]);
        if (!number) return failed(x);
        numbers[i] = PyLong_AsLongLongAndOverflow(number, &overflow);
        Py_DECREF(number);
        if (overflow) return foreign(x, python);
    }
    Cells *made = new_cells(x->heap, RANGE, 3);
    for (int i = 0; i < 3; i++) made->cells[i] = of_integer(numbers[i]);
    return of_object(RANGE, made);
}

/* Closures */

bool heap_keep(Heap *heap, PyObject *peer) {
    if (!heap->keeps) heap->keeps = PySet_New(NULL);
    return heap->keeps && PySet_Add(heap->keeps, peer) == 0;
}

/* Returns the code of a peer, which the heap keeps alive. */
static const Procedure *procedure_of_peer(Heap *heap, PyObject *peer) {
    PyObject *address = PyObject_GetAttr(peer, classes()->address);
    const Procedure *procedure = address ? PyLong_AsVoidPtr(address) : NULL;
    Py_XDECREF(address);
    return procedure && heap_keep(heap, peer) ? procedure : NULL;
}

const Procedure *import_procedure(Passage *x, PyObject *lambda) {
    Value found;
    const Procedure *procedure = NULL;
    if (heap_recall(x->heap, lambda, &found)) {
        procedure = procedure_of(found);
    } else {
        PyObject *peer = PyObject_CallOneArg(classes()->procedure_peer, lambda);
        if (peer) procedure = procedure_of_peer(x->heap, peer);
        Py_XDECREF(peer);
        if (!procedure) {
            failed(x);
            return NULL;
        }
        heap_remember(x->heap, lambda, of_procedure(PROCEDURE, procedure, NULL));
    }
    if (procedure->registers > x->side.registers) x->side.registers = procedure->registers;
    return procedure;
}

static Value import_object(Passage *x, PyObject *python);

static Value import_closure(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyObject *lambda = held(x, python, c->closure_lam), *environment = held(x, python, c->closure_env);
    const Procedure *procedure = lambda && environment ? import_procedure(x, lambda) : NULL;
    if (!procedure) return nothing();
    const Value captured = import_object(x, environment);
    return of_procedure(captured.tag == ENVIRONMENT ? CLOSURE : PROCEDURE, procedure,
                        captured.tag == ENVIRONMENT ? captured.object : NULL);
}

/* Imports an instance of a class that C knows; one that was imported before, or as a constant, is the same value. */
static Value import_object(Passage *x, PyObject *python) {
    const Classes *c = classes();
    const Known *known = passage_find_python(x, python);
    Value value;
    if (known) return copied(of_object((Kind)known->object->kind, known->object));
    if (heap_recall(x->heap, python, &value)) return copied(value);
    const PyTypeObject *type = Py_TYPE(python);
    if (type == c->pair) return empty_cells(x, PAIR, python, 2, birth_in(x, python, c->pair_birth));
    if (type == c->record) return import_record(x, python);
    if (type == c->list) return import_list(x, python);
    if (type == c->dictionary) return import_dictionary(x, python);
    if (type == c->instance) return import_instance(x, python);
    return import_environment(x, python);
}

static Value import_cotangent(Passage *x, PyObject *python) {
    if (PyFloat_CheckExact(python)) return of_real(PyFloat_AS_DOUBLE(python));
    return Py_IS_TYPE(python, classes()->both) ? empty_cells(x, DUAL, python, 2, 0) : foreign(x, python);
}

Value import_value(Passage *x, PyObject *python) {
    const Classes *c = classes();
    PyTypeObject *type = Py_TYPE(python);
    if (x->failed) return nothing();
    if (x->cotangents) return import_cotangent(x, python);
    if (type == &PyFloat_Type) return of_real(PyFloat_AS_DOUBLE(python));
    if (type == &PyLong_Type) return import_integer(x, python);
    if (type == &PyBool_Type) return of_boolean(python == Py_True);
    if (python == Py_None) return nothing();
    if (type == c->closure) return import_closure(x, python);
    if (type == c->dual) return import_dual(x, python);
    if (type == c->pair || type == c->record || type == c->list || type == c->dictionary || type == c->instance ||
        type == c->environment)
        return import_object(x, python);
    return type == &PyRange_Type ? import_range(x, python) : foreign(x, python);
}

/* Filling */

static void fill_cells(Passage *x, Value *cells, PyObject *tuple) {
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < count; i++) cells[i] = import_value(x, PyTuple_GET_ITEM(tuple, i));
}

static void fill_two(Passage *x, Value *cells, PyObject *python, Py_ssize_t first, Py_ssize_t second) {
    PyObject *parts[2] = {held(x, python, first), held(x, python, second)};
    for (int i = 0; i < 2; i++)
        if (parts[i]) cells[i] = import_value(x, parts[i]);
}

static void fill_list(Passage *x, Value *values, PyObject *list) {
    const Py_ssize_t count = PyList_GET_SIZE(list);
    for (Py_ssize_t i = 0; i < count; i++) values[i] = import_value(x, PyList_GET_ITEM(list, i));
}

static void fill_dictionary(Passage *x, const Entries *entries, PyObject *items) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    for (size_t i = 0; i < entries->end && PyDict_Next(items, &position, &key, &value); i++)
        entries->all[i].value = import_value(x, value);
}

static void fill(Passage *x, Known known) {
    const Classes *c = classes();
    Value *cells = ((Cells *)known.object)->cells;
    switch ((Kind)known.object->kind) {
    case PAIR: fill_two(x, cells, known.python, c->pair_car, c->pair_cdr); break;
    case DUAL:
        if (x->cotangents)
            fill_two(x, cells, known.python, c->both_primal, c->both_tangent);
        else
            fill_two(x, cells, known.python, c->dual_primal, c->dual_tangent);
        break;
    case RECORD: fill_cells(x, cells + 1, *slot_of(known.python, c->record_items)); break;
    case LIST: fill_list(x, ((List *)known.object)->values, *slot_of(known.python, c->list_items)); break;
    case INSTANCE:
        fill_list(x, ((Instance *)known.object)->values, *slot_of(known.python, c->instance_items));
        break;
    case DICTIONARY:
        fill_dictionary(x, &((Dictionary *)known.object)->entries, *slot_of(known.python, c->dictionary_items));
        break;
    default: fill_cells(x, cells, *slot_of(known.python, c->environment_values)); break;
    }
}

bool import_rest(Passage *x) {
    while (x->done < x->count && !x->failed) {
        fill(x, x->known[x->done]);
        x->done++;
    }
    return !x->failed;
}

Value import_content(Passage *x, PyObject *python) {
    const PyTypeObject *type = Py_TYPE(python);
    const Classes *c = classes();
    if (type == c->list) return import_list(x, python);
    return type == c->instance ? import_instance(x, python) : import_dictionary(x, python);
}
