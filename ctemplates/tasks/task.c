/* One call of Python for a machine: see task.h. */
#include "tasks/task.h"

#include "bridge/classes.h"
#include "bridge/passage_import.h"
#include "containers/collector.h"
#include "containers/containers.h"

void task_begin(Task *task, Machine *m, uint32_t step) {
    task->m = m;
    task->step = step;
    task->call.count = 0;
    task->answer = task->made = task->saved = task->origin = NULL;
    task->natives.count = 0;
    task->natives.numbers = task->natives.active = task->natives.handles = 0;
    task->natives.parts = task->natives.born = 0;
    task->natives.birth_count = 0;
    task->natives.result_birth = 0;
    task->natives.form = task->natives.result_form = NULL;
    task->value = nothing();
    task->raised = false;
    task->outcome = FAILED;
    task->extra = NULL;
}

bool task_open(Task *task) {
    passage_begin(&task->x, task->m->heap, task->m->helper);
    task->x.side.run = task->m->writer.epoch;
    if (!task->m->helper) return false;
    if (classes()) return true;
    report_error(task->m->helper);
    return false;
}

void clean_natives(Task *task) {
    Natives *natives = &task->natives;
    for (uint32_t i = 1; i <= natives->count; i++) Py_DECREF(natives->items[i]);
    natives->count = 0;
    Py_CLEAR(task->made);
    Py_CLEAR(task->saved);
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

/* The first operand of an update; NOTHING if there is none that may have changed. */
static Value changed_by(const Task *task) {
    const Block *block = task->m->block;
    if (task->step == block->step_count || !block->steps[task->step].changes) return nothing();
    const Register at = block->steps[task->step].operands[0].at;
    const Value v = at == NO_REGISTER ? nothing() : task->m->registers[at];
    return is_mutable(v) && storage_in(v)->owner != FROZEN ? v : nothing();
}

bool take_content(Task *task) {
    Machine *m = task->m;
    Passage *x = &task->x;
    const Value container = changed_by(task);
    const Known *known = container.tag == NOTHING ? NULL : passage_find_object(x, container.object);
    if (!known) return !x->failed;
    const Value content = import_content(x, known->python);
    if (!import_rest(x) || content.tag != container.tag) {
        drop(m->heap, content);
        return false;
    }
    if (must_save(m, storage_in(container)))
        writer_save(m->heap, &m->writer, storage_in(container), storage_in(copied(content)));
    storage_swap(storage_in(container), storage_in(content));
    note_reference(m->heap, storage_in(container), container);
    drop(m->heap, content);
    return true;
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
    task->raised = PyTuple_GET_ITEM(answer, c->answer_extra) == Py_True;
    if (!import_rest(&task->x) || (!task->raised && !take_content(task))) return false;
    add_origin(task, PyTuple_GET_ITEM(answer, c->answer_origin), bytes, key);
    m->births = births;
    m->tags = tags;
    task->value = value;
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
