/* The states that a sweep keeps, in the order of their steps. Each is a reference of its own. */
#ifndef CK_KEPT_H
#define CK_KEPT_H

#include "driver/sweep.h"

/* Releases a state, if there is one. */
void drop_state(Sweep *sweep, State **state);

/* Returns a further reference to a state. */
State *shared_state(State *state);

/* Returns the one that is kept at a step; NULL: none is. */
Kept *kept_at(const Sweep *sweep, int64_t step);

/* Keeps a state of the same run, in the place of one at its step. */
void sweep_put(Sweep *sweep, State *state);
State *sweep_kept_until(Sweep *sweep, int64_t step); /* the last one that is kept at a step or before it; NULL: none is */
/* Returns the state that is kept at a step, or for a negative one the current state; NULL: there is none. */
State *sweep_state(const Sweep *sweep, int64_t step);

#endif
