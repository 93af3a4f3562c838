/* Unwinding: a raised value passes the frames from the top to a handler; then the frames are removed.
 *
 * In: a machine that has left its block (nothing owns its registers), the raised value. Out: the machine at the start
 * of the innermost handler; without one, the machine is unchanged, and the helper has the error. The part records how
 * many values each removed frame had, the top one first.
 *
 * The order is that of checkpoint/interp/hybrid/parts.py (Part._unwind): a value that passes the exit of a j* loses its
 * tangents there, from the innermost exit on, also if no handler follows.
 */
#include "foreign/unwind.h"

#include "foreign/raised.h"

/* Returns whether the block is the exit of j*: the built-in block with a step; the tag is in its frame. */
static bool is_exit_of_derivative(const Block *block) { return !block->procedure && block->step_count == 1; }

/* Strips the value at each exit of a j* down to the first handler. Returns the number of frames to remove; 0: there is
 * no handler, or Python failed: then `*value` is nothing. */
static uint32_t find_handler(Machine *machine, Value *value) {
    FrameWalk walk = stack_walk(&machine->stack);
    FrameHead head;
    const Value *saved;
    uint32_t frames = 0, stripped = 0;
    while (stack_next(&walk, &head, &saved)) {
        frames++;
        if (is_exit_of_derivative(head.point->block) &&
            !foreign_strip(machine, stripped++, saved[0].integer, value))
            return 0;
        if (head.point->handler) return frames;
    }
    return 0;
}

static void note_unwound(Machine *machine, uint32_t frames) {
    Part *part = machine->part;
    if (!part) return;
    FrameWalk walk = stack_walk(&machine->stack);
    FrameHead head;
    const Value *saved;
    part->ended = false;
    part->raised = true;
    for (uint32_t i = 0; i < frames && stack_next(&walk, &head, &saved); i++) {
        part_add_unwound(machine->heap, part, head.point->count);
        part->stripped += is_exit_of_derivative(head.point->block);
    }
}

static void drop_frame(Machine *machine) {
    const uint32_t count = stack_top(&machine->stack)->point->count;
    Value saved[count + 1];
    stack_pop(machine->heap, &machine->stack, saved);
    for (uint32_t i = 0; i < count; i++) drop(machine->heap, saved[i]);
}

/* Enters a handler: after its first parameter come the values that the frame has saved, as in the frame's own block. */
static void enter_handler(Machine *machine, Value value) {
    const ReturnPoint *point = stack_top(&machine->stack)->point;
    const Block *handler = point->handler;
    if (handler->procedure && handler->procedure->registers > machine->window)
        machine_reserve(machine, handler->procedure->registers);
    Value saved[point->count + 1];
    stack_pop(machine->heap, &machine->stack, saved);
    for (uint32_t i = 0; i < point->count; i++) machine->registers[handler->parameters[i + 1]] = saved[i];
    machine->registers[handler->parameters[0]] = value;
    machine->block = handler;
    machine->index = 0;
}

bool machine_unwind(Machine *machine, Value raised) {
    const uint32_t frames = find_handler(machine, &raised);
    if (!frames) {
        foreign_uncaught(machine, raised);
        return false;
    }
    note_unwound(machine, frames);
    for (uint32_t i = 1; i < frames; i++) drop_frame(machine);
    enter_handler(machine, raised);
    return true;
}
