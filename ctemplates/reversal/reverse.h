/* Reversing a tape. */
#ifndef CK_REVERSE_H
#define CK_REVERSE_H

#include "state/cotangent.h"

/* Reverses the tape and uses it up; the cotangent must belong to its end. STOPPED: all of it. SLICED: the
 * share of one call, to be called again. FAILED: the helper has the exception. */
Outcome reverse_tape(Tape *tape, Cotangent *c);

#endif
