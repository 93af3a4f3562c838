/* Forward mode in C: the beginning of j*, which lifts the argument of a procedure to duals, and its exit, which splits
 * the value. Both are those of checkpoint/interp/hybrid/parts.py, to the births of what they make.
 *
 * What always holds: each completes or refuses before any side effect. On a tape they are refused outside of a part.
 */
#ifndef CK_FORWARD_H
#define CK_FORWARD_H

#include "state/machine.h"

/* Makes the argument that j* calls its procedure with, whose duals have the machine's next tag. The machine is before the
 * end of its block, whose operands they are. */
bool lift_argument(Machine *m, Value argument, Value tangent, Value *lifted);

/* Makes the result of j*: a pair of the value without the tag, and its tangent. */
bool split_value(Machine *m, Value value, Value tag, Value *result);

#endif
