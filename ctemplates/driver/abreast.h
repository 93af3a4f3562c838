/* Several segments taped at once, of those that a series is to reverse one after the other.
 *
 * In: a sweep whose machine, on a tape, has paused at a unit that tapes several segments at once (fast.h); the next kept
 * states. Out: that machine, further on, and for each of the next segments a machine of its own, which has begun its tape,
 * until the series comes to tape it: then the sweep continues that machine, as far as it has to go.
 *
 * What always holds: a sweep does the same directives with the same reports as without this. There are such machines only
 * while a series is active, and only where all their tapes, as large as they may be, fit into what the sweep may hold. Until
 * its turn comes a machine performs no step of Python's.
 */
#ifndef CK_ABREAST_H
#define CK_ABREAST_H

#include "driver/sweep.h"

/* Returns a machine at the current state, or further on, on the last tape, which is begun: one that has begun the segment, if it
 * expects a tape of the size that is wanted now. */
Machine *abreast_machine(Sweep *sweep);
/* Continues the machine of the sweep, which has paused, and begins the next segments beside it. to: where it stops. */
void abreast_begin(Sweep *sweep, int64_t to);
/* Returns how many segments of the process were taped beside another, about. */
uint64_t segments_abreast(void);
/* At the end of a series: destroys those that are left. */
void abreast_end(Sweep *sweep);

#endif
