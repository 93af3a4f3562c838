/* The application of a function of arrays by a step: see application.h. */
#include "array_steps/application.h"

#include "array_steps/applied.h"
#include "array_steps/operand_parts.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "arrays/rows.h"
#include "bridge/constants.h"
#include "containers/containers.h"
#include "numpy/elements.h"

enum { DEEPEST = 3 }; /* tuples within tuples */

/* Notes that the operand is, or holds, a number that may have a cotangent. */
static void note_active(Application *a) { a->natives->active |= UINT64_C(1) << a->position; }

static void note_part(Application *a, uint32_t depth) { a->natives->parts |= (uint64_t)(depth > 0) << a->position; }

static PyObject *native_of(Application *a, Value v, uint32_t depth);

PyObject *data_of_handle(const ArrayClasses *c, const Machine *m, PyObject *handle) {
    const bool is_array = Py_IS_TYPE(handle, c->array);
    PyObject *memory = memory_of(c, handle);
    PyObject *data = *slot_of(handle, is_array ? c->array_data : c->discrete_data);
    PyObject *stale = memory ? *slot_of(memory, classes()->storage_stale) : NULL;
    if (!data || !stale) return NULL;
    if (stale != classes()->never && m->steps >= PyLong_AsLongLong(stale)) return NULL;
    return Py_NewRef(data);
}

static PyObject *native_of_foreign(Application *a, PyObject *python, uint32_t depth) {
    const ArrayClasses *c = a->c;
    PyTypeObject *type = Py_TYPE(python);
    if (type == c->array || type == c->discrete) {
        note_part(a, depth);
        PyObject *found = data_of_handle(c, a->task->m, python);
        if (found && type == c->array && !is_constant(c, python)) note_active(a);
        return found;
    }
    if (type == c->native) return Py_XNewRef(*slot_of(python, c->native_value));
    return type == &PyUnicode_Type || type == &PyLong_Type ? Py_NewRef(python) : NULL;
}

/* Returns the elements of several values, as a list or a tuple. */
static PyObject *natives_in(Application *a, const Value *values, size_t count, bool list, uint32_t depth) {
    if (depth >= DEEPEST) return NULL;
    PyObject *made = list ? PyList_New((Py_ssize_t)count) : PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; made && i < count; i++) {
        PyObject *item = native_of(a, values[i], depth + 1);
        if (!item)
            Py_CLEAR(made);
        else if (list)
            PyList_SET_ITEM(made, (Py_ssize_t)i, item);
        else
            PyTuple_SET_ITEM(made, (Py_ssize_t)i, item);
    }
    return made;
}

static PyObject *native_of_list(Application *a, const List *list, uint32_t depth) {
    const bool joins = (a->flags & JOINS) && a->position == 1 && !depth && is_numpy(a->natives->items[1]);
    PyObject *row = joins ? row_of_list(list) : NULL;
    if (!row) return natives_in(a, list->values, list->length, true, depth);
    a->joined = list;
    note_active(a);
    return row;
}

static PyObject *native_of_record(Application *a, Value v, uint32_t depth) {
    const Value *cells = cells_of(v);
    const size_t count = v.object->length - 1;
    PyObject *parts = natives_in(a, cells + 1, count, false, depth);
    if (!parts || cells[0].tag == NOTHING) return parts;
    PyObject *layout = ((Foreign *)cells[0].object)->python;
    if (*slot_of(layout, classes()->layout_cls) != (PyObject *)&PySlice_Type || count != 3) return parts;
    PyObject *slice = PySlice_New(PyTuple_GET_ITEM(parts, 0), PyTuple_GET_ITEM(parts, 1), PyTuple_GET_ITEM(parts, 2));
    Py_DECREF(parts);
    return slice;
}

/* Returns what checkpoint.ad.operands.native returns, a new reference; NULL: C does not handle the operand. */
static PyObject *native_of(Application *a, Value v, uint32_t depth) {
    switch (kind_of(v)) {
    case REAL: {
        note_part(a, depth);
        note_active(a);
        return PyFloat_FromDouble(v.real);
    }
    case INTEGER: return PyLong_FromLongLong(v.integer);
    case BOOLEAN: return PyBool_FromLong(v.integer != 0);
    case NOTHING: return Py_NewRef(Py_None);
    case FOREIGN:
        foreign_touch(a->task->m->heap, (Foreign *)v.object);
        return native_of_foreign(a, ((Foreign *)v.object)->python, depth);
    case RECORD: return native_of_record(a, v, depth);
    case LIST: return native_of_list(a, list_in(v), depth);
    default: return NULL;
    }
}

static Value operand_of(const Machine *m, const Operand *operand) {
    if (operand->at != NO_REGISTER) return m->registers[operand->at];
    if (m->block->counted_constants[operand->constant]) return constant_value(m->heap, m->block, operand->constant);
    return m->block->constants[operand->constant];
}

