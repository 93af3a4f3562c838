/* Steps on arrays: see array_steps.h. The library's function is called with the elements of the handles; the handle of
 * its result is made here, as in checkpoint.ad.tensors.
 */
#include "foreign/array_steps.h"

#include "bridge/constants.h"
#include "bridge/passage_import.h"
#include "bridge/plain_results.h"
#include "containers/containers.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "arrays/operators.h"
#include "arrays/rows.h"
#include "foreign/applied.h"
#include "foreign/operand_forms.h"
#include "foreign/plans.h"

enum { DEEPEST = 3 }; /* tuples within tuples */

typedef struct Application {
    Task *task;
    const ArrayClasses *c;
    const Step *step;
    PyObject *plan, *machine, *owner; /* borrowed */
    int64_t flags, operator;
    uint32_t position; /* of the operand that is taken */
    const List *joined; /* the list of reals that is joined as a row; NULL: there is none */
    Natives *natives; /* the task's: it releases them */
    PyTypeObject *handle; /* the class of the result's handle; NULL: it is no array of numbers */
} Application;

/* Operands */

/* Notes that the operand is, or holds, a number that may have a cotangent. */
static void note_active(Application *a) { a->natives->active |= UINT64_C(1) << a->position; }

static void note_part(Application *a, uint32_t depth) { a->natives->parts |= (uint64_t)(depth > 0) << a->position; }

static PyObject *native_of(Application *a, Value v, uint32_t depth);

/* Returns the elements of a handle; NULL: they have changed since. */
static PyObject *elements(const Application *a, PyObject *handle) {
    const ArrayClasses *c = a->c;
    const bool is_array = Py_IS_TYPE(handle, c->array);
    PyObject *memory = memory_of(c, handle);
    PyObject *data = *slot_of(handle, is_array ? c->array_data : c->discrete_data);
    PyObject *stale = memory ? *slot_of(memory, classes()->storage_stale) : NULL;
    if (!data || !stale) return NULL;
    if (stale != classes()->never && a->task->m->steps >= PyLong_AsLongLong(stale)) return NULL;
    return Py_NewRef(data);
}

