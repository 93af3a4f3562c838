/* Steps on arrays: see array_steps.h. The library's function is called with the elements of the handles; the handle of
 * its result is made here, as in checkpoint.ad.tensors.
 */
#include "array_steps/array_steps.h"

#include "array_steps/application.h"
#include "array_steps/applied.h"
#include "array_steps/element_steps.h"
#include "array_steps/operand_forms.h"
#include "array_steps/view_steps.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "arrays/operators.h"
#include "arrays/rows.h"
#include "bridge/plain_results.h"
#include "containers/containers.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "numpy/joining.h"
#include "tasks/plans.h"

/* Results */

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

/* Several results */

/* Makes a tuple of the handles of several arrays; false: one is no array of numbers, or an exception is set. */
static bool make_handles(Application *a, PyObject *arrays) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(arrays);
    PyObject *handles = a->task->answer = PyTuple_New(count);
    for (Py_ssize_t i = 0; handles && i < count; i++) {
        PyObject *array = PySequence_Fast_GET_ITEM(arrays, i);
        PyTypeObject *type = class_of_result(a->c, a->natives, array);
        PyObject *made = type ? new_array(a->c, type, array, memory_for(a, array), NULL) : NULL;
        if (!made) return false;
        PyTuple_SET_ITEM(handles, i, made);
        if (type == a->c->array) a->handle = type;
    }
    return handles != NULL;
}

/* Stores the handles of several arrays as a tuple or list of the run. */
static void take_handles(Task *task, bool is_list) {
    Machine *m = task->m;
    PyObject *handles = task->answer;
    const size_t count = (size_t)PyTuple_GET_SIZE(handles);
    const Value made = is_list ? born_list(m, count) : born_tuple(m, count);
    Value *values = is_list ? list_in(made)->values : cells_of(made) + 1;
    for (size_t i = 0; i < count; i++) values[i] = nothing();
    for (size_t i = 0; i < count; i++) {
        values[i] = new_foreign(m->heap, PyTuple_GET_ITEM(handles, (Py_ssize_t)i), false);
        PyTuple_SET_ITEM(handles, (Py_ssize_t)i, NULL);
    }
    Py_CLEAR(task->answer);
    task->value = made;
}

/* Returns whether a result is a tuple or list of arrays. */
static bool is_several(const ArrayClasses *c, PyObject *result) {
    bool found = is_nest(result) && PySequence_Fast_GET_SIZE(result) > 0;
    for (Py_ssize_t i = 0; found && i < PySequence_Fast_GET_SIZE(result); i++)
        found = is_library_array(c, PySequence_Fast_GET_ITEM(result, i)) || is_scalar(PySequence_Fast_GET_ITEM(result, i));
    return found;
}

/* Stores a tuple or list of arrays, and on a tape the origin; false: one is no array of numbers, or an exception is set. */
static bool deliver_several(Application *a) {
    Task *task = a->task;
    PyObject *result = task->made;
    if (!make_handles(a, result)) return false;
    if (is_taped(a)) {
        int64_t bytes = 0;
        a->natives->result_birth = (uint64_t)task->m->births;
        PyObject *tape = *slot_of(a->machine, a->c->machine_tape);
        task->origin = array_origin(a->c, a->plan, a->natives, result, task->saved, a->handle != NULL, tape, &bytes);
        if (!task->origin) return false;
        add_origin(task, task->origin, bytes, (int32_t)task->step);
    }
    take_handles(task, PyList_CheckExact(result));
    task->outcome = STOPPED;
    return true;
}

/* Applying */

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
    const bool is_taken = a->natives->handles || (operator && operator->returns == OF_PARTS && a->natives->parts);
    if (operator && operator->apply && is_taken)
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

/* Returns whether it is a change on a tape that makes another array, as all elements of the first operand change, which the
 * program may change. */
static bool renews(const Application *a) {
    const ArrayClasses *c = a->c;
    PyObject *first = a->natives->handles & 1 ? a->natives->objects[0] : NULL, *data = a->natives->items[1];
    if (!first || *slot_of(a->plan, c->plan_writes) != Py_None || !is_numpy(data)) return false;
    return (numpy_of(data)->flags & WRITEABLE) && !is_fixed(c, first);
}

/* Makes the array that has the place of the first operand, which is stale from then on. */
static bool renew(Application *a) {
    note_forms(a->c, a->plan, 0, a->natives);
    a->task->made = call(a, a->c->plan_value);
    a->handle = a->task->made ? class_of_result(a->c, a->natives, a->task->made) : NULL;
    return a->handle && deliver(a) && make_stale(a);
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
    if (is_several(a->c, task->made) && deliver_several(a)) return true;
    Py_CLEAR(task->answer);
    if (PyErr_Occurred()) return false;
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

/* Returns whether C applies the function, or changes the first operand, and tapes the step where it is one of a tape. */
static bool is_done_here(const Application *a) {
    Natives *natives = a->natives;
    if (a->flags & CHANGES && !a->task->m->tape) {
        const PyMappingMethods *items = Py_TYPE(natives->items[1])->tp_as_mapping;
        return items && items->mp_ass_subscript && is_own(a);
    }
    if (!a->task->m->tape) return true;
    if (a->flags & CHANGES && !renews(a)) return false;
    return !natives->parts || tapes_parts(a->c, a->plan, natives);
}

bool array_step(Task *task, const Step *step) {
    Application a = {.task = task, .c = array_classes(), .step = step, .natives = &task->natives};
    a.plan = a.c ? plan_of_step(a.c, task) : NULL;
    if (!a.plan || !prepare(&a)) {
        forget_exception();
        return false;
    }
    bool other = false;
    const bool taken = take_operands(&a), sets = taken && sets_element(&a), sets_more = taken && !sets && sets_view(&a);
    if (taken && (a.flags & CHANGES) && is_scalar(task->natives.items[1])) a.flags &= ~(int64_t)CHANGES;
    const bool here = taken && (sets || sets_more || is_done_here(&a));
    if (here) {
        const bool changes = a.flags & CHANGES, taped = task->m->tape != NULL;
        const bool done = sets        ? set_element(&a)
                          : sets_more ? set_view(&a)
                          : !changes  ? apply(&a, &other)
                          : taped     ? renew(&a)
                                      : change(&a);
        if (!done && !other) refuse_step(task, step);
    } else {
        forget_exception();
    }
    clean_natives(task);
    return here && !other;
}
