/* The entry points of gradients of loops over lanes: see lane_tape.h.
 *
 * Blocks are the parts of a task of several threads (threads/team.h), or follow each other where there is one. The owner makes
 * the heap of a block, since its closure is Python's; the rest of a run touches nothing of Python's.
 */
#include "at_once/lane_block.h"

#include "at_once/lane_tape.h"

#include "containers/bare_row.h"
#include "machine/clock.h"
#include "reversal/reverse.h"
#include "reversal/reverse_program.h"
#include "state/cotangent_rows.h"
#include "threads/team.h"

struct LaneTape {
    Held *held; /* the heap */
    Lanes lanes;
    const LaneColumns *all; /* while lanes run */
    int64_t first, count;   /* of lanes */
    const double *received;
    double *const *cotangents;
    Sweep *sweep;
    Cotangent *cotangent;
    SweepOutcome outcome;
    LaneRefusal refusal;
    bool done;
};

/* Follows one directive, within the time that a block may take; false: it was not followed. */
static bool follow(LaneTape *t, DirectiveKind kind, size_t most) {
    Sweep *sweep = t->sweep;
    const Directive directive = {.kind = kind, .step = kind == DO_REVERSE ? LAST_TAPE : TO_THE_END, .bytes = most};
    const int64_t until = clock_microseconds() + t->lanes.loop->microseconds;
    sweep_begin(sweep, &directive);
    do t->outcome = sweep_continue(sweep, false);
    while (t->outcome == SWEEP_SLICED && clock_microseconds() < until);
    return t->outcome == SWEEP_FOLLOWED;
}

static void run_taped(void *arguments) {
    LaneTape *t = arguments;
    Heap *heap = t->lanes.heap;
    State *start = lanes_start(&t->lanes, t->all->columns, t->first, t->count);
    t->sweep = sweep_create(heap, start, TO_THE_END, 0, UNBOUNDED, NULL);
    state_release(heap, start);
    if (!follow(t, DO_TAPE, t->all->most)) {
        const Machine *m = t->sweep->machine;
        if (m && t->outcome == SWEEP_WANTS_CODE) t->refusal = (LaneRefusal){.lacks = m->block, .form = m->wanted};
        return;
    }
    t->refusal.is_large = !t->sweep->report.finished;
    const State *end = t->sweep->last_taped.end;
    if (!end) return;
    version_show(heap, end->version);
    t->done = lanes_take(end->values[0], t->count, t->all->results + t->first);
}

static void seed_results(LaneTape *t, const State *end) {
    Cotangent *c = t->cotangent = cotangent_create(t->lanes.heap, NULL);
    programs_create(c);
    c->block = end->block;
    c->index = end->index;
    if (end->block->procedure) cotangent_reserve(c, end->block->procedure->registers);
    cotangent_give_row(c, end->values[0].object->birth, t->count, t->received + t->first);
    t->sweep->cotangent = c;
}

static void reverse_all(void *arguments) {
    LaneTape *t = arguments;
    seed_results(t, t->sweep->last_taped.end);
    if (!follow(t, DO_REVERSE, 0)) return;
    double *const *to = t->cotangents;
    for (uint32_t i = 0; i < t->lanes.column_count; i++)
        if (t->lanes.wanted >> i & 1) cotangent_take_row(t->cotangent, LARGEST_BIRTH - i, 0, t->count, *to++ + t->first);
    t->done = true;
}

/* What is left of the sweep and the cotangent is freed with the heap. */
static void forget(LaneTape *tape) {
    held_drop(tape->held);
    free(tape);
}

void ck_lane_forget(LaneBlock *blocks, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (blocks[i].tape) forget(blocks[i].tape);
        blocks[i].tape = NULL;
    }
}

static void import(void *arguments) {
    LaneTape *t = arguments;
    t->done = lanes_import(&t->lanes);
}

/* Returns the tape of a block, before its run; NULL: its closure is refused, or there is no memory. */
static LaneTape *new_tape(const LaneLoop *loop, const LaneColumns *all, const LaneBlock *block) {
    LaneTape *t = all->column_count <= FEW_BARE_ROWS ? calloc(1, sizeof *t) : NULL;
    if (!t) return NULL;
    t->held = held_new_heap(SIZE_MAX);
    if (!t->held) {
        free(t);
        return NULL;
    }
    lanes_begin(&t->lanes, loop, t->held->heap, all->closure, all->births);
    t->lanes.column_count = all->column_count;
    t->lanes.wanted = all->wanted;
    t->lanes.taped = true;
    t->all = all;
    t->first = block->first;
    t->count = block->count;
    if (held_run(t->held, import, t) && t->done) {
        t->done = false;
        return t;
    }
    forget(t);
    return NULL;
}

