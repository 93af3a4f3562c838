/* Steps that Python does, and what is raised: see bridge.h. The peer's methods are those of
 * checkpoint/ctarget/foreign.py.
 *
 * In: a machine before a step. Out: the machine after it, where Python has made the same as hybrid: value, births,
 * tags, and on a tape the step's origin. What is raised goes to its handler.
 */
#include "bridge/arrays.h"

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
    passage_begin(&task->x, task->m->heap, task->m->peer);
    task->x.side.run = task->m->run;
    if (classes()) return true;
    tell_error(task->m->peer);
    return false;
}

void clean_task(void *arguments) {
    Task *task = arguments;
    call_end(&task->call);
    Py_CLEAR(task->answer);
    clean_natives(task);
    passage_end(&task->x);
}

/* Answers */

static bool integer_at(PyObject *answer, Py_ssize_t i, int64_t *found) {
    *found = PyLong_AsLongLong(PyTuple_GET_ITEM(answer, i));
    return !(*found == -1 && PyErr_Occurred());
}

/* Updates mark the old handle as stale: on Python's side, where that was a copy. */
void take_staleness(Task *task) {
    const Classes *c = classes();
    Passage *x = &task->x;
    for (size_t i = 0; i < x->count; i++) {
        const Known known = x->known[i];
        const Kind kind = (Kind)known.object->kind;
        if (kind != LIST && kind != DICTIONARY) continue;
        PyObject *stale = *slot_of(known.python, kind == LIST ? c->list_stale : c->dictionary_stale);
        const int64_t found = stale ? PyLong_AsLongLong(stale) : 0;
        const int64_t now = found >= INT64_C(1) << 62 ? NEVER : found;
        if (kind == LIST)
            ((List *)known.object)->stale = now;
        else
            ((Dictionary *)known.object)->stale = now;
    }
}

void add_origin(Task *task, PyObject *origin, int64_t bytes, int32_t key) {
    Machine *m = task->m;
    if (!m->part) return;
    if (origin != Py_None) {
        Origin *added = part_add_origin(m->heap, m->part, key); /* the reference is taken last: memory may end */
        added->python = Py_NewRef(origin);
    }
    if (bytes) part_report(m->heap, m->part, (size_t)bytes);
}

/* Takes what a method answered; the value is imported. */
static bool take_answer(Task *task, int32_t key) {
    Machine *m = task->m;
    PyObject *answer = task->answer;
    int64_t births, tags, bytes;
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) <= EXTRA) {
        PyErr_SetString(PyExc_SystemError, "a step in Python has answered wrongly");
        return false;
    }
    if (!integer_at(answer, BIRTHS, &births) || !integer_at(answer, TAGS, &tags) ||
        !integer_at(answer, BYTES, &bytes))
        return false;
    task->x.done = task->x.count; /* what was exported is whole */
    const Value value = import_value(&task->x, PyTuple_GET_ITEM(answer, VALUE));
    if (!import_rest(&task->x)) return false;
    take_staleness(task);
    add_origin(task, PyTuple_GET_ITEM(answer, ORIGIN), bytes, key);
    m->births = births;
    m->tags = tags;
    task->value = value;
    task->raised = PyTuple_GET_ITEM(answer, EXTRA) == Py_True;
    if (task->x.side.registers > m->window) machine_reserve(m, task->x.side.registers);
    return true;
}

/* Calls the method, and takes its answer. */
void ask(Task *task, PyObject *name, int32_t key) {
    task->answer = call_do(&task->call, name);
    if (task->answer == Py_None) return; /* the peer has its error */
    if (task->answer && take_answer(task, key))
        task->outcome = STOPPED;
    else
        tell_error(task->m->peer);
}

/* The operands that all methods begin with: the block, the steps made, the next birth and tag. */
void begin_call(Task *task) {
    const Machine *m = task->m;
    Call *call = &task->call;
    call_begin(call, m->peer);
    call_add(call, Py_NewRef((PyObject *)m->block->python));
    call_add_integer(call, m->steps);
    call_add_integer(call, m->births);
    call_add_integer(call, m->tags);
}

