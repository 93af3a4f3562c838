/* Queries about the slots of a block, for its reversal. */
#ifndef CK_SLOTS_H
#define CK_SLOTS_H

#include "program/value.h"

bool is_slot(const Block *block, Register slot);
bool is_jump(const Block *block);
bool receives(const Block *block, Register slot); /* whether its end adds to it */

/* Returns whether the block's end hands an accumulator back unchanged; of a branch, from its k-th target. */
bool goes_on(const Block *block, int k, Register slot);

/* Returns whether a parameter of the block, from the one numbered `from` on, is the slot. */
bool keeps_parameter(const Block *target, uint32_t from, Register slot);

#endif
