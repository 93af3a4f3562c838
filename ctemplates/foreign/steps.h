/* Steps that Python performs. */
#ifndef CK_STEPS_H
#define CK_STEPS_H

#include "state/machine.h"

/* Performs step `step` of the machine's block on its operands; moved operands are dropped. RAISED is not an outcome:
 * a raised value has been sent to a handler, and the machine is at its start: `*jumped` is true. */
Outcome foreign_step(Machine *machine, uint32_t step, bool *jumped);

#endif
