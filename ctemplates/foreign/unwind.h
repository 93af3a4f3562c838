/* Sending a raised value to its handler. */
#ifndef CK_UNWIND_H
#define CK_UNWIND_H

#include "state/machine.h"

/* Sends a raised value to the innermost handler; false: there is none, the machine is unchanged. Takes the
 * reference. The part, if any, records what was removed. */
bool machine_unwind(Machine *machine, Value raised);

#endif
