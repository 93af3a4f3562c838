/* Entry points of Python (checkpoint/ctarget/engine.py, states.py): heaps and states. (Also read by cffi.)
 *
 * In: Held pointers (held.h), Python objects as addresses. Out: the same; NULL, or the outcome NO_MEMORY, if memory
 * ran out. Every Held that is returned is dropped with ck_drop, in any thread and any order.
 */
#ifndef CK_API_H
#define CK_API_H

#include "api/held.h"

typedef struct Held Held;

/* The position of a state or machine. wanted: for a machine that WANTS_CODE. finished: whether a state has its
 * value. */
typedef struct Position {
    const Block *block;
    uint32_t index;
    Form wanted;
    bool finished;
    int64_t steps, births, tags;
    uint64_t run;
} Position;

void ck_drop(Held *held);

/* Returns a heap of `limit` bytes at most; 0: unlimited. */
Held *ck_heap_create(size_t limit);
size_t ck_heap_bytes(const Held *any);
size_t ck_heap_peak(const Held *any);
size_t ck_pages_kept(void); /* pages.h */
size_t ck_pages_kept_at_most(void);
uint64_t ck_heap_runs(const Held *any);
/* The births of what is to enter the heap, and has no cotangent that is wanted: those before one, and so many from another
 * one on. */
void ck_heap_ignore(const Held *any, uint64_t before, uint64_t first, uint64_t count);
/* The births of what the procedure that runs holds itself, and no argument does: those before one. */
void ck_heap_own(const Held *any, uint64_t before);
void ck_heap_fail_at(const Held *any, int64_t allocation); /* the hostile build: the one that fails */
void ck_heap_check(const Held *any);                       /* aborts if the heap is inconsistent */

/* Conversion of states: `values` is a list of the values at the point, then of those of each frame; `points` and
 * `calls` describe the frames. An imported state has the lowest frame first, an exported one the top. Python objects
 * are passed as their addresses, as numbers, which is fastest. NULL or false: memory ran out, or `errors`, a list, has
 * the Python exception. */
Held *ck_state_import(const Held *any, const Block *block, uint32_t index, int64_t steps, int64_t births, int64_t tags,
                      uint32_t value_count, uint32_t frame_count, const uintptr_t *points, const uintptr_t *calls,
                      uintptr_t values, uintptr_t errors);
bool ck_state_export(const Held *state, uint32_t depth, uintptr_t *points, uintptr_t *calls, uintptr_t values,
                     uintptr_t errors);
uint32_t ck_state_depth(const Held *state);
uint32_t ck_state_values(const Held *state); /* how many there are at the point */

Position ck_state_position(const Held *state);
const void *ck_state_address(const Held *state); /* the State, for the bridge */
bool ck_state_value(const Held *state, uintptr_t values, uintptr_t errors); /* appends the state's value to the list */
bool ck_state_real(const Held *state, double *value); /* returns whether the value is a real, and stores it */

#endif
