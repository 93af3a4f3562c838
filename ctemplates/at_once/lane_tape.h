/* Entry points of gradients of loops over lanes (checkpoint/ctarget/at_once/lane_gradients.py); the rules of api.h apply.
 * (Also read by cffi.)
 *
 * In: the loop and items of lane_loop.h; later a cotangent for each result. Out: the results, and a tape for each block of
 * lanes; later the cotangents of the items. Anything else is refused, as lane_loop.h says: then nothing has been done that
 * anybody can see.
 *
 * What always holds: a block has a heap of its own, so several threads tape and reverse blocks at once. A lane's cotangents
 * depend on that lane alone: what lanes share, which the closure has, receives none. So neither threads nor blocks decide a
 * bit.
 */
#ifndef CK_LANE_TAPE_H
#define CK_LANE_TAPE_H

#include "at_once/lane_run.h"

typedef struct LaneTape LaneTape; /* of one block */

/* A block. first, count: its lanes. tape: NULL: it is not held. bytes: of the tape. strips: whether lanes ran in strips. */
typedef struct LaneBlock {
    int64_t first, count, steps;
    size_t bytes;
    bool strips;
    LaneTape *tape;
} LaneBlock;

/* The items of all lanes, what is wanted of them, and their results. births: the first that nothing in the closure has.
 * wanted: the bits of the columns whose cotangents are wanted. most: the bytes that the tape of a block may have, about;
 * room: those that tapes which are held may still have, less after a call. */
typedef struct LaneColumns {
    uintptr_t closure; /* the address of a Closure without capsules */
    int64_t births;
    const double *const *columns;
    uint32_t column_count;
    uint64_t wanted;
    double *results;
    size_t most, room;
} LaneColumns;

/* Why a block is refused. is_large: its tape has outgrown its bound. lacks: the block of code that lacks a form; NULL: none does. */
typedef struct LaneRefusal {
    bool is_refused, is_large;
    const Block *lacks;
    Form form;
} LaneRefusal;

/* Tapes blocks, and stores the results of their lanes; returns how many, the first ones, if these take long or the next one is
 * refused. */
int64_t ck_lane_tape(const LaneLoop *loop, LaneColumns *lanes, LaneBlock *blocks, int64_t count, LaneRefusal *refusal);

/* Uses up the tapes of blocks, and stores the cotangents of the items of each wanted column, in their order; returns how many,
 * as above. received: the cotangents of the results of all lanes. */
int64_t ck_lane_reverse(LaneBlock *blocks, int64_t count, const double *received, double *const *cotangents);
void ck_lane_forget(LaneBlock *blocks, int64_t count); /* the tapes that are held */
uint64_t ck_lanes_by_helpers(void); /* how many blocks other threads have taped or reversed in this process */

#endif
