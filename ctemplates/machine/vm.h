/* The forward loop. */
#ifndef CK_VM_H
#define CK_VM_H

#include "state/machine.h"

/* Runs until `limit` steps have been made in all, or another outcome; `slice` bounds the steps of one call. */
Outcome machine_run(Machine *machine, int64_t limit, int64_t slice);

#endif
