/* What Python calls (checkpoint/ctarget/engine.py, states.py): heaps, states, machines, tapes. (Also
 * read by cffi.)
 *
 * In: what Python holds (held.h), Python objects as addresses. Out: the same; NULL, or the outcome NO_MEMORY,
 * where memory ended. Whatever is given out is dropped with ck_drop, in any thread and any order.
 */
#ifndef CK_API_H
#define CK_API_H

#include "api/held.h"

typedef struct Held Held;

/* Where a state or machine stands. wanted: of a machine that WANTS_CODE. finished: of a state that has its value. */
typedef struct Position {
    const Block *block;
    uint32_t index;
    Form wanted;
    bool finished;
    int64_t steps, births, tags;
    uint64_t run;
} Position;

void ck_drop(Held *held);

/* A heap of `limit` bytes at most; 0: as many as there are. */
Held *ck_heap_create(size_t limit);
size_t ck_heap_bytes(const Held *any);
size_t ck_heap_peak(const Held *any);
uint64_t ck_heap_runs(const Held *any);
void ck_heap_fail_at(const Held *any, int64_t allocation); /* the hostile build: the one that fails */
void ck_heap_check(const Held *any);                       /* aborts where the heap is broken */

/* A state and Python's: `values` is a list of the values at the point, then of those of each frame; `points` and
 * `calls` tell the frames. Of a state to be imported the lowest frame comes first, of an exported one the top.
 * Python objects are given by their addresses as numbers, which is the fastest.
 * NULL or false: memory ended, or the Python exception why not is in the list `errors`. */
Held *ck_state_import(const Held *any, const Block *block, uint32_t index, int64_t steps, int64_t births, int64_t tags,
                      uint32_t value_count, uint32_t frame_count, const uintptr_t *points, const uintptr_t *calls,
                      uintptr_t values, uintptr_t errors);
bool ck_state_export(const Held *state, uint32_t depth, uintptr_t *points, uintptr_t *calls, uintptr_t values,
                     uintptr_t errors);
uint32_t ck_state_depth(const Held *state);
uint32_t ck_state_values(const Held *state); /* how many there are at the point */

Position ck_state_position(const Held *state);
const void *ck_state_address(const Held *state); /* the State, for the bridge */
bool ck_state_value(const Held *state, uintptr_t values, uintptr_t errors); /* appends the first one to the list */
bool ck_state_real(const Held *state, double *value); /* whether that is a real, and it */

#endif
