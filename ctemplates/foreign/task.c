/* One call of Python for a machine: see task.h. */
#include "foreign/task.h"

#include "bridge/classes.h"
#include "bridge/passage_import.h"
#include "containers/containers.h"

void task_begin(Task *task, Machine *m, uint32_t step) {
    task->m = m;
    task->step = step;
    task->call.count = 0;
    task->answer = task->made = task->origin = NULL;
    task->natives.count = 0;
    task->natives.numbers = task->natives.handles = 0;
    task->natives.has_parts = false;
    task->value = nothing();
    task->raised = false;
    task->outcome = FAILED;
    task->extra = NULL;
}

bool task_open(Task *task) {
    passage_begin(&task->x, task->m->heap, task->m->helper);
    task->x.side.run = task->m->run;
    if (classes()) return true;
    report_error(task->m->helper);
    return false;
}

void clean_natives(Task *task) {
    Natives *natives = &task->natives;
    for (uint32_t i = 1; i <= natives->count; i++) Py_DECREF(natives->items[i]);
    natives->count = 0;
    Py_CLEAR(task->made);
    Py_CLEAR(task->origin);
}

void clean_task(void *arguments) {
    Task *task = arguments;
    call_end(&task->call);
    Py_CLEAR(task->answer);
    clean_natives(task);
    passage_end(&task->x);
}

static bool integer_at(PyObject *answer, Py_ssize_t i, int64_t *found) {
    *found = PyLong_AsLongLong(PyTuple_GET_ITEM(answer, i));
    return !(*found == -1 && PyErr_Occurred());
}

/* Copies staleness back: updates in Python have marked its copies of old handles as stale. */
void take_staleness(Task *task) {
    const Classes *c = classes();
    Passage *x = &task->x;
    for (size_t i = 0; i < x->count; i++) {
        const Known known = x->known[i];
        const Kind kind = (Kind)known.object->kind;
        if (kind != LIST && kind != DICTIONARY) continue;
        PyObject *stale = *slot_of(known.python, c->storage_stale);
        ((Storage *)known.object)->stale = stale ? PyLong_AsLongLong(stale) : 0;
    }
}

void add_origin(Task *task, PyObject *origin, int64_t bytes, int32_t key) {
    Machine *m = task->m;
    if (!m->part) return;
    if (origin != Py_None) {
        Origin *added = part_add_origin(m->heap, m->part, key); /* the reference is taken last: memory may run out */
        added->python = Py_NewRef(origin);
    }
    if (bytes) part_report(m->heap, m->part, (size_t)bytes);
}

/* Takes a method's answer; the value is imported. */
static bool take_answer(Task *task, int32_t key) {
    Machine *m = task->m;
    const Classes *c = classes();
    PyObject *answer = task->answer;
    int64_t births, tags, bytes;
    if (!Py_IS_TYPE(answer, c->answer)) {
        PyErr_SetString(PyExc_SystemError, "a step in Python has answered wrongly");
        return false;
    }
    if (!integer_at(answer, c->answer_births, &births) || !integer_at(answer, c->answer_tags, &tags) ||
        !integer_at(answer, c->answer_bytes, &bytes))
        return false;
    task->x.done = task->x.count; /* all exported objects are filled in */
    const Value value = import_value(&task->x, PyTuple_GET_ITEM(answer, c->answer_value));
    if (!import_rest(&task->x)) return false;
    take_staleness(task);
    add_origin(task, PyTuple_GET_ITEM(answer, c->answer_origin), bytes, key);
    m->births = births;
    m->tags = tags;
    task->value = value;
    task->raised = PyTuple_GET_ITEM(answer, c->answer_extra) == Py_True;
    if (task->x.side.registers > m->window) machine_reserve(m, task->x.side.registers);
    return true;
}

/* Calls the method and takes its answer. */
void ask(Task *task, PyObject *name, int32_t key) {
    task->answer = call_do(&task->call, name);
    if (task->answer == Py_None) return; /* the helper has the error */
    if (task->answer && take_answer(task, key))
        task->outcome = STOPPED;
    else
        report_error(task->m->helper);
}

/* Adds the operands that all methods begin with: the block, the steps made, the next birth and tag. */
void begin_call(Task *task) {
    const Machine *m = task->m;
    Call *call = &task->call;
    call_begin(call, m->helper);
    call_add(call, Py_NewRef((PyObject *)m->block->python));
    call_add_integer(call, m->steps);
    call_add_integer(call, m->births);
    call_add_integer(call, m->tags);
}

void drop_live(const Machine *m, uint32_t index, Register except) {
    const uint32_t *live = m->block->live[index];
    for (uint32_t i = 1; i <= live[0]; i++)
        if (live[i] != except) drop_register(m, live[i]);
}
