/* The constants of blocks as values of a heap. */
#ifndef CK_CONSTANTS_H
#define CK_CONSTANTS_H

#include "state/machine.h"

/* Returns a counted constant of a block as a value of this heap; borrowed. */
Value constant_value(Heap *heap, const Block *block, uint32_t index);

/* Returns the value of an operand of a block, borrowed. */
static inline Value operand_value(const Machine *machine, const Block *block, const Operand *operand) {
    if (operand->at != NO_REGISTER) return load(&machine->registers[operand->at]);
    if (!block->counted_constants[operand->constant]) return block->constants[operand->constant];
    return constant_value(machine->heap, block, operand->constant);
}

#endif
