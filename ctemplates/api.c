/* What Python calls: see api.h. Every entry goes through held_run (held.h), as a `Body` with its arguments. */
#include "api.h"

#include <string.h>

#include "bridge.h"

void ck_drop(Held *held) { held_drop(held); }

/* Heaps */

Held *ck_heap_create(size_t limit) { return held_new_heap(limit ? limit : SIZE_MAX); }
size_t ck_heap_bytes(const Held *any) { return any->heap->bytes; }
size_t ck_heap_peak(const Held *any) { return any->heap->peak; }
uint64_t ck_heap_runs(const Held *any) { return any->heap->runs; }
void ck_heap_fail_at(const Held *any, int64_t allocation) { any->heap->fail_at = allocation; }

static void check_heap(void *heap) { heap_check(heap); }
void ck_heap_check(const Held *any) { held_run(any, check_heap, any->heap); }

/* States */

static const Side NO_RUN = {.run = 0, .owner = NULL, .registers = 0};

typedef struct StateImport {
    const Held *any;
    const Standing *at;
    const Crossing *crossing;
    Held *result;
    bool done;
} StateImport;

static size_t saved_values(const Crossing *crossing) {
    size_t count = 0;
    for (uint32_t i = 0; i < crossing->frame_count; i++) count += crossing->points[i]->count;
    return count;
}

/* The values go to the state, the first of them to its point. */
static State *imported_state(Heap *heap, const Standing *at, const Crossing *crossing, const Value *values) {
    State *state = state_create(heap, at->block, at->index, crossing->value_count);
    state->steps = at->steps;
    state->births = at->births;
    state->tags = at->tags;
    memcpy(state->values, values, crossing->value_count * sizeof *values);
    values += crossing->value_count;
    for (uint32_t i = 0; i < crossing->frame_count; i++) {
        const uint32_t count = crossing->points[i]->count;
        Value *saved = stack_push(heap, &state->stack, crossing->points[i], crossing->calls[i]);
        memcpy(saved, values, count * sizeof *values);
        values += count;
    }
    return state;
}

static void import_state(void *arguments) {
    StateImport *given = arguments;
    const Crossing *crossing = given->crossing;
    Heap *heap = given->any->heap;
    const size_t count = crossing->value_count + saved_values(crossing);
    Side side = NO_RUN;
    given->result = held_new(given->any, HELD_STATE);
    Value *values = heap_allocate(heap, (count + 1) * sizeof *values);
    given->done = bridge_import(heap, &side, crossing->values, values, count, crossing->errors);
    if (given->done) given->result->state = imported_state(heap, given->at, crossing, values);
    heap_free(heap, values, (count + 1) * sizeof *values);
}

Held *ck_state_import(const Held *any, const Standing *at, const Crossing *crossing) {
    StateImport given = {.any = any, .at = at, .crossing = crossing};
    if (held_run(any, import_state, &given) && given.done) return given.result;
    held_drop(given.result);
    return NULL;
}

uint32_t ck_state_values(const Held *state) { return state->state->value_count; }

uint32_t ck_state_depth(const Held *held) {
    FrameWalk walk = stack_walk(&held->state->stack);
    FrameHead head;
    const Value *saved;
    uint32_t depth = 0;
    while (stack_next(&walk, &head, &saved)) depth++;
    return depth;
}

typedef struct StateExport {
    const Held *held;
    const Crossing *crossing;
    bool done;
} StateExport;

/* How many values there are in the frames; `crossing` is told what frames they are. */
static size_t look_at_frames(const State *state, const Crossing *crossing) {
    FrameWalk walk = stack_walk(&state->stack);
    FrameHead head;
    const Value *saved;
    size_t count = 0;
    for (uint32_t i = 0; i < crossing->frame_count && stack_next(&walk, &head, &saved); i++) {
        crossing->points[i] = head.point;
        crossing->calls[i] = head.call;
        count += head.point->count;
    }
    return count;
}

static void copy_frames(const State *state, Value *values) {
    FrameWalk walk = stack_walk(&state->stack);
    FrameHead head;
    const Value *saved;
    while (stack_next(&walk, &head, &saved)) {
        memcpy(values, saved, head.point->count * sizeof *values);
        values += head.point->count;
    }
}

static void export_state(void *arguments) {
    StateExport *given = arguments;
    const Crossing *crossing = given->crossing;
    const State *state = given->held->state;
    Heap *heap = given->held->heap;
    const size_t count = state->value_count + look_at_frames(state, crossing);
    Value *values = heap_allocate(heap, (count + 1) * sizeof *values);
    memcpy(values, state->values, state->value_count * sizeof *values);
    copy_frames(state, values + state->value_count);
    given->done = bridge_export(heap, &NO_RUN, values, count, crossing->values, crossing->errors);
    heap_free(heap, values, (count + 1) * sizeof *values);
}

bool ck_state_export(const Held *state, const Crossing *crossing) {
    StateExport given = {.held = state, .crossing = crossing};
    return held_run(state, export_state, &given) && given.done;
}

void ck_state_standing(const Held *held, Standing *at) {
    const State *state = held->state;
    *at = (Standing){.block = state->block,
                     .index = state->index,
                     .steps = state->steps,
                     .births = state->births,
                     .tags = state->tags};
}

size_t ck_state_bytes(const Held *state) { return state_bytes(state->state); }
const void *ck_state_address(const Held *state) { return state->state; }

static void export_value(void *arguments) {
    StateExport *given = arguments;
    const Crossing *to = given->crossing;
    given->done =
        bridge_export(given->held->heap, &NO_RUN, given->held->state->values, 1, to->values, to->errors);
}

bool ck_state_value(const Held *state, void *values, void *errors) {
    const Crossing to = {.values = values, .errors = errors};
    StateExport given = {.held = state, .crossing = &to};
    return held_run(state, export_value, &given) && given.done;
}

bool ck_state_real(const Held *state, double *value) {
    const Value first = state->state->values[0];
    if (kind_of(first) != REAL) return false;
    *value = first.real;
    return true;
}
