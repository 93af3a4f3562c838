/* The slots of a block, as its reversal sees them (slots.c). */
#ifndef CK_SLOTS_H
#define CK_SLOTS_H

#include "program/value.h"

bool is_slot(const Block *block, Register slot);
bool is_jump(const Block *block);
bool receives(const Block *block, Register slot); /* whether its end adds to it */

/* Whether an accumulator goes on from what follows the block to its end: of the k-th target of a branch. */
bool goes_on(const Block *block, int k, Register slot);

bool keeps_parameter(const Block *target, uint32_t from, Register slot); /* whether a parameter from `from` on is the slot */

#endif
