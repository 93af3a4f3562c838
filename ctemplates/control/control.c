/* j* and resume, which continue the run itself: see control.h. */
#include "control/control.h"

#include "bridge/constants.h"
#include "derivatives/forward.h"
#include "state/built_in.h"
#include "state/parts.h"

static void push_return(Machine *m) {
    if (m->block->end.point) push_frame(m, m->block->end.point, NULL);
}

void begin_derivative(Machine *m, const ReturnPoint *exit, const Value *argument) {
    const End *end = &m->block->end;
    const Value closure = copied(operand_value(m, m->block, &end->operands[0]));
    drop_moved(m, end->operands, end->count);
    push_return(m);
    *stack_push(m->heap, &m->stack, exit, NULL) = of_integer(m->tags - 1);
    part_end(m);
    machine_enter(m, closure, argument, 1);
    drop(m->heap, closure);
}

bool differentiates(Machine *m) {
    const End *end = &m->block->end;
    if (end->kind != CONTROL || end->resumes || !built_in.leave || end->count != 3) return false;
    const Value procedure = operand_value(m, m->block, &end->operands[0]);
    const Kind kind = kind_of(procedure);
    if ((kind != CLOSURE && kind != PROCEDURE) || procedure_of(procedure)->arity != 1) return false;
    Value argument;
    if (!lift_argument(m, operand_value(m, m->block, &end->operands[1]), operand_value(m, m->block, &end->operands[2]),
                       &argument))
        return false;
    begin_derivative(m, built_in.leave, &argument);
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

void continue_state(Machine *m, const State *state, Value capsule) {
    drop_moved(m, m->block->end.operands, m->block->end.count);
    drop(m->heap, capsule);
    push_return(m);
    push_frames(m, state);
    part_end(m);
    if (state->block->end.kind == FINISH)
        deliver(m, copied(state->values[0]));
    else
        move_to(m, state);
}
