/* The operations that reverse a jump or a branch. */
#ifndef CK_REVERSE_JUMP_H
#define CK_REVERSE_JUMP_H

#include "reversal/backward.h"

/* Writes the operations of an end to `to`, and returns where they end. Of a branch those of one target, which unless
 * they are the last continue after `further` others. */
BackOperation *reverse_jump(Cotangent *c, const Block *block, const Zeros *few, BackOperation *to);

BackOperation *reverse_branch(const Zeros *few, bool last, uint32_t further, BackOperation *to);

#endif
