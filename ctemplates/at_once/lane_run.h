/* How runs of a loop over lanes begin and end, for those who call it (lane_loop.h, lane_tape.h). (Also read by cffi.)
 *
 * In: the code of the built-in blocks, and how long lanes may take. What always holds: it is made once for a loop, and outlives
 * all of its calls.
 */
#ifndef CK_LANE_RUN_H
#define CK_LANE_RUN_H

#include "api/api.h"

/* entry: the block at which runs begin, `halt` the return point at which they end. block: lanes. microseconds: how long those
 * of a block may take. */
typedef struct LaneLoop {
    const Block *entry;
    const ReturnPoint *halt;
    int64_t block, microseconds;
} LaneLoop;

#endif
