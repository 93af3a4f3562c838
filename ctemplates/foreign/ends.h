/* Ends of blocks that need Python. */
#ifndef CK_ENDS_H
#define CK_ENDS_H

#include "state/machine.h"

/* Performs an end that C cannot: CONTROL, THROW, a CALL of anything but a closure with that arity, a BRANCH on anything
 * but a boolean. The machine is then at the start of a block (or at a point). STOPPED: done. */
Outcome foreign_end(Machine *machine);

#endif
