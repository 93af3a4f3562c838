/* Calls of Python about a raised value: see raised.h. */
#include "foreign/raised.h"

#include "bridge/classes.h"
#include "tasks/task.h"

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
    call_begin(call, task->m->helper);
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
    const Py_ssize_t longest = PyLong_AsSsize_t(classes()->longest_trace);
    FrameWalk walk = stack_walk(&m->stack);
    FrameHead head;
    const Value *saved;
    PyObject *found = PyList_New(0);
    while (found && PyList_GET_SIZE(found) < longest && stack_next(&walk, &head, &saved))
        if (head.call && PyList_Append(found, (PyObject *)head.call->python) < 0) Py_CLEAR(found);
    return found;
}

enum { MAX_LANES = 32 }; /* marks */

static PyObject *open_lanes(const Machine *m) {
    LaneMark marks[MAX_LANES];
    const uint32_t count = stack_lanes(&m->stack, marks, MAX_LANES);
    PyObject *found = PyTuple_New(count);
    for (uint32_t i = 0; found && i < count; i++) {
        const int64_t *of = marks[i].numbers;
        PyObject *lane = Py_BuildValue("(LLL)", (long long)of[0], (long long)of[1], (long long)of[2]);
        if (lane)
            PyTuple_SET_ITEM(found, i, lane);
        else
            Py_CLEAR(found);
    }
    return found;
}

static void report_uncaught(void *arguments) {
    Task *task = arguments;
    const Machine *m = task->m;
    if (!task_open(task)) return;
    Call *call = &task->call;
    call_begin(call, m->helper);
    call_add(call, Py_NewRef((PyObject *)m->block->python));
    call_add_integer(call, m->steps);
    call_add_integer(call, m->tags);
    call_add_integer(call, m->index);
    call_add_value(call, &task->x, *task->raised_value);
    call_add(call, open_calls(m));
    call_add(call, open_lanes(m));
    task->answer = call_do(call, classes()->uncaught);
    if (!task->answer) report_error(m->helper);
}

void foreign_uncaught(Machine *m, Value raised) {
    Task task;
    task_begin(&task, m, 0);
    task.raised_value = &raised;
    guarded(m->heap, report_uncaught, clean_task, &task);
    drop(m->heap, raised);
}
