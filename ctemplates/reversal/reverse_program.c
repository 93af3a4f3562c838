/* Decodes the actions of blocks into programs: see backward.h. */
#include "reversal/reverse_program.h"

#include <string.h>

#include "reversal/reverse_jump.h"
#include "reversal/reverse_shorten.h"
#include "reversal/slots.h"
#include "scalars/scalars.h"

enum { FIRST_PROGRAMS = 16 };

/* The pair of partials that an operation on one or two operands applies. */
typedef enum Rule { NO_RULE, RULE_ADD, RULE_SUBTRACT, RULE_MULTIPLY, RULE_DIVIDE, RULE_NEGATE } Rule;

static Rule rule_of(const Scalar *scalar) {
    const Slope *slopes = scalar->slopes;
    if (!slopes) return NO_RULE;
    if (scalar->arity == 1) return slopes[0] == SLOPE_MINUS_ONE ? RULE_NEGATE : NO_RULE;
    switch (slopes[0]) {
    case SLOPE_ONE:
        return slopes[1] == SLOPE_ONE ? RULE_ADD : slopes[1] == SLOPE_MINUS_ONE ? RULE_SUBTRACT : NO_RULE;
    case SLOPE_Y: return slopes[1] == SLOPE_X ? RULE_MULTIPLY : NO_RULE;
    case SLOPE_BY_Y: return slopes[1] == SLOPE_OF_DIVISOR ? RULE_DIVIDE : NO_RULE;
    default: return NO_RULE;
    }
}

void programs_create(Cotangent *c) {
    c->rules = cotangent_allocate_fixed(c, SCALAR_COUNT + 1u);
    for (uint16_t i = 0; i < SCALAR_COUNT; i++) c->rules[i] = (uint8_t)rule_of(&SCALARS[i]);
    c->rules[SCALAR_COUNT] = NO_RULE;
}

void programs_destroy(Cotangent *c) {
    for (size_t i = 0; i < c->program_room; i++)
        if (c->programs[i]) heap_free(c->heap, c->programs[i], c->programs[i]->bytes);
    if (c->programs) heap_free(c->heap, c->programs, c->program_room * sizeof(Backward *));
    heap_free(c->heap, c->rules, SCALAR_COUNT + 1u);
}

/* Actions */

/* Sets the factor of a product's partial, the other operand: a recorded value, or a constant of the program. */
static BackOperation factor(const Action *action, int place, BackOperation found) {
    const int other = 1 - place;
    found.a = action->operands[place];
    if (action->operands[other] == NO_REGISTER) {
        found.kind = BACK_TIMES;
        found.constant = action->constants[other];
    } else {
        found.kind = BACK_FACTOR;
        found.x = (uint32_t)action->values[other];
    }
    return found;
}

static BackOperation of_one_operand(const Action *action, Rule rule, int place, BackOperation found) {
    found.a = action->operands[place];
    switch (rule) {
    case RULE_ADD: found.kind = BACK_PASS; break;
    case RULE_SUBTRACT: found.kind = place ? BACK_MINUS : BACK_PASS; break;
    case RULE_NEGATE: found.kind = BACK_MINUS; break;
    case RULE_MULTIPLY: return factor(action, place, found);
    case RULE_DIVIDE:
        if (place == 0) {
            found.kind = BACK_TIMES;
            found.constant = 1.0 / action->constants[1];
            break;
        }
        found.kind = BACK_DIVISOR;
        found.y = (uint32_t)action->values[1];
        found.z = (uint32_t)action->values[3];
        break;
    case NO_RULE: break;
    }
    return found;
}

static BackOperation of_two_operands(const Action *action, Rule rule, BackOperation found) {
    found.a = action->operands[0];
    found.b = action->operands[1];
    found.x = (uint32_t)action->values[0];
    found.y = (uint32_t)action->values[1];
    switch (rule) {
    case RULE_ADD: found.kind = BACK_SUM; break;
    case RULE_SUBTRACT: found.kind = BACK_DIFFERENCE; break;
    case RULE_MULTIPLY: found.kind = BACK_PRODUCT; break;
    case RULE_DIVIDE:
        found.kind = BACK_QUOTIENT;
        found.z = (uint32_t)action->values[3];
        break;
    case RULE_NEGATE:
    case NO_RULE: break;
    }
    return found;
}

static BackOperation of_scale(const Cotangent *c, const Action *action) {
    const Rule rule = action->scalar == NO_SCALAR ? NO_RULE : (Rule)c->rules[action->scalar];
    const BackOperation found = {.kind = BACK_SCALE, .source = action->source, .action = action};
    if (rule == NO_RULE) return found;
    if (rule == RULE_NEGATE || action->operands[1] == NO_REGISTER) return of_one_operand(action, rule, 0, found);
    if (action->operands[0] == NO_REGISTER) return of_one_operand(action, rule, 1, found);
    return of_two_operands(action, rule, found);
}