bool is_handle(const ArrayClasses *c, Value v) {
    if (kind_of(v) != FOREIGN) return false;
    PyObject *python = ((Foreign *)v.object)->python;
    return Py_IS_TYPE(python, c->array) || Py_IS_TYPE(python, c->discrete);
}

/* Records whether an operand is a handle, or a number other than a constant. */
static void note_operand(Application *a, uint32_t i, Value v) {
    const ArrayClasses *c = a->c;
    Natives *natives = a->natives;
    if (v.tag == REAL) natives->numbers |= UINT64_C(1) << i;
    if (!is_handle(c, v)) return;
    PyObject *python = ((Foreign *)v.object)->python;
    natives->objects[i] = python;
    natives->handles |= UINT64_C(1) << i;
    if (Py_IS_TYPE(python, c->array) && !is_constant(c, python)) natives->numbers |= UINT64_C(1) << i;
}

/* Forgets the activity of the operands that are constants in this sweep whatever they are. */
static bool leave_constants(Application *a) {
    const ArrayClasses *c = a->c;
    PyObject *unwanted = *slot_of(a->machine, c->machine_unwanted);
    if (LIKELY(unwanted == Py_None)) return true;
    if (*slot_of(a->plan, c->plan_unwanted) != unwanted) {
        PyObject *known = PyObject_CallMethodOneArg(a->plan, c->know, unwanted);
        if (!known) return false;
        Py_DECREF(known);
    }
    const uint64_t constants = PyLong_AsUnsignedLongLongMask(*slot_of(a->plan, c->plan_constants));
    a->natives->active &= ~constants;
    a->natives->numbers &= ~constants;
    return true;
}

bool take_operands(Application *a) {
    const Step *step = a->step;
    Natives *natives = a->natives;
    for (uint32_t i = 0; i < step->count; i++) {
        const Value v = operand_of(a->task->m, &step->operands[i]);
        a->position = i;
        PyObject *native = native_of(a, v, 0);
        if (!native) return false;
        natives->items[++natives->count] = native;
        note_operand(a, i, v);
        if (a->natives->parts >> i & 1) note_births(a->c, a->natives, i, v);
    }
    if ((a->flags & OVERLOADS) && !((a->flags & OF_FIRST) ? natives->handles & 1 : natives->handles)) return false;
    natives->items[0] = array_namespace(a->c, natives->items + 1, natives->count);
    return natives->items[0] && !may_lack(a->c, natives->items[0], *slot_of(a->plan, a->c->plan_name)) &&
           leave_constants(a);
}

/* Results */

PyObject *memory_for(const Application *a, PyObject *data) {
    const ArrayClasses *c = a->c;
    if ((a->flags & VIEWS) && a->natives->handles && data && !is_scalar(data)) {
        PyObject *whole = holder_of(c, data), *found = NULL;
        if (!whole) return NULL;
        for (uint32_t i = 0; !found && i < a->natives->count; i++) {
            if (!(a->natives->handles >> i & 1)) continue;
            if (!holds(c, whole, a->natives->items[i + 1])) continue;
            found = memory_of(c, a->natives->objects[i]);
        }
        Py_DECREF(whole);
        if (found) return Py_NewRef(found);
    }
    const uint64_t differentiable = (uint64_t)PyLong_AsLongLong(*slot_of(a->plan, c->plan_differentiable));
    return new_memory(c, a->owner, !(a->natives->active & differentiable));
}

void take_handle(Task *task) {
    task->value = new_foreign(task->m->heap, task->answer, false);
    task->answer = NULL;
}

bool is_taped(const Application *a) {
    return a->task->m->part && *slot_of(a->machine, a->c->machine_tape) != Py_None;
}

/* Changes */

bool is_own(const Application *a) {
    PyObject *first = a->natives->handles & 1 ? a->natives->objects[0] : NULL;
    if (!first || *slot_of(a->plan, a->c->plan_in_place) == Py_None) return false;
    return *slot_of(memory_of(a->c, first), classes()->storage_owner) == a->owner;
}

bool is_fixed(const ArrayClasses *c, PyObject *handle) {
    const PyObject *owner = *slot_of(memory_of(c, handle), classes()->storage_owner);
    return owner == classes()->frozen || owner == c->constant;
}

bool make_stale(const Application *a) {
    PyObject *stale = PyLong_FromLongLong(a->task->m->steps + 1);
    if (!stale) return false;
    Py_SETREF(*slot_of(memory_of(a->c, a->natives->objects[0]), classes()->storage_stale), stale);
    return true;
}

PyObject *changed(const Application *a) {
    PyObject *first = a->natives->objects[0];
    Application fresh = *a;
    fresh.flags &= ~(int64_t)VIEWS; /* with a new memory */
    PyObject *made = new_array(a->c, Py_TYPE(first), a->natives->items[1], memory_for(&fresh, NULL), NULL);
    if (made && !make_stale(a)) Py_CLEAR(made);
    return made;
}
