/* The entry points of gradients of loops over lanes: see lane_tape.h. */
#include "at_once/lane_block.h"

#include "at_once/lane_tape.h"

#include "containers/bare_row.h"
#include "machine/clock.h"
#include "reversal/reverse.h"
#include "reversal/reverse_program.h"
#include "state/cotangent_rows.h"

struct LaneTape {
    Held *held; /* the heap */
    Lanes lanes;
    const double *const *columns;
    int64_t count; /* of lanes */
    double *results;
    const double *received;
    double *const *cotangents;
    size_t most;
    Sweep *sweep;
    Cotangent *cotangent;
    SweepOutcome outcome;
    LaneReport report;
    bool done;
};

/* Follows one directive, within the time that a block may take; false: it was not followed. */
static bool follow(LaneTape *t, DirectiveKind kind) {
    Sweep *sweep = t->sweep;
    const Directive directive = {.kind = kind, .step = kind == DO_REVERSE ? LAST_TAPE : TO_THE_END, .bytes = t->most};
    const int64_t until = clock_microseconds() + t->lanes.loop->microseconds;
    sweep_begin(sweep, &directive);
    do t->outcome = sweep_continue(sweep, false);
    while (t->outcome == SWEEP_SLICED && clock_microseconds() < until);
    return t->outcome == SWEEP_FOLLOWED;
}

static void run_taped(void *arguments) {
    LaneTape *t = arguments;
    if (!lanes_import(&t->lanes)) return;
    Heap *heap = t->lanes.heap;
    State *start = lanes_start(&t->lanes, t->columns, 0, t->count);
    t->sweep = sweep_create(heap, start, TO_THE_END, 0, UNBOUNDED, NULL);
    state_release(heap, start);
    if (!follow(t, DO_TAPE)) {
        const Machine *m = t->sweep->machine;
        if (m && t->outcome == SWEEP_WANTS_CODE) t->report.lacks = m->block;
        if (m && t->outcome == SWEEP_WANTS_CODE) t->report.form = m->wanted;
        return;
    }
    t->report = (LaneReport){.steps = t->sweep->counts.taped, .is_large = !t->sweep->report.finished};
    t->report.bytes = t->sweep->report.bytes;
    t->report.strips = heap->strips;
    const State *end = t->sweep->last_taped.end;
    if (!end) return;
    version_show(heap, end->version);
    t->done = lanes_take(end->values[0], t->count, t->results);
}

static void seed_results(LaneTape *t, const State *end) {
    Cotangent *c = t->cotangent = cotangent_create(t->lanes.heap, NULL);
    programs_create(c);
    c->block = end->block;
    c->index = end->index;
    if (end->block->procedure) cotangent_reserve(c, end->block->procedure->registers);
    cotangent_give_row(c, end->values[0].object->birth, t->count, t->received);
    t->sweep->cotangent = c;
}

static void reverse_all(void *arguments) {
    LaneTape *t = arguments;
    seed_results(t, t->sweep->last_taped.end);
    if (!follow(t, DO_REVERSE)) return;
    double *const *to = t->cotangents;
    for (uint32_t i = 0; i < t->lanes.column_count; i++)
        if (t->lanes.wanted >> i & 1) cotangent_take_row(t->cotangent, LARGEST_BIRTH - i, 0, t->count, *to++);
    t->done = true;
}

/* What is left of the sweep and the cotangent is freed with the heap. */
void ck_lane_forget(LaneTape *tape) {
    held_drop(tape->held);
    free(tape);
}

LaneTape *ck_lane_tape(const LaneLoop *loop, uintptr_t closure, int64_t births, const double *const *columns,
                       uint32_t column_count, uint64_t wanted, int64_t lanes, double *results, size_t most, LaneReport *report) {
    LaneTape *t = column_count <= FEW_BARE_ROWS ? calloc(1, sizeof *t) : NULL;
    if (!t) return NULL;
    t->held = held_new_heap(SIZE_MAX);
    if (!t->held) {
        free(t);
        return NULL;
    }
    lanes_begin(&t->lanes, loop, t->held->heap, closure, births);
    t->lanes.column_count = column_count;
    t->lanes.wanted = wanted;
    t->lanes.taped = true;
    t->columns = columns;
    t->count = lanes;
    t->results = results;
    t->most = most;
    const bool done = held_run(t->held, run_taped, t) && t->done;
    *report = t->report;
    if (done) return t;
    ck_lane_forget(t);
    return NULL;
}

bool ck_lane_reverse(LaneTape *tape, const double *received, double *const *cotangents) {
    tape->received = received;
    tape->cotangents = cotangents;
    tape->done = false;
    return held_run(tape->held, reverse_all, tape) && tape->done;
}