static BackOperation of_action(const Cotangent *c, const Action *action) {
    BackOperation found = {.source = action->source, .a = action->target, .x = action->note, .y = action->field};
    switch (action->kind) {
    case ADD: found.kind = BACK_COPY; break;
    case SCALE: return of_scale(c, action);
    case TAKE: found.kind = BACK_TAKE; break;
    case GIVE: found.kind = BACK_GIVE; break;
    case PICK: found.kind = BACK_PICK; break;
    case PUT: found.kind = BACK_PUT; break;
    case MOVE: found.kind = action->count ? BACK_COPIED : BACK_END; break;
    default: found.kind = BACK_END; break; /* a step that leaves an origin is never in a block that ran as a whole */
    }
    return found;
}

/* Zeros */

/* The state of an accumulator while a block is reversed: untouched, first set by an operation, or not 0 before its
 * first operation. */
enum { UNTOUCHED, IS_SET, IS_ADDED_TO };

static void touch(uint8_t *fate, Register slot) {
    if (slot != NO_REGISTER && fate[slot] == UNTOUCHED) fate[slot] = IS_ADDED_TO;
}

static bool sets(uint8_t *fate, Register slot) {
    if (fate[slot] != UNTOUCHED) return false;
    fate[slot] = IS_SET;
    return true;
}

static void decide(BackOperation *op, uint8_t *fate) {
    touch(fate, op->source);
    if (op->kind >= BACK_SCALE) {
        if (op->kind == BACK_TAKE || op->kind == BACK_PUT) touch(fate, op->a);
        for (int i = 0; op->kind == BACK_SCALE && i < op->action->count; i++) touch(fate, op->action->operands[i]);
        return;
    }
    uint16_t kind = op->kind;
    if (op->kind >= BACK_SUM && op->kind < BACK_COPY && sets(fate, op->b)) kind += SETS_B;
    if (sets(fate, op->a)) kind += SETS_A;
    op->kind = kind;
}

/* Marks the accumulators that an end adds to, or that are handed on: these are not 0 when the steps are reversed. */
static void touch_by_end(const Block *block, int targets, uint8_t *fate) {
    const End *end = &block->end;
    for (uint32_t i = 0; i < end->count; i++) touch(fate, end->operands[i].at);
    for (uint32_t i = 0; i < block->slot_count; i++)
        for (int k = 0; k < targets; k++)
            if (goes_on(block, k, block->slots[i])) touch(fate, block->slots[i]);
    if (end->kind == INSTALL)
        for (uint32_t i = 0; i < end->targets[0]->parameter_count; i++) touch(fate, end->targets[0]->parameters[i]);
}

static Register *list_zeros(Backward *program, int k, const uint8_t *fate, Register *to) {
    const Block *block = program->block;
    program->zeros[k].slots = to;
    for (uint32_t i = 0; i < block->slot_count; i++)
        if (!goes_on(block, k, block->slots[i])) *to++ = block->slots[i];
    program->zeros[k].count = (uint32_t)(to - program->zeros[k].slots);
    program->few[k].slots = to;
    for (uint32_t i = 0; i < program->zeros[k].count; i++) {
        const Register slot = program->zeros[k].slots[i];
        if (is_jump(block) && receives(block, slot)) continue;
        if (fate[slot] == IS_ADDED_TO || (fate[slot] == UNTOUCHED && keeps_parameter(block, 0, slot))) *to++ = slot;
    }
    program->few[k].count = (uint32_t)(to - program->few[k].slots);
    return to;
}

/* Operations */

static uint32_t list_steps(const Cotangent *c, const Block *block, uint8_t *fate, BackOperation *to) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->action_count; i++) {
        to[count] = of_action(c, &block->actions[i]);
        if (to[count].kind == BACK_END) continue;
        decide(&to[count++], fate);
    }
    to[count++] = (BackOperation){.kind = BACK_END};
    return count;
}

static BackOperation *list_ends(Cotangent *c, Backward *program) {
    const Zeros *few = program->few;
    BackOperation *to = program->operations, *second = to;
    program->ends = true;
    if (is_jump(program->block)) {
        program->start[0] = program->start[1] = to;
        return reverse_jump(c, program->block, few, to);
    }
    program->ends = program->block->end.kind == BRANCH;
    program->start[0] = program->start[1] = to;
    if (!program->ends) return to;
    to = reverse_branch(&few[1], false, few[0].count, to);
    program->start[0] = to;
    to = reverse_branch(&few[0], true, 0, to);
    program->start[1] = few[1].count ? second : to;
    return to;
}

static Register offset(Register slot) {
    return slot == NO_REGISTER ? NO_REGISTER : slot * (Register)sizeof(Value);
}

/* A program with room for the most that its block may need: its operations, and after all that room, at `zeros`, its slots. */
typedef struct Draft {
    Backward *program;
    BackOperation *end;
    Register *zeros, *zeros_end;
} Draft;

