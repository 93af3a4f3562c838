/* Entry points for closed states (checkpoint/ctarget/capsules/closed.py; control/closed.h); the rules of api.h apply. (Also read by
 * cffi.) */
#ifndef CK_API_CLOSED_H
#define CK_API_CLOSED_H

#include "api/api.h"

/* What an entry has done: all of it; nothing, since the state is not closed; or memory ran out. */
typedef enum Closed { CLOSED, NOT_CLOSED, CLOSED_NO_MEMORY } Closed;

/* Stores the numbers of reals, of objects and of procedures that a state reaches, as ClosedCounts. */
Closed ck_closed_count(const Held *state, size_t *counts);

/* Stores a copy of the state in another heap, for a run whose objects have births from `births` on, and duals such tags. */
Closed ck_closed_copy(const Held *heap, const Held *state, int64_t births, int64_t tags, Held **copy);

/* Stores the cotangents of the state's reals, or sets them in a new cotangent. NOT_CLOSED: or there are not so many. */
Closed ck_closed_received(const Held *cotangent, const Held *state, double *reals, size_t count);
Closed ck_closed_give(const Held *cotangent, const Held *state, const double *reals, size_t count);

/* CLOSED: an object of the state, which is in another heap, has received something, as closed_holds says; NOT_CLOSED: none. */
Closed ck_closed_holds(const Held *cotangent, const Held *state, int64_t births);

#endif
