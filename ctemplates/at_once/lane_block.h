/* Blocks of lanes whose items are in arrays of doubles: the state in which their run begins, and the results in which it ends.
 *
 * In: a closure of one argument, the tuple of the columns of items and of how many there are, that returns the list of the
 * lanes' results (`prepared` of checkpoint/lang/python/library/lanes.py); the items. Out: the first state of a block's run;
 * the results of its lanes as doubles. Items are read where they are (containers/bare_row.h).
 */
#ifndef CK_LANE_BLOCK_H
#define CK_LANE_BLOCK_H

#include "bridge/passage.h"

#include "at_once/lane_run.h"

/* births: the first that nothing in the closure has. taped: whether runs are taped; then wanted: the bits of the columns, at most
 * FEW_BARE_ROWS, of which cotangents are wanted; of nothing else are any. */
typedef struct Lanes {
    const LaneLoop *loop;
    Heap *heap;
    PyObject *python; /* the closure */
    Passage x;        /* of the closure */
    Value closure;
    int64_t births;
    uint64_t wanted;
    uint32_t column_count;
    bool taped, imported;
} Lanes;

/* In Python's thread, before the heap is entered. closure: the address of a Closure without capsules. */
void lanes_begin(Lanes *lanes, const LaneLoop *loop, Heap *heap, uintptr_t closure, int64_t births);
bool lanes_import(Lanes *lanes); /* the closure, as a value of the heap; false: it is refused */

/* Returns the first state of the run of `count` lanes from one on. */
State *lanes_start(Lanes *lanes, const double *const *columns, int64_t first, int64_t count);
/* Stores the reals of a list; false: it is no list of just so many reals. */
bool lanes_take(Value found, int64_t count, double *results);

#endif
