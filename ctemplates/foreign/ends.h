/* Ends of blocks that Python performs, or begins. */
#ifndef CK_ENDS_H
#define CK_ENDS_H

#include "state/machine.h"

/* The block's end, one that C cannot do: CONTROL, THROW, a CALL of what cannot be called so, a BRANCH on what is no
 * boolean. The machine then is at the start of a block (or at a point). STOPPED: done. */
Outcome foreign_end(Machine *machine);

#endif
