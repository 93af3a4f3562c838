/* Entering a lane of vmap: the step py.enter-lane (checkpoint/prims/lanes.py) on values of C.
 *
 * In: a function, the arguments that lanes share, with holes, and the items of a lane, which fill them. Out: the tuple
 * of the function, its arguments and its keywords, all of them copies; what was copied from where.
 *
 * What always holds: the copies have the births that hybrid gives them, in preorder (Machine.number of
 * checkpoint/interp/hybrid/machine.py); lists and instances are FROZEN, but for cells that a lane has
 * as its own. Each path in the arguments leads to a copy of its own; in what the function has captured, what is one
 * object is one in the copy. What is not made of numbers, tuples, pairs, lists, instances and functions is left to
 * Python, before any side effect; so are functions among the arguments that have captured something, and what is part
 * of itself.
 */
#ifndef CK_ENTERING_H
#define CK_ENTERING_H

#include "state/machine.h"

enum { LANE_OPERANDS = 4 }; /* the function, its arguments, its keywords, the items of the lane */

/* Stores the tuple; on a tape the part has what was copied under `key`. false: Python is to do the step. */
bool enter_lane(Machine *m, const Value *operands, int32_t key, Value *result);

#endif
