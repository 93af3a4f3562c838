/* Closed states: those of capsules that nobody has taken apart in Python, and whose numbers are reals.
 *
 * In: a state. Out: how many reals it reaches; a copy in another heap, which resumes it; from a cotangent of it those of its
 * reals, and the reverse. The reals are in the canonical order of checkpoint/ad/graph.py: those at the point, then those
 * of the frames from the top, each slot with what it reaches, depth first, an object where it is first met.
 *
 * What always holds: a state is closed if it reaches reals, atoms, pairs, tuples, lists, objects and closures alone, none of
 * them a constant of the code. Of another one the functions return false or NULL, and nothing has changed: it is Python that
 * takes it apart. Its version is shown while it is walked. Nothing recurses.
 */
#ifndef CK_CLOSED_H
#define CK_CLOSED_H

#include "state/cotangent.h"

/* What a state reaches. procedures: those without an environment, as often as they are met; in Python all of them have the
 * same empty one, which has a birth. */
typedef struct ClosedCounts {
    size_t reals, objects, procedures;
} ClosedCounts;
bool closed_count(Heap *heap, const State *state, ClosedCounts *counts);

/* Returns the copy, whose objects have births from `births` on, in the order in which they are first met; the copy's next
 * birth follows. tags: the copy's next tag. The heap has no other thread in it, and keeps the code that the state runs. */
State *closed_copy(Heap *heap, const State *state, int64_t births, int64_t tags);

/* Stores the cotangent of each of `count` reals, of a cotangent at the state's point; or sets those of a new cotangent.
 * false, too, if there are not so many. */
bool closed_received(const State *state, Cotangent *c, double *reals, size_t count);
bool closed_give(const State *state, Cotangent *c, const double *reals, size_t count);

/* Whether a field of an object that the state reaches has an accumulator, if the objects have births from `births` on, as
 * those of a capsule that is a value of another run, of which `c` is a cotangent. */
bool closed_holds(const State *state, Cotangent *c, int64_t births);

#endif