/* Leaving a point */

void drop_live(const Machine *m, uint32_t index, Register except) {
    const uint32_t *live = m->block->live[index];
    for (uint32_t i = 1; i <= live[0]; i++)
        if (live[i] != except) drop_register(m, live[i]);
}

/* Steps */

static void perform(void *arguments) {
    Task *task = arguments;
    if (!task_open(task)) return;
    const Machine *m = task->m;
    const Step *step = &m->block->steps[task->step];
    if (!array_step(task, step) && !data_step(task, step)) {
        begin_call(task);
        call_add_integer(&task->call, task->step);
        call_add_operands(&task->call, &task->x, m->registers, step->operands, step->count);
        ask(task, classes()->perform, (int32_t)task->step);
    }
    if (task->outcome == STOPPED) drop_moved(m, step->operands, step->count); /* here, where the GIL is held */
}

Outcome foreign_step(Machine *m, uint32_t index, bool *jumped) {
    const Step *step = &m->block->steps[index];
    Task task;
    *jumped = false;
    task_begin(&task, m, index);
    guarded(m->heap, perform, clean_task, &task);
    if (task.outcome != STOPPED) return task.outcome;
    if (task.raised) {
        *jumped = true;
        drop_live(m, index + 1, step->result);
        return machine_unwind(m, task.value) ? STOPPED : FAILED;
    }
    if (step->result != NO_REGISTER)
        m->registers[step->result] = task.value;
    else
        drop(m->heap, task.value);
    return STOPPED;
}

/* What is raised */

typedef struct Passing {
    Task task;
    uint32_t k;
    int64_t tag;
} Passing;

static void strip(void *arguments) {
    Passing *passing = arguments;
    Task *task = &passing->task;
    if (!task_open(task)) return;
    Call *call = &task->call;
    call_begin(call, task->m->peer);
    call_add_integer(call, task->m->steps);
    call_add_integer(call, task->m->births);
    call_add_integer(call, task->m->tags);
    call_add_integer(call, passing->k);
    call_add_integer(call, passing->tag);
    call_add_value(call, &task->x, *task->raised_value);
    ask(task, classes()->strip, STRIPPED_ORIGIN - (int32_t)passing->k);
}

bool foreign_strip(Machine *m, uint32_t k, int64_t tag, Value *raised) {
    Passing passing = {.k = k, .tag = tag};
    task_begin(&passing.task, m, 0);
    passing.task.raised_value = raised;
    guarded(m->heap, strip, clean_task, &passing);
    drop(m->heap, *raised);
    *raised = passing.task.value;
    return passing.task.outcome == STOPPED;
}

static PyObject *open_calls(const Machine *m) {
    enum { LONGEST = 50 }; /* checkpoint.driver.raised.LONGEST_TRACE */
    FrameWalk walk = stack_walk(&m->stack);
    FrameHead head;
    const Value *saved;
    PyObject *found = PyList_New(0);
    while (found && PyList_GET_SIZE(found) < LONGEST && stack_next(&walk, &head, &saved))
        if (head.call && PyList_Append(found, (PyObject *)head.call->python) < 0) Py_CLEAR(found);
    return found;
}

static void tell_uncaught(void *arguments) {
    Task *task = arguments;
    const Machine *m = task->m;
    if (!task_open(task)) return;
    Call *call = &task->call;
    call_begin(call, m->peer);
    call_add(call, Py_NewRef((PyObject *)m->block->python));
    call_add_integer(call, m->steps);
    call_add_integer(call, m->tags);
    call_add_integer(call, m->index);
    call_add_value(call, &task->x, *task->raised_value);
    call_add(call, open_calls(m));
    task->answer = call_do(call, classes()->uncaught);
    if (!task->answer) tell_error(m->peer);
}

void foreign_uncaught(Machine *m, Value raised) {
    Task task;
    task_begin(&task, m, 0);
    task.raised_value = &raised;
    guarded(m->heap, tell_uncaught, clean_task, &task);
    drop(m->heap, raised);
}
