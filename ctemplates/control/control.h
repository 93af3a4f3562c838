/* j* and resume where C does them, without Python's objects.
 *
 * In: a machine before the end of its block, which is a CONTROL. Out: the machine at the start of a block, or, after a
 * resume, at a point.
 */
#ifndef CK_CONTROL_H
#define CK_CONTROL_H

#include "state/machine.h"

/* Performs j* with the argument of its procedure, which it consumes: its tag is the one before the machine's next. exit:
 * the return point of the block that ends it. */
void begin_derivative(Machine *machine, const ReturnPoint *exit, const Value *argument);

/* Performs j*, its argument included; false: it is refused. */
bool differentiates(Machine *machine);

/* Performs resume: the state is that of a capsule, a reference to which is consumed. */
void continue_state(Machine *machine, const State *state, Value capsule);

#endif
