/* The entry point of the loop over lanes: see lane_loop.h. */
#include "bridge/passage.h"

#include "at_once/lane_loop.h"

#include "bridge/guard.h"
#include "bridge/passage_import.h"
#include "containers/bare_row.h"
#include "containers/containers.h"
#include "machine/clock.h"
#include "machine/vm.h"

static const int64_t TO_ITS_END = INT64_C(1) << 62; /* steps */

typedef struct Loop {
    const LaneLoop *loop;
    Heap *heap;
    PyObject *python; /* the closure */
    Passage x;        /* of the closure */
    Value closure;
    int64_t births, block; /* lanes of the block */
    const double *const *items;
    uint32_t column_count;
    int64_t lanes, done, steps;
    double *results;
    bool failed;
} Loop;

static void import_closure_of(void *arguments) {
    Loop *t = arguments;
    t->closure = import_value(&t->x, t->python);
    t->failed = !import_rest(&t->x);
}

static void clean_import(void *arguments) {
    Loop *t = arguments;
    passage_end(&t->x);
    PyErr_Clear();
}

/* The argument */

static Value new_tuple(Loop *t, uint32_t count) {
    Cells *made = new_cells(t->heap, RECORD, count + 1);
    made->head.birth = (uint64_t)t->births++ & LARGEST_BIRTH;
    for (uint32_t i = 0; i <= count; i++) store(&made->cells[i], nothing());
    return of_object(RECORD, made);
}

static Value new_columns(Loop *t) {
    const Value columns = new_tuple(t, t->column_count);
    for (uint32_t i = 0; i < t->column_count; i++)
        store(&cells_of(columns)[i + 1], new_bare_row(t->heap, t->items[i] + t->done, t->block));
    return columns;
}

/* Returns the first state of the block's run. */
static State *start_of(Loop *t) {
    const Value argument = new_tuple(t, 2);
    store(&cells_of(argument)[1], new_columns(t));
    store(&cells_of(argument)[2], of_integer(t->block));
    State *start = state_create(t->heap, t->loop->entry, 0, 2, version_create(t->heap));
    start->steps = start->tags = 0;
    start->births = t->births;
    keep(t->closure);
    start->values[0] = t->closure;
    start->values[1] = argument;
    stack_push(t->heap, &start->stack, t->loop->halt, NULL);
    return start;
}

/* The run */

/* Stores the reals of a list as results; false: it is no list of just so many reals. */
static bool take_results(const Loop *t, Value found) {
    if (kind_of(found) != LIST || list_in(found)->length != (size_t)t->block) return false;
    const Value *values = list_in(found)->values;
    double *to = t->results + t->done;
    uint64_t tags = 0;
    for (int64_t i = 0; i < t->block; i++) {
        tags |= values[i].tag;
        to[i] = values[i].real;
    }
    return !tags;
}

/* Runs the lanes of a block; false: it is refused. */
static bool run_block(Loop *t) {
    State *start = start_of(t);
    Machine *m = machine_create(t->heap, start, NULL, NULL);
    const int64_t until = clock_microseconds() + t->loop->microseconds;
    Outcome outcome;
    do outcome = machine_run(m, TO_ITS_END, SLICE);
    while (outcome == SLICED && clock_microseconds() < until);
    const bool done = outcome == FINISHED && take_results(t, m->registers[0]);
    t->steps += m->steps;
    if (outcome == FAILED) return false; /* the machine goes with the heap */
    machine_destroy(m);
    state_release(t->heap, start);
    return done;
}

static void run_all(void *arguments) {
    Loop *t = arguments;
    guarded(t->heap, import_closure_of, clean_import, t);
    let_python(t->heap);
    const int64_t until = clock_microseconds() + CALL_MICROSECONDS;
    while (!t->failed && t->done < t->lanes && (!t->done || clock_microseconds() < until)) {
        const int64_t left = t->lanes - t->done;
        t->block = left < t->loop->block ? left : t->loop->block;
        t->failed = !run_block(t);
        if (!t->failed) t->done += t->block;
    }
}

/* All that is left is freed with the heap. */
int64_t ck_lane_loop(const LaneLoop *loop, uintptr_t closure, int64_t births, const double *const *columns,
                     uint32_t column_count, int64_t lanes, double *results, int64_t *steps) {
    Held *held = held_new_heap(SIZE_MAX);
    if (!held) return -1;
    Loop t = {.loop = loop, .heap = held->heap, .python = (PyObject *)closure, .births = births, .failed = true};
    t.items = columns;
    t.column_count = column_count;
    t.lanes = lanes;
    t.results = results;
    passage_begin(&t.x, held->heap, NULL);
    if (!held_run(held, run_all, &t)) t.failed = true;
    held_drop(held);
    *steps += t.steps;
    return t.failed ? -1 : t.done;
}
