/* Sending a raised value to its handler (unwind.c). */
#ifndef CK_UNWIND_H
#define CK_UNWIND_H

#include "state/machine.h"

/* Sends a raised value to the innermost handler; false: there is none, the machine stands as it was. Takes the
 * reference. The part, if any, has been tested what was removed. */
bool machine_unwind(Machine *machine, Value raised);

#endif