static PyObject *native_of_foreign(Application *a, PyObject *python, uint32_t depth) {
    const ArrayClasses *c = a->c;
    PyTypeObject *type = Py_TYPE(python);
    if (type == c->array || type == c->discrete) {
        note_part(a, depth);
        PyObject *found = elements(a, python);
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

static bool is_handle(const ArrayClasses *c, Value v) {
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

static bool take_operands(Application *a) {
    const Step *step = a->step;
    Natives *natives = a->natives;
    for (uint32_t i = 0; i < step->count; i++) {
        const Value v = operand_of(a->task->m, &step->operands[i]);
        a->position = i;
        PyObject *native = native_of(a, v, 0);
        if (!native) return false;
        natives->items[++natives->count] = native;
        note_operand(a, i, v);
        if (a->natives->parts >> i & 1) note_flat(a->c, a->natives, i, v);
    }
    if ((a->flags & OVERLOADS) && !((a->flags & OF_FIRST) ? natives->handles & 1 : natives->handles)) return false;
    natives->items[0] = array_namespace(a->c, natives->items + 1, natives->count);
    return natives->items[0] && !may_lack(a->c, natives->items[0], *slot_of(a->plan, a->c->plan_name)) &&
           leave_constants(a);
}

/* Results */

/* Returns the memory of a function's result: that of an operand, if the result is a view of it. */
static PyObject *memory_for(const Application *a, PyObject *data) {
    const ArrayClasses *c = a->c;
    if ((a->flags & VIEWS) && a->natives->handles) {
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

/* Makes the task's handle the step's value. */
static void take_handle(Task *task) {
    task->value = new_foreign(task->m->heap, task->answer, false);
    task->answer = NULL;
}

/* Returns whether the step is one of a tape. */
static bool is_taped(const Application *a) {
    return a->task->m->part && *slot_of(a->machine, a->c->machine_tape) != Py_None;
}

/* Returns whether the reals of a row receive cotangents, which is or are made of the operand at a position. */
static bool is_wanted(const Application *a, uint32_t position) {
    return a->natives->active & (uint64_t)PyLong_AsLongLong(*slot_of(a->plan, a->c->plan_rules)) & UINT64_C(1) << position;
}

/* Stores the value, and on a tape the origin. The task owns new objects until the machine does: memory may run out. */
static bool deliver(Application *a) {
    Task *task = a->task;
    Machine *m = task->m;
    PyObject *result = task->made;
    const bool plain = !a->handle;
    task->answer = plain ? Py_NewRef(result) : new_array(a->c, a->handle, result, memory_for(a, result), a->natives->result_form);
    if (!task->answer) return false;
    if (is_taped(a)) {
        int64_t bytes = 0;
        PyObject *tape = *slot_of(a->machine, a->c->machine_tape);
        const bool number = Py_IS_TYPE(task->answer, a->c->array) || PyFloat_CheckExact(task->answer);
        task->origin = a->joined ? origin_of_row(a->c, a->plan, a->c->joined_origin, result,
                                                 a->joined->storage.head.birth, a->joined->length, is_wanted(a, 1))
                                 : array_origin(a->c, a->plan, a->natives, result, task->saved, number, tape, &bytes);
        if (!task->origin) return false;
        add_origin(task, task->origin, bytes, (int32_t)task->step);
    }
    if (plain)
        task->value = plain_value(m, &task->x, task->answer);
    else
        take_handle(task);
    task->outcome = STOPPED;
    return true;
}

/* Stores the items of a row as a tuple, and on a tape the origin. */
static bool deliver_items(const Application *a) {
    Task *task = a->task;
    PyObject *row = a->natives->items[1];
    if (is_taped(a)) {
        task->origin = origin_of_row(a->c, a->plan, a->c->items_origin, row, (uint64_t)task->m->births,
                                     (size_t)count_of(row), is_wanted(a, 0));
        if (!task->origin) return false;
        add_origin(task, task->origin, 0, (int32_t)task->step);
    }
    task->value = items_of_row(task->m, row);
    task->value.object->constant = !is_wanted(a, 0);
    task->outcome = STOPPED;
    return true;
}

/* Applying */

/* Returns whether the first operand may be changed in place: whether it is this run's own. */
static bool is_own(const Application *a) {
    PyObject *first = a->natives->handles & 1 ? a->natives->objects[0] : NULL;
    const ArrayClasses *c = a->c;
    if (!first || a->task->m->tape || *slot_of(a->plan, c->plan_in_place) == Py_None) return false;
    PyObject *memory = memory_of(c, first);
    const PyMappingMethods *items = Py_TYPE(a->natives->items[1])->tp_as_mapping;
    return *slot_of(memory, classes()->storage_owner) == a->owner && items && items->mp_ass_subscript;
}

/* Returns the new handle after a change in place, which makes the old one stale. */
static PyObject *changed(const Application *a) {
    const ArrayClasses *c = a->c;
    PyObject *first = a->natives->objects[0], *stale = PyLong_FromLongLong(a->task->m->steps + 1);
    if (!stale) return NULL;
    PyObject *memory = memory_of(c, first);
    Application fresh = *a;
    fresh.flags &= ~(int64_t)VIEWS; /* with a new memory */
    PyObject *made = new_array(c, Py_TYPE(first), a->natives->items[1], memory_for(&fresh, NULL), NULL);
    if (made)
        Py_SETREF(*slot_of(memory, classes()->storage_stale), stale);
    else
        Py_DECREF(stale);
    return made;
}

static PyObject *call(const Application *a, Py_ssize_t function) {
    return PyObject_Vectorcall(*slot_of(a->plan, function), a->natives->items, a->natives->count + 1, NULL);
}

/* Returns the positions of the operands that receive a cotangent, borrowed, if the record is to save what its `pull`
 * reuses; NULL: it is not, or an exception is set. */
static PyObject *wanted_to_save(const Application *a) {
    const ArrayClasses *c = a->c;
    if (*slot_of(a->plan, c->plan_saves) == Py_None || !a->task->m->part) return NULL;
    const uint64_t wanted = wanted_bits(c, a->plan, a->natives);
    PyObject *pulls = wanted ? pulls_for(c, a->plan, wanted) : NULL;
    return pulls ? wanted_in(pulls) : NULL;
}

/* Returns the value of a record's function, and stores what it has saved in the task. */
static PyObject *value_and_saved(const Application *a, PyObject *wanted) {
    PyObject *arguments[MOST_OPERANDS + 2] = {a->natives->items[0], wanted};
    for (uint32_t i = 1; i <= a->natives->count; i++) arguments[i + 1] = a->natives->items[i];
    PyObject *saves = saves_of_plan(a->c, a->plan, *slot_of(a->machine, a->c->machine_tape));
    PyObject *pair = PyObject_Vectorcall(saves, arguments, a->natives->count + 2, NULL);
    if (!pair) return NULL;
    PyObject *made = PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 ? Py_NewRef(PyTuple_GET_ITEM(pair, 0)) : NULL;
    if (made)
        a->task->saved = Py_NewRef(PyTuple_GET_ITEM(pair, 1));
    else
        PyErr_SetString(PyExc_SystemError, "what a record saves is no pair");
    Py_DECREF(pair);
    return made;
}

/* Returns the value of a record's function, without it where its operator gives it. */
static PyObject *value_of_step(const Application *a) {
    if (a->joined) return Py_NewRef(a->natives->items[2]);
    PyObject *wanted = wanted_to_save(a);
    if (wanted) return value_and_saved(a, wanted);
    if (PyErr_Occurred()) return NULL;
    const Operator *operator = operator_at(a->operator);
    PyObject *made = NULL;
    if (operator && operator->apply && a->natives->handles)
        made = operator->apply(a->c, a->natives->items + 1, a->natives->count);
    if (made || PyErr_Occurred()) return made;
    const bool all_arrays = a->natives->handles == (UINT64_C(1) << a->natives->count) - 1;
    PyObject *builtin = all_arrays ? builtin_of_plan(a->c, a->plan, a->natives->items[0]) : NULL;
    return builtin ? PyObject_Vectorcall(builtin, a->natives->items + 1, a->natives->count, NULL)
                   : call(a, a->c->plan_value);
}

static bool change(Application *a) {
    Task *task = a->task;
    task->made = call(a, a->c->plan_in_place);
    if (!task->made) return false;
    task->answer = changed(a);
    if (!task->answer) return false;
    take_handle(task);
    task->outcome = STOPPED;
    return true;
}

/* Applies the function; false: an exception is set, or C does not handle such results: the plan records that. */
static bool apply(Application *a, bool *other) {
    Task *task = a->task;
    if ((a->flags & ITEMS) && is_row(a->natives->items[1])) return deliver_items(a);
    a->operator = PyLong_AsLongLong(*slot_of(a->plan, a->c->plan_operator));
    if (is_taped(a)) note_forms(a->c, a->plan, a->operator, a->natives);
    task->made = value_of_step(a);
    if (!task->made) return false;
    if (is_plain(task->made)) return deliver(a);
    a->handle = class_of_result(a->c, a->natives, task->made);
    if (a->handle) return deliver(a);
    if (PyErr_Occurred()) return false;
    PyObject *flags = PyLong_FromLongLong(a->flags | ANYWAY);
    if (flags) Py_SETREF(*slot_of(a->plan, a->c->plan_flags), flags);
    *other = true;
    return false;
}

/* Returns whether it is a function of arrays that does the step. */
static bool prepare(Application *a) {
    const ArrayClasses *c = a->c;
    if (a->step->count > MOST_OPERANDS || PyDict_GET_SIZE(c->namespaces) == 0) return false;
    a->flags = PyLong_AsLongLong(*slot_of(a->plan, c->plan_flags));
    if (a->flags & UNASKED) {
        PyObject *asked = PyObject_CallMethodNoArgs(a->plan, c->ask);
        if (!asked) return false;
        Py_DECREF(asked);
        a->flags = PyLong_AsLongLong(*slot_of(a->plan, c->plan_flags));
    }
    if (a->flags & ANYWAY) return false;
    a->machine = machine_of(a->task->m);
    a->owner = a->machine ? *slot_of(a->machine, c->machine_owner) : NULL;
    return a->owner != NULL;
}

bool array_step(Task *task, const Step *step) {
    Application a = {.task = task, .c = array_classes(), .step = step, .natives = &task->natives};
    a.plan = a.c ? plan_of_step(a.c, task) : NULL;
    if (!a.plan || !prepare(&a)) {
        PyErr_Clear();
        return false;
    }
    bool here = take_operands(&a) && (!(a.flags & CHANGES) || is_own(&a)), other = false;
    if (here && task->m->tape)
        here = !(a.flags & (VARIADIC | CHANGES)) && (!a.natives->parts || tapes_parts(a.c, a.plan, a.natives));
    if (here) {
        const bool done = a.flags & CHANGES ? change(&a) : apply(&a, &other);
        if (!done && !other) refuse_step(task, step);
    } else {
        PyErr_Clear();
    }
    clean_natives(task);
    return here && !other;
}
