/* Entry points of gradients of loops over lanes (checkpoint/ctarget/at_once/lane_gradients.py); the rules of api.h apply.
 * (Also read by cffi.)
 *
 * In: the loop and items of lane_loop.h; later a cotangent for each result. Out: the results of one block of lanes, and its
 * tape; later the cotangents of the items. Anything else is refused, as lane_loop.h says: then nothing has been done that
 * anybody can see.
 *
 * What always holds: a block has a heap of its own, so several threads may tape and reverse blocks at once. A lane's
 * cotangents depend on that lane alone: what lanes share, which the closure has, receives none.
 */
#ifndef CK_LANE_TAPE_H
#define CK_LANE_TAPE_H

#include "at_once/lane_run.h"

typedef struct LaneTape LaneTape; /* of one block */

/* How a run went. steps: how many there were. bytes: of the tape. is_large: whether it outgrew its bound. strips: whether lanes ran in strips. lacks: the block that
 * lacks a form of its code; NULL: none does. */
typedef struct LaneReport {
    int64_t steps;
    size_t bytes;
    bool is_large, strips;
    const Block *lacks;
    Form form;
} LaneReport;

/* Returns the tape of so many lanes, whose results it stores; NULL: it is refused. wanted: the bits of the columns whose
 * cotangents are wanted. most: the bytes that the tape may have, about. */
LaneTape *ck_lane_tape(const LaneLoop *loop, uintptr_t closure, int64_t births, const double *const *columns,
                       uint32_t column_count, uint64_t wanted, int64_t lanes, double *results, size_t most, LaneReport *report);

/* Uses up a tape, and stores the cotangents of the items of each wanted column, in their order; false: it is refused.
 * received: the cotangents of the results. */
bool ck_lane_reverse(LaneTape *tape, const double *received, double *const *cotangents);
void ck_lane_forget(LaneTape *tape);

#endif