static uint64_t helped;
uint64_t ck_lanes_by_helpers(void) { return __atomic_load_n(&helped, __ATOMIC_RELAXED); }

/* Blocks as parts. begun, ended: how many. at: in each slot a tape. */
typedef struct Blocks {
    const LaneLoop *loop;
    LaneColumns *lanes;
    LaneBlock *all;
    int64_t count, begun, ended, until;
    const double *received;
    double *const *cotangents;
    LaneRefusal refusal;
    LaneTape *at[MOST_SLOTS];
} Blocks;

static bool is_next(const Blocks *b) {
    return b->begun < b->count && !b->refusal.is_refused && (!b->begun || clock_microseconds() < b->until);
}

static bool begin_taping(void *context, int slot) {
    Blocks *b = context;
    if (!is_next(b)) return false;
    b->at[slot] = new_tape(b->loop, b->lanes, &b->all[b->begun]);
    b->begun += b->at[slot] != NULL;
    b->refusal.is_refused = !b->at[slot];
    return b->at[slot];
}

static void do_in(LaneTape *t, Body body, bool is_helper) {
    if (!held_run(t->held, body, t)) t->done = false;
    if (is_helper) __atomic_fetch_add(&helped, 1, __ATOMIC_RELAXED);
}

static void tape(void *context, int slot, bool is_helper) {
    do_in(((Blocks *)context)->at[slot], run_taped, is_helper);
}

static void drop_tape(void *context, int slot) { forget(((Blocks *)context)->at[slot]); }

static bool end_taping(void *context, int slot) {
    Blocks *b = context;
    LaneTape *t = b->at[slot];
    LaneBlock *block = &b->all[b->ended];
    if (!t->done) {
        b->refusal = t->refusal;
        b->refusal.is_refused = true;
        forget(t);
        return false;
    }
    block->steps = t->sweep->counts.taped;
    block->bytes = t->sweep->report.bytes;
    block->strips = t->lanes.heap->strips;
    const bool holds = block->bytes <= b->lanes->room;
    b->lanes->room -= holds ? block->bytes : 0;
    block->tape = holds ? t : NULL;
    if (!holds) forget(t);
    b->ended++;
    return true;
}

static bool begin_reversing(void *context, int slot) {
    Blocks *b = context;
    if (!is_next(b)) return false;
    LaneTape *t = b->at[slot] = b->all[b->begun].tape;
    b->all[b->begun++].tape = NULL;
    t->received = b->received;
    t->cotangents = b->cotangents;
    t->done = false;
    return true;
}

static void reverse(void *context, int slot, bool is_helper) {
    do_in(((Blocks *)context)->at[slot], reverse_all, is_helper);
}

static bool end_reversing(void *context, int slot) {
    Blocks *b = context;
    const bool done = b->at[slot]->done;
    forget(b->at[slot]);
    b->refusal.is_refused = !done;
    b->ended += done;
    return done;
}

static bool is_ready(void *context) { return context != NULL; }

/* Does all parts, by several threads where it can. */
static void do_blocks(Blocks *b, const TeamTask *parts) {
    b->until = clock_microseconds() + CALL_MICROSECONDS;
    if (b->count > 1 && team_run(NULL, parts, is_ready)) return;
    while (parts->begin(b, 0)) {
        parts->work(b, 0, false);
        if (!parts->end(b, 0)) return;
    }
}

int64_t ck_lane_tape(const LaneLoop *loop, LaneColumns *lanes, LaneBlock *blocks, int64_t count, LaneRefusal *refusal) {
    Blocks b = {.loop = loop, .lanes = lanes, .all = blocks, .count = count};
    const TeamTask parts = {.context = &b, .begin = begin_taping, .work = tape, .end = end_taping, .drop = drop_tape};
    do_blocks(&b, &parts);
    *refusal = b.refusal;
    return b.ended;
}

int64_t ck_lane_reverse(LaneBlock *blocks, int64_t count, const double *received, double *const *cotangents) {
    Blocks b = {.all = blocks, .count = count, .received = received, .cotangents = cotangents};
    const TeamTask parts = {.context = &b, .begin = begin_reversing, .work = reverse, .end = end_reversing, .drop = drop_tape};
    do_blocks(&b, &parts);
    return b.refusal.is_refused ? -1 : b.ended;
}
