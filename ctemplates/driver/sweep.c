/* The sizes of what a sweep holds: see sweep.h. */
#include "driver/sweep.h"

#include "memory/heap_check.h"
#include "memory/pages.h"

/* FOREIGN_BYTES: what Python has for a value beside an array's elements: a handle, the array object, and the overhead of the
 * allocators. ENTERED_BYTES: what it has taken at most for each array among the arguments when the sweep begins. LEAF_BYTES:
 * what Python has for a leaf whose cotangent is to be reported: its path, and where it is. */
enum { FOREIGN_BYTES = 300, ENTERED_BYTES = 1200, LEAF_BYTES = 400 };

/* Returns the bytes of accumulators that count as results. */
static size_t bytes_of_results(const Sweep *s) {
    return s->heap->accumulated < s->results ? s->heap->accumulated : s->results;
}

/* Returns the bytes of the arrays that it has made. */
static int64_t arrays_of(const Sweep *s) { return array_memory_live(s->arrays) + storage_table_live(s->storages); }

static size_t largest_of(const StepsWeighed *steps) {
    return steps->largest > steps->expected ? steps->largest : steps->expected;
}

/* For arrays, their own bytes or those reported to tapes, whichever is more. */
size_t sweep_held(const Sweep *s) {
    const Heap *heap = s->heap;
    const size_t arrays = (size_t)arrays_of(s);
    const size_t all = heap->bytes + s->entered + (arrays > heap->reported ? arrays - heap->reported : 0) +
                       FOREIGN_BYTES * heap->foreign_count + LEAF_BYTES * s->leaves.total;
    const size_t results = bytes_of_results(s);
    return all > results ? all - results : 0;
}

void sweep_weigh(Sweep *s) {
    Report *report = &s->report;
    report->bytes = s->last_taped.tape ? s->last_taped.tape->bytes : 0;
    report->tapes = s->held.bytes + (s->last_taped.tape ? tape_held(s->last_taped.tape) : 0);
    report->cotangent = s->cotangent ? s->cotangent->bytes : 0;
    report->fixed = s->cotangent ? s->cotangent->fixed : 0;
    report->held = sweep_held(s);
    report->spare = heap_spare(s->heap);
    report->results = bytes_of_results(s);
    report->faulting = pages_seconds();
    report->strips = s->heap->strips;
    report->largest = largest_of(&s->steps);
    report->passing = (size_t)(array_memory_peak(s->arrays) - array_memory_live(s->arrays));
}

static size_t above(int64_t a, int64_t b) { return a > b ? (size_t)(a - b) : 0; }

static bool is_over(void *owner) {
    Sweep *s = owner;
    StepsWeighed *steps = &s->steps;
    const size_t held = sweep_held(s), at_once = above(array_memory_step_peak(s->arrays), steps->arrays);
    const size_t grown = above((int64_t)held, (int64_t)steps->held), taken = at_once > grown ? at_once : grown;
    if (taken > steps->largest) steps->largest = taken;
    steps->held = held;
    steps->arrays = array_memory_live(s->arrays);
    return held > s->now.held || largest_of(steps) > s->now.held - held;
}

void sweep_watch_steps(Sweep *s, Machine *machine) {
    const size_t faded = s->steps.expected / 2, expected = s->steps.largest > faded ? s->steps.largest : faded;
    array_memory_step_peak(s->arrays);
    s->steps = (StepsWeighed){.held = sweep_held(s), .arrays = array_memory_live(s->arrays), .expected = expected};
    machine->is_over = is_over;
    machine->owner = s;
}

/* Before a large array: pages that tapes have left, and the process keeps, go to the system as far as the process would else
 * hold more than the sweep may. */
static void make_room(void *context, size_t bytes) {
    const Sweep *s = context;
    const int64_t resident = resident_bytes(s->resident), next = resident + (int64_t)bytes;
    if (next > s->resident_most) pages_give_back((size_t)(next - s->resident_most));
}

void sweep_make_room_for_tape(const Sweep *s) {
    if (s->now.bytes < LARGE_PAGE || s->now.bytes == UNBOUNDED || !s->resident_most) return;
    const int64_t resident = resident_bytes(s->resident) - (int64_t)pages_kept();
    if (resident > s->resident_most - (int64_t)s->now.bytes) resident_return_free();
}

/* Kept pages count as what the sweep holds: it uses them first. */
static void bound_resident(Sweep *s, size_t bound) {
    s->resident = storage_table_resident(s->storages);
    const int64_t resident = resident_bytes(s->resident), kept = (int64_t)pages_kept();
    if (resident < 0) return;
    s->resident_most = (resident > kept ? resident - kept : 0) + (int64_t)(bound + s->results);
    array_memory_before_large(s->arrays, make_room, s);
}

void sweep_weigh_arrays(Sweep *s, size_t results, void *given, size_t bound, size_t entered) {
    s->arrays = array_memory_begin();
    const size_t all = entered + ENTERED_BYTES * s->heap->foreign_count;
    s->heap->storages = s->storages = storage_table_begin(given, bound, results, all);
    s->weighs = s->heap->weighs = true;
    s->results = results;
    s->entered = entered;
    if (bound > 0 && bound < INT64_MAX / 2) bound_resident(s, bound);
}

void sweep_leave_arrays(Sweep *s) {
    if (!s->weighs) return;
    s->weighs = s->heap->weighs = false;
    s->heap->storages = NULL;
    array_memory_before_large(s->arrays, NULL, NULL);
    array_memory_end(s->arrays);
    storage_table_end(s->storages);
    s->arrays = NULL;
    s->storages = NULL;
}
