/* The reversal of ends of blocks and of single actions, for whole blocks and parts. */
#ifndef CK_REVERSE_END_H
#define CK_REVERSE_END_H

#include "reversal/backward.h"

/* Reverses an end that the machine performs; the window then has the cotangents at the end of the block. `birth`: of
 * the environment that a CALL called. all: every slot that the block does not hand on starts at 0. */
void reverse_end(Cotangent *c, const Backward *program, uint64_t birth, bool all);

/* Performs an ADD, TAKE or GIVE; or a PICK, PUT or MOVE by its notes. */
void reverse_action(Cotangent *c, const Action *action, const Word *notes);

/* Restores the accumulators of a frame's slots from the stack; NULL: there is no frame. */
void take_frame(Cotangent *c, const ReturnPoint *point);

/* Adds the first `count` accumulators in `scratch` to the fields of an environment, the last first. */
void give_environment(Cotangent *c, uint64_t birth, uint32_t count);

#endif
