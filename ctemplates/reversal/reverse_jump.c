/* Decodes the reversal of a jump or a branch into operations.
 *
 * In: a block, and its slots that must be set to 0. Out: operations on the window: the accumulator of each explicit
 * parameter of the target is added to its argument, the last first, as if all had been taken out of the window before.
 * Registers that still hold something are written last; where two wait for each other, one accumulator is moved to a
 * register that no slot has.
 *
 * What always holds: an accumulator is never -0, so one that stays in its own register need not be added to 0.
 */
#include "reversal/reverse_jump.h"

#include "reversal/slots.h"

typedef struct Jump {
    const Block *block;
    Register *from;     /* the register of the cotangent of each explicit parameter; NO_REGISTER: it has been added */
    Register *waiting;  /* registers not written yet */
    uint32_t count, spare;
    BackOperation *to;
} Jump;

static void put(Jump *jump, uint16_t kind, Register to, Register from) {
    *jump->to++ = (BackOperation){.kind = kind, .source = from, .a = to};
}

static bool starts_at_zero(const Jump *jump, Register slot) {
    return is_slot(jump->block, slot) && !goes_on(jump->block, 0, slot);
}

/* Returns whether the content of a register has to be added to another one, or to its own but not as the first. */
static bool is_needed(const Jump *jump, Register slot) {
    bool stays = starts_at_zero(jump, slot);
    for (uint32_t i = jump->block->end.count; i-- > 0;) {
        const bool own = jump->block->end.operands[i].at == slot;
        if (jump->from[i] == slot && !(own && stays)) return true;
        if (own) stays = false;
    }
    return false;
}

static void write_one(Jump *jump, Register slot) {
    bool sets = starts_at_zero(jump, slot);
    for (uint32_t i = jump->block->end.count; i-- > 0;) {
        if (jump->block->end.operands[i].at != slot) continue;
        if (jump->from[i] != slot) put(jump, sets ? BACK_PASS + SETS_A : BACK_PASS, slot, jump->from[i]);
        jump->from[i] = NO_REGISTER;
        sets = false;
    }
    if (sets) put(jump, BACK_ZERO, slot, slot);
}

static void set_aside(Jump *jump, Register slot) {
    put(jump, BACK_PASS + SETS_A, jump->spare, slot);
    for (uint32_t i = 0; i < jump->block->end.count; i++)
        if (jump->from[i] == slot) jump->from[i] = jump->spare;
    jump->spare++;
}

static void start(Jump *jump, const Zeros *few) {
    const End *end = &jump->block->end;
    for (uint32_t i = 0; i < end->count; i++) {
        const Register to = end->operands[i].at;
        bool known = to == NO_REGISTER;
        for (uint32_t k = 0; k < i; k++) known |= end->operands[k].at == to;
        jump->from[i] = to == NO_REGISTER ? NO_REGISTER : end->targets[0]->parameters[i];
        if (!known) jump->waiting[jump->count++] = to;
    }
    for (uint32_t i = 0; i < few->count; i++) jump->waiting[jump->count++] = few->slots[i];
}

/* Returns the first register that no slot has. */
static uint32_t first_spare(const Block *block) {
    const Block *target = block->end.targets[0];
    uint32_t spare = block->procedure ? block->procedure->registers : 0;
    for (uint32_t i = 0; i < block->slot_count; i++)
        if (block->slots[i] >= spare) spare = block->slots[i] + 1;
    for (uint32_t i = 0; i < target->parameter_count; i++)
        if (target->parameters[i] >= spare) spare = target->parameters[i] + 1;
    return spare;
}

BackOperation *reverse_jump(Cotangent *c, const Block *block, const Zeros *few, BackOperation *to) {
    const size_t from_bytes = (block->end.count + 1) * sizeof(Register);
    const size_t waiting_bytes = (block->end.count + few->count + 1) * sizeof(Register);
    Jump jump = {.block = block, .spare = first_spare(block), .to = to};
    cotangent_reserve(c, jump.spare + block->end.count);
    jump.from = heap_allocate(c->heap, from_bytes);
    jump.waiting = heap_allocate(c->heap, waiting_bytes);
    start(&jump, few);
    while (jump.count) {
        uint32_t i = 0;
        while (i < jump.count && is_needed(&jump, jump.waiting[i])) i++;
        if (i < jump.count) {
            write_one(&jump, jump.waiting[i]);
            jump.waiting[i] = jump.waiting[--jump.count];
        } else {
            set_aside(&jump, jump.waiting[0]);
        }
    }
    heap_free(c->heap, jump.from, from_bytes);
    heap_free(c->heap, jump.waiting, waiting_bytes);
    return jump.to;
}

BackOperation *reverse_branch(const Zeros *few, bool last, uint32_t further, BackOperation *to) {
    for (uint32_t i = 0; i < few->count; i++) *to++ = (BackOperation){.kind = BACK_ZERO, .a = few->slots[i]};
    if (!last) *to++ = (BackOperation){.kind = BACK_SKIP, .x = further + 1};
    return to;
}