static size_t most_operations(const Block *block) {
    return 2 * (block->action_count + block->slot_count + block->end.count + 2);
}

/* Decodes the operations; finally registers become offsets. Sets where the operations end, and where the zeros do. */
static void decode(Cotangent *c, Draft *draft, uint8_t *fate, BackOperation *steps) {
    Backward *program = draft->program;
    const Block *block = program->block;
    const int targets = block->end.kind == BRANCH ? 2 : 1;
    draft->zeros_end = draft->zeros;
    memset(fate, UNTOUCHED, c->registers);
    touch_by_end(block, targets, fate);
    const uint32_t count = list_steps(c, block, fate, steps);
    for (int k = 0; k < targets; k++) draft->zeros_end = list_zeros(program, k, fate, draft->zeros_end);
    BackOperation *to = list_ends(c, program), *shortened = is_jump(block) ? program->operations : to;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = steps[i];
        if (to[i].kind == BACK_COPY || to[i].kind == BACK_COPY + SETS_A) to[i].kind -= BACK_COPY - BACK_PASS;
    }
    to = reverse_shorten(block, shortened);
    memcpy(to, steps, count * sizeof *steps);
    program->steps = to;
    draft->end = to + count;
    for (BackOperation *op = program->operations; op < draft->end; op++) {
        op->source = offset(op->source);
        op->a = offset(op->a);
        op->b = offset(op->b);
    }
}

/* Returns a program of no more bytes than a draft has used. */
static Backward *trimmed(Cotangent *c, const Draft *draft) {
    const Backward *from = draft->program;
    const size_t count = (size_t)(draft->end - from->operations), zeros = (size_t)(draft->zeros_end - draft->zeros);
    const size_t bytes = sizeof *from + count * sizeof *from->operations + zeros * sizeof *draft->zeros;
    Backward *program = cotangent_allocate_fixed(c, bytes);
    memcpy(program, from, sizeof *from + count * sizeof *from->operations);
    Register *slots = (Register *)(void *)(program->operations + count);
    memcpy(slots, draft->zeros, zeros * sizeof *slots);
    program->before = program;
    program->bytes = bytes;
    program->steps = program->operations + (from->steps - from->operations);
    const int targets = from->block->end.kind == BRANCH ? 2 : 1;
    for (int k = 0; k < 2; k++) program->start[k] = program->operations + (from->start[k] - from->operations);
    for (int k = 0; k < targets; k++) {
        program->zeros[k].slots = slots + (from->zeros[k].slots - draft->zeros);
        program->few[k].slots = slots + (from->few[k].slots - draft->zeros);
    }
    return program;
}

static Backward *make_program(Cotangent *c, const Block *block) {
    const size_t most = most_operations(block), registers = c->registers;
    const size_t bytes = sizeof(Backward) + most * sizeof(BackOperation) + 4 * block->slot_count * sizeof(Register);
    const size_t step_bytes = (block->action_count + 1) * sizeof(BackOperation);
    uint8_t *fate = heap_allocate(c->heap, registers);
    BackOperation *steps = heap_allocate(c->heap, step_bytes);
    Draft draft = {.program = heap_allocate(c->heap, bytes)};
    *draft.program = (Backward){.block = block};
    draft.zeros = (Register *)(void *)(draft.program->operations + most);
    decode(c, &draft, fate, steps);
    Backward *program = trimmed(c, &draft);
    heap_free(c->heap, draft.program, bytes);
    heap_free(c->heap, steps, step_bytes);
    heap_free(c->heap, fate, registers);
    return program;
}

/* The table: linear probing, nothing is ever removed. */

static Backward **place_of(const Cotangent *c, const Block *block) {
    const size_t mask = c->program_room - 1;
    size_t i = ((uintptr_t)block >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32 & mask;
    while (c->programs[i] && c->programs[i]->block != block) i = (i + 1) & mask;
    return &c->programs[i];
}

static void grow_table(Cotangent *c) {
    Backward **old = c->programs;
    const size_t old_room = c->program_room, room = old_room ? old_room * 2 : FIRST_PROGRAMS;
    Backward **programs = cotangent_allocate_fixed(c, room * sizeof *programs);
    memset(programs, 0, room * sizeof *programs);
    c->programs = programs;
    c->program_room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i]) *place_of(c, old[i]->block) = old[i];
    cotangent_free(c, old, old_room * sizeof *old);
    c->fixed -= old_room * sizeof *old;
}

Backward *program_of(Cotangent *c, const Block *block) {
    if (block->procedure) cotangent_reserve(c, block->procedure->registers);
    if (c->program_room) {
        Backward *found = *place_of(c, block);
        if (LIKELY(found != NULL)) return found;
    }
    if (2 * (c->program_count + 1) > c->program_room) grow_table(c);
    Backward *program = make_program(c, block);
    *place_of(c, block) = program;
    c->program_count++;
    return program;
}
