/* Steps that Python does (steps.c). */
#ifndef CK_STEPS_H
#define CK_STEPS_H

#include "state/machine.h"

/* Step `step` of the machine's block, on its operands; moved operands are dropped. RAISED is not an outcome:
 * what was raised has been sent to a handler, and the machine stands at its head: `*jumped` is true. */
Outcome foreign_step(Machine *machine, uint32_t step, bool *jumped);

#endif
