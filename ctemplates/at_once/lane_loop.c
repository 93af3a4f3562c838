/* The entry point of the loop over lanes: see lane_loop.h. */
#include "at_once/lane_block.h"

#include "at_once/lane_loop.h"

#include "containers/lists.h"
#include "machine/clock.h"
#include "machine/vm.h"

static const int64_t TO_ITS_END = INT64_C(1) << 62; /* steps */

typedef struct Loop {
    Lanes lanes;
    const double *const *columns;
    int64_t count, done, steps; /* of lanes; steps */
    double *results;
    bool failed;
} Loop;

/* Runs so many lanes; false: it is refused. */
static bool run_block(Loop *t, int64_t block) {
    Heap *heap = t->lanes.heap;
    State *start = lanes_start(&t->lanes, t->columns, t->done, block);
    Machine *m = machine_create(heap, start, NULL, NULL);
    const int64_t until = clock_microseconds() + t->lanes.loop->microseconds;
    Outcome outcome;
    do outcome = machine_run(m, TO_ITS_END, SLICE);
    while (outcome == SLICED && clock_microseconds() < until);
    const bool done = outcome == FINISHED && lanes_take(m->registers[0], block, t->results + t->done);
    if (done) list_in(m->registers[0])->length = 0; /* reals alone: there is nothing in it to be dropped */
    t->steps += m->steps;
    if (outcome == FAILED) return false; /* the machine goes with the heap */
    machine_destroy(m);
    state_release(heap, start);
    return done;
}

static void run_all(void *arguments) {
    Loop *t = arguments;
    const int64_t until = clock_microseconds() + CALL_MICROSECONDS, most = t->lanes.loop->block;
    t->failed = !lanes_import(&t->lanes);
    while (!t->failed && t->done < t->count && (!t->done || clock_microseconds() < until)) {
        const int64_t left = t->count - t->done, block = left < most ? left : most;
        t->failed = !run_block(t, block);
        if (!t->failed) t->done += block;
    }
}

/* All that is left is freed with the heap. */
int64_t ck_lane_loop(const LaneLoop *loop, uintptr_t closure, int64_t births, const double *const *columns,
                     uint32_t column_count, int64_t lanes, double *results, int64_t *steps) {
    Held *held = held_new_heap(SIZE_MAX);
    if (!held) return -1;
    Loop t = {.columns = columns, .count = lanes, .results = results, .failed = true};
    lanes_begin(&t.lanes, loop, held->heap, closure, births);
    t.lanes.column_count = column_count;
    if (!held_run(held, run_all, &t)) t.failed = true;
    held_drop(held);
    *steps += t.steps;
    return t.failed ? -1 : t.done;
}
