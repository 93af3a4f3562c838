/* Performs steps in Python, by the methods of the helper (checkpoint/ctarget/foreign.py).
 *
 * In: a machine before a step. Out: the machine after it, in the same state as hybrid's: value, births, tags, and on a
 * tape the step's origin. A raised value is sent to its handler.
 */

#include "foreign/steps.h"

#include "array_steps/array_steps.h"
#include "bridge/classes.h"
#include "foreign/data_steps.h"
#include "foreign/unwind.h"
#include "lanes/entering.h"
#include "lanes/sharing.h"
#include "memory/exceptions.h"
#include "tasks/plans.h"

/* Returns the flags of the step's plan; 0: it has none. */
static int64_t flags_of(const Task *task) {
    const ArrayClasses *c = array_classes();
    PyObject *plan = c ? plan_of_step(c, task) : NULL;
    if (!plan) forget_exception();
    return plan ? PyLong_AsLongLong(*slot_of(plan, c->plan_flags)) : 0;
}

/* Takes the operands of a step out of the registers; false: some are constants of the code. */
static bool in_registers(const Task *task, const Step *step, Value *operands) {
    for (uint32_t i = 0; i < LANE_OPERANDS; i++) {
        if (step->operands[i].at == NO_REGISTER) return false;
        operands[i] = task->m->registers[step->operands[i].at];
    }
    return true;
}

/* Enters a lane. */
static bool lane_step(Task *task, const Step *step) {
    Value operands[LANE_OPERANDS];
    if (!in_registers(task, step, operands)) return false;
    if (!enter_lane(task->m, operands, (int32_t)task->step, &task->value)) return false;
    task->outcome = STOPPED;
    return true;
}

static void perform_on_data(Task *task, const Step *step) {
    const int64_t flags = flags_of(task);
    if ((flags & ENTERS) && lane_step(task, step)) return;
    if (!data_step(task, step)) {
        begin_call(task);
        call_add_integer(&task->call, task->step);
        call_add_operands(&task->call, &task->x, task->m->registers, step->operands, step->count);
        ask(task, classes()->perform, (int32_t)task->step);
    }
    Value operands[LANE_OPERANDS];
    if ((flags & SHARES) && task->outcome == STOPPED && !task->raised && in_registers(task, step, operands))
        share_constants(operands, task->value);
}

static void perform(void *arguments) {
    Task *task = arguments;
    if (!task_open(task)) return;
    const Machine *m = task->m;
    const Step *step = &m->block->steps[task->step];
    if (!array_step(task, step)) perform_on_data(task, step);
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
