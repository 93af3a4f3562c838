/* Entry point of the loop over lanes of plain calls of vmap (checkpoint/ctarget/at_once/lanes.py); the rules of api.h apply.
 * (Also read by cffi.)
 *
 * In: a closure of one argument, the tuple of the columns of items and of how many there are, that returns the list of the
 * lanes' results (`prepared` of checkpoint/lang/python/library/lanes.py); the items, in arrays of doubles. Out: the results,
 * in an array of doubles, where all are reals and no step needed Python. Anything else is refused: then nothing has been
 * done that anybody can see, and whoever asked has the call made in another way. So this has no message, and no rare case.
 *
 * Items are read where they are (containers/bare_row.h); results are values of the machine for a block of lanes at a time.
 */
#ifndef CK_LANE_LOOP_H
#define CK_LANE_LOOP_H

#include "at_once/lane_run.h"

/* Runs `lanes` lanes, or the first blocks of them if these take long; returns how many, and adds their steps to `*steps`. -1: it is
 * refused. closure: the address of a Closure without capsules. births: the first that nothing in it has. */
int64_t ck_lane_loop(const LaneLoop *loop, uintptr_t closure, int64_t births, const double *const *columns,
                     uint32_t column_count, int64_t lanes, double *results, int64_t *steps);

#endif
