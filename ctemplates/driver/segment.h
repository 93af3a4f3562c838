/* Taped segments of a run, and the list of those that a sweep holds, by the steps that they start from.
 *
 * What always holds: a segment without a tape has no end; a list has at most one segment from each step; its `bytes` is
 * the size of all of its tapes.
 */
#ifndef CK_STRETCH_H
#define CK_STRETCH_H

#include "state/machine.h"

typedef struct Segment {
    Tape *tape; /* NULL: there is none */
    int64_t from, to;
    bool finishes; /* its end is that of the run */
    State *end;    /* the state it led to, if that may yet become the end of the run; or NULL */
} Segment;

typedef struct Segments {
    Segment *all;
    size_t count, room, bytes;
} Segments;

void segment_drop(Heap *heap, Segment *segment); /* there is none then; takes the GIL */

/* Moves the content of `segment` into the list, replacing one from the same step. */
void segments_add(Heap *heap, Segments *held, Segment *segment);
bool segments_take(Segments *held, int64_t from, Segment *taken); /* false: there is none from this step */
void segments_drop(Heap *heap, Segments *held);                   /* all of them, and the list */

#endif
