/* Taped stretches of a run, and the list of those that a sweep holds under the steps that they start from.
 *
 * In: tapes. Out: the same, until they are dropped. What always holds: a stretch without a tape has no end, and of a
 * list there is at most one stretch from each step; `bytes` is what all of its tapes have together.
 */
#ifndef CK_STRETCH_H
#define CK_STRETCH_H

#include "state/machine.h"

typedef struct Stretch {
    Tape *tape; /* NULL: there is none */
    int64_t from, to;
    bool finishes; /* its end is that of the run */
    State *end;    /* what it led to, where that may yet become the end of the run; or NULL */
} Stretch;

typedef struct Stretches {
    Stretch *all;
    size_t count, room, bytes;
} Stretches;

void stretch_drop(Heap *heap, Stretch *stretch); /* there is none then; takes the GIL */

/* Takes what `stretch` has, in the place of another one from the same step. */
void stretches_add(Heap *heap, Stretches *held, Stretch *stretch);
bool stretches_take(Stretches *held, int64_t from, Stretch *taken); /* false: there is none from this step */
void stretches_drop(Heap *heap, Stretches *held);                   /* all of them, and the list */

#endif
