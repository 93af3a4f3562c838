/* Queries about the slots of a block, for its reversal. */
#include "reversal/slots.h"

bool is_slot(const Block *block, Register slot) {
    for (uint32_t i = 0; i < block->slot_count; i++)
        if (block->slots[i] == slot) return true;
    return false;
}

bool is_jump(const Block *block) { return block->end.kind == JUMP || block->end.kind == ENTER; }

bool receives(const Block *block, Register slot) {
    for (uint32_t i = 0; i < block->end.count; i++)
        if (block->end.operands[i].at == slot) return true;
    return false;
}

bool keeps_parameter(const Block *target, uint32_t from, Register slot) {
    for (uint32_t i = from; i < target->parameter_count; i++)
        if (target->parameters[i] == slot) return true;
    return false;
}

bool goes_on(const Block *block, int k, Register slot) {
    const End *end = &block->end;
    switch (end->kind) {
    case JUMP:
    case ENTER: return keeps_parameter(end->targets[0], end->targets[0]->given, slot);
    case BRANCH: return keeps_parameter(end->targets[k], 0, slot);
    default:
        if (end->point)
            for (uint32_t i = 0; i < end->point->count; i++)
                if (end->point->saved[i] == slot) return true;
        return false;
    }
}
