/* Performs the ends of blocks that need Python.
 *
 * In: a machine before the end of its block. Out: the machine at the start of a block, or, after `resume`, at a point.
 * The order of births, tags and frames is that of checkpoint/interp/hybrid/parts.py.
 */
#include "foreign/ends.h"

#include "array_steps/application.h"
#include "bridge/classes.h"
#include "bridge/constants.h"
#include "control/control.h"
#include "foreign/unwind.h"
#include "memory/exceptions.h"
#include "state/parts.h"
#include "tasks/task.h"

/* Calls a method with the end's operands. */
static void ask_end(Task *task, PyObject *name) {
    const Machine *m = task->m;
    const End *end = &m->block->end;
    begin_call(task);
    call_add_operands(&task->call, &task->x, m->registers, end->operands, end->count);
    ask(task, name, END_ORIGIN);
}

/* Takes the truth of a library's scalar, such as a comparison of two elements gives; false: the test is another value. */
static bool take_truth(Task *task) {
    const Machine *m = task->m;
    const ArrayClasses *c = array_classes();
    const Value test = operand_value(m, m->block, &m->block->end.operands[0]);
    PyObject *data = c && is_handle(c, test) ? data_of_handle(c, m, ((Foreign *)test.object)->python) : NULL;
    const int truth = data && is_scalar_type(Py_TYPE(data)) ? PyObject_IsTrue(data) : -1;
    Py_XDECREF(data);
    forget_exception();
    if (truth < 0) return false;
    task->value = of_boolean(truth);
    task->outcome = STOPPED;
    return true;
}

static bool pointer_after(Task *task) {
    if (task->outcome != STOPPED || task->raised) return true;
    PyObject *extra = PyTuple_GET_ITEM(task->answer, classes()->answer_extra);
    task->extra = PyLong_AsVoidPtr(extra);
    if (task->extra) return true;
    task->outcome = FAILED;
    report_error(task->m->helper);
    return false;
}

static void end_in_python(void *arguments) {
    Task *task = arguments;
    if (!task_open(task)) return;
    const Classes *c = classes();
    const End *end = &task->m->block->end;
    if (end->kind == CALL) {
        ask_end(task, c->wrong_call);
    } else if (end->kind == BRANCH) {
        if (!take_truth(task)) ask_end(task, c->truth);
    } else {
        ask_end(task, end->resumes ? c->resume : c->differentiate);
        if (pointer_after(task) && end->resumes && !task->raised && task->m->part && task->outcome == STOPPED)
            task->m->part->resumed = Py_NewRef(PyTuple_GET_ITEM(task->answer, c->answer_value));
    }
}

/* Takes a branch on a value that is not a boolean: the register of the test then holds its truth value. */
static void take_branch(Machine *m, Task *task) {
    const End *end = &m->block->end;
    const Block *target = end->targets[task->value.integer ? 0 : 1];
    const uint32_t *live = m->block->live[m->block->step_count];
    for (uint32_t i = 1; i <= live[0]; i++) {
        bool wanted = false;
        for (uint32_t k = 0; k < target->parameter_count && !wanted; k++) wanted = target->parameters[k] == live[i];
        if (!wanted) drop_register(m, live[i]);
    }
    part_end(m);
    m->block = target;
    m->index = 0;
}

Outcome foreign_end(Machine *m) {
    const End *end = &m->block->end;
    const uint32_t index = m->block->step_count;
    Task task;
    if (differentiates(m)) return STOPPED;
    task_begin(&task, m, index);
    if (end->kind == THROW) {
        task.raised = true;
        task.value = copied(operand_value(m, m->block, &end->operands[0]));
    } else {
        guarded(m->heap, end_in_python, clean_task, &task);
        if (task.outcome != STOPPED) return task.outcome;
    }
    if (task.raised) {
        drop_live(m, index, NO_REGISTER);
        return machine_unwind(m, task.value) ? STOPPED : FAILED;
    }
    if (end->kind == BRANCH)
        take_branch(m, &task);
    else if (end->resumes)
        continue_state(m, task.extra, task.value);
    else
        begin_derivative(m, task.extra, &task.value);
    return STOPPED;
}

