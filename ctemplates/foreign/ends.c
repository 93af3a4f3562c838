/* Performs the ends of blocks that need Python.
 *
 * In: a machine before the end of its block. Out: the machine at the start of a block, or, after `resume`, at a point.
 * The order of births, tags and frames is that of checkpoint/interp/hybrid/parts.py.
 */
#include "foreign/ends.h"

#include "bridge/classes.h"
#include "bridge/constants.h"
#include "derivatives/forward.h"
#include "foreign/task.h"
#include "foreign/unwind.h"
#include "state/built_in.h"
#include "state/parts.h"

/* Calls a method with the end's operands. */
static void ask_end(Task *task, PyObject *name) {
    const Machine *m = task->m;
    const End *end = &m->block->end;
    begin_call(task);
    call_add_operands(&task->call, &task->x, m->registers, end->operands, end->count);
    ask(task, name, END_ORIGIN);
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
        ask_end(task, c->truth);
    } else {
        ask_end(task, end->resumes ? c->resume : c->differentiate);
        if (pointer_after(task) && end->resumes && !task->raised && task->m->part && task->outcome == STOPPED)
            task->m->part->resumed = Py_NewRef(PyTuple_GET_ITEM(task->answer, c->answer_value));
    }
}

static void push_return(Machine *m) {
    if (m->block->end.point) push_frame(m, m->block->end.point, NULL);
}

/* Performs j* with the argument of its procedure: its tag is the one before the machine's next. */
static void differentiate(Machine *m, const ReturnPoint *exit, const Value *argument) {
    const End *end = &m->block->end;
    const Value closure = copied(operand_value(m, m->block, &end->operands[0]));
    drop_moved(m, end->operands, end->count);
    push_return(m);
    *stack_push(m->heap, &m->stack, exit, NULL) = of_integer(m->tags - 1);
    part_end(m);
    machine_enter(m, closure, argument, 1);
    drop(m->heap, closure);
}

/* Performs j* without Python, where it succeeds. */
static bool differentiates(Machine *m) {
    const End *end = &m->block->end;
    if (end->kind != CONTROL || end->resumes || !built_in.leave || end->count != 3) return false;
    const Value procedure = operand_value(m, m->block, &end->operands[0]);
    const Kind kind = kind_of(procedure);
    if ((kind != CLOSURE && kind != PROCEDURE) || procedure_of(procedure)->arity != 1) return false;
    Value argument;
    if (!lift_argument(m, operand_value(m, m->block, &end->operands[1]), operand_value(m, m->block, &end->operands[2]),
                       &argument))
        return false;
    differentiate(m, built_in.leave, &argument);
    return true;
}

/* Resuming pushes the frames of the capsule's run onto the machine's stack, except for the one that ends that run. */

typedef struct FrameCopy {
    FrameHead head;
    const Value *saved;
} FrameCopy;

static uint32_t frames_above_end(const Stack *stack, FrameCopy *copies) {
    FrameWalk walk = stack_walk(stack);
    FrameCopy frame;
    uint32_t count = 0;
    while (stack_next(&walk, &frame.head, &frame.saved) && frame.head.point->block->end.kind != FINISH) {
        if (copies) copies[count] = frame;
        count++;
    }
    return count;
}

static uint32_t registers_of(const Block *block) { return block->procedure ? block->procedure->registers : 4; }

static void push_frames(Machine *m, const State *state) {
    const uint32_t count = frames_above_end(&state->stack, NULL);
    const size_t bytes = (count + 1) * sizeof(FrameCopy);
    FrameCopy *copies = heap_allocate(m->heap, bytes);
    frames_above_end(&state->stack, copies);
    for (uint32_t i = count; i-- > 0;) {
        const ReturnPoint *point = copies[i].head.point;
        Value *saved = stack_push(m->heap, &m->stack, point, copies[i].head.call);
        for (uint32_t k = 0; k < point->count; k++) saved[k] = copied(copies[i].saved[k]);
        if (registers_of(point->block) > m->window) machine_reserve(m, registers_of(point->block));
    }
    heap_free(m->heap, copies, bytes);
}

static void deliver(Machine *m, Value value) {
    const Block *block = stack_top(&m->stack)->point->block;
    if (registers_of(block) > m->window) machine_reserve(m, registers_of(block));
    stack_return(m->heap, &m->stack, m->registers);
    m->registers[block->parameters[0]] = value;
    m->block = block;
    m->index = 0;
}

static void move_to(Machine *m, const State *state) {
    const Block *block = state->block;
    const Register *at = state->index ? block->live[state->index] + 1 : block->parameters;
    if (registers_of(block) > m->window) machine_reserve(m, registers_of(block));
    for (uint32_t i = 0; i < state->value_count; i++) m->registers[at[i]] = copied(state->values[i]);
    m->block = block;
    m->index = state->index;
}

static void resume(Machine *m, Task *task) {
    const State *state = task->extra;
    drop_moved(m, m->block->end.operands, m->block->end.count);
    drop(m->heap, task->value); /* the capsule */
    push_return(m);
    push_frames(m, state);
    part_end(m);
    if (state->block->end.kind == FINISH)
        deliver(m, copied(state->values[0]));
    else
        move_to(m, state);
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
        resume(m, &task);
    else
        differentiate(m, task.extra, &task.value);
    return STOPPED;
}

