/* Reverses ends of blocks and single actions. */
#include "reversal/reverse_end.h"

#include "reversal/field_actions.h"
#include "state/cotangent_stack.h"

/* Takes the cotangents of parameters `from` to `to` of a block out of the window, into `scratch`. */
static void take_parameters(Cotangent *c, const Block *block, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) store(&c->scratch[i], take_accumulator(&c->window[block->parameters[i]]));
}

/* Sets accumulators to 0. all: also those that the operations of the block's steps set. */
static inline void start_zeros(Cotangent *c, const Backward *program, int target, bool all) {
    const Zeros zeros = all ? program->zeros[target] : program->few[target];
    for (uint32_t i = 0; i < zeros.count; i++) {
        Value *slot = &c->window[zeros.slots[i]];
        if (UNLIKELY(slot->tag != REAL)) drop(c->heap, load(slot));
        store(slot, of_real(0.0));
    }
}

/* Adds the cotangents taken out, from `scratch[first]` on, to the operands that they belong to. */
static void add_operands(Cotangent *c, const Operand *operands, uint32_t count, uint32_t first) {
    for (uint32_t i = count; i-- > 0;) {
        const Value cotangent = load(&c->scratch[first + i]);
        if (operands[i].at != NO_REGISTER)
            accumulate(c->heap, &c->window[operands[i].at], cotangent);
        else
            drop(c->heap, cotangent);
    }
}

void take_frame(Cotangent *c, const ReturnPoint *point) {
    if (!point) return;
    for (uint32_t i = point->count; i-- > 0;) {
        Value *slot = &c->window[point->saved[i]];
        drop(c->heap, load(slot));
        store(slot, cotangent_pop(c));
    }
}

/* Adds to the fields of the captures of a called environment, the last first. */
void give_environment(Cotangent *c, uint64_t birth, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        const Value cotangent = load(&c->scratch[i]);
        if (!is_zero_cotangent(cotangent)) cotangent_give(c, birth, i, cotangent);
    }
}

/* Reverses a call. The entry's parameters are captures, own environment, arguments. */
static void reverse_call(Cotangent *c, const Backward *program, const Block *after, uint64_t birth, bool all) {
    const End *end = &program->block->end;
    const uint32_t count = after->parameter_count, arguments = end->count - 1;
    const uint32_t captures = after->procedure->capture_count;
    take_parameters(c, after, 0, count);
    start_zeros(c, program, 0, all);
    take_frame(c, end->point);
    add_operands(c, end->operands + 1, arguments, count - arguments);
    give_environment(c, birth, captures);
    for (uint32_t i = captures; i < count - arguments; i++) drop(c->heap, c->scratch[i]);
}

/* Reverses a return: pushes the accumulators of the frame's slots onto the stack, and adds the result's to the
 * operand. */
static void reverse_return(Cotangent *c, const Backward *program, const Block *after, bool all) {
    for (uint32_t i = 1; i < after->parameter_count; i++)
        cotangent_push(c, take_accumulator(&c->window[after->parameters[i]]));
    take_parameters(c, after, 0, 1);
    start_zeros(c, program, 0, all);
    add_operands(c, program->block->end.operands, 1, 0);
}

/* Reverses an install. A slot that the body needs may also be in the frame: each has an accumulator of its own. */
static void reverse_install(Cotangent *c, const Backward *program, const Block *after, bool all) {
    take_parameters(c, after, 0, after->parameter_count);
    start_zeros(c, program, 0, all);
    take_frame(c, program->block->end.point);
    for (uint32_t i = 0; i < after->parameter_count; i++)
        accumulate(c->heap, &c->window[after->parameters[i]], c->scratch[i]);
}

void reverse_end(Cotangent *c, const Backward *program, uint64_t birth, bool all) {
    const Block *block = program->block, *after = c->block;
    const End *end = &block->end;
    switch (end->kind) {
    case JUMP:
    case ENTER:
        take_parameters(c, after, 0, end->count);
        start_zeros(c, program, 0, all);
        add_operands(c, end->operands, end->count, 0);
        break;
    case BRANCH: start_zeros(c, program, after != end->targets[0], all); break;
    case CALL: reverse_call(c, program, after, birth, all); break;
    case RETURN: reverse_return(c, program, after, all); break;
    case INSTALL: reverse_install(c, program, after, all); break;
    case CONTROL:
    case THROW:
    case FINISH: break; /* parts, and blocks that never ran */
    }
}

void reverse_action(Cotangent *c, const Action *action, const Word *notes) {
    Value *source = &c->window[action->source];
    Value *target = action->target == NO_REGISTER ? NULL : &c->window[action->target];
    const Word *note = notes + action->note;
    switch (action->kind) {
    case ADD: accumulate(c->heap, target, take_accumulator(source)); break;
    case TAKE: put_back(c, target, note->birth, action->field); break;
    case GIVE: give_to(c, source, note->birth, action->field); break;
    case PICK: give_to(c, source, note[0].birth, note[1].field); break;
    case PUT: put_back(c, target, note[0].birth, note[1].field); break;
    case MOVE:
        if (action->count) give_copied(c, note);
        break;
    default: break;
    }
}
