/* Entry points of Python: see api.h. Each goes through held_run (held.h), as a `Body` with its arguments. */
#include "api/api.h"

#include <string.h>

#include "bridge/sequences.h"
#include "memory/heap_check.h"
#include "memory/pages.h"

void ck_drop(Held *held) { held_drop(held); }

/* Heaps */

Held *ck_heap_create(size_t limit) { return held_new_heap(limit ? limit : SIZE_MAX); }
size_t ck_heap_bytes(const Held *any) { return any->heap->bytes; }
size_t ck_heap_peak(const Held *any) { return any->heap->peak; }
size_t ck_pages_kept(void) { return pages_kept(); }
size_t ck_pages_kept_at_most(void) { return pages_kept_at_most(); }
uint64_t ck_heap_runs(const Held *any) { return any->heap->runs; }
void ck_heap_fail_at(const Held *any, int64_t allocation) { any->heap->fail_at = allocation; }

void ck_heap_ignore(const Held *any, uint64_t before, uint64_t first, uint64_t count) {
    any->heap->unwanted_before = before;
    any->heap->unwanted = first;
    any->heap->unwanted_count = count;
}

void ck_heap_own(const Held *any, uint64_t before) { any->heap->own_before = before; }

static void check_heap(void *heap) { heap_check(heap); }
void ck_heap_check(const Held *any) { held_run(any, check_heap, any->heap); }

/* States */

static const Side NO_RUN = {.run = 0, .owner = NULL, .registers = 0};

/* The arguments of a state's conversion. given: the point and the numbers of an imported one. */
typedef struct Crossing {
    const Held *held; /* an import: any Held of the heap; an export: the state */
    const State *given;
    uint32_t frame_count;
    const uintptr_t *given_points, *given_calls;
    uintptr_t *points, *calls;
    void *values, *errors;
    Held *result;
    bool done;
} Crossing;

static const ReturnPoint *point_at(const Crossing *crossing, uint32_t i) {
    return (const ReturnPoint *)crossing->given_points[i];
}

static size_t saved_values(const Crossing *crossing) {
    size_t count = 0;
    for (uint32_t i = 0; i < crossing->frame_count; i++) count += point_at(crossing, i)->count;
    return count;
}

/* Creates the imported state from the values, those of its point first. */
static State *imported_state(Heap *heap, const Crossing *crossing, const Value *values) {
    const State *given = crossing->given;
    State *state = state_create(heap, given->block, given->index, given->value_count, version_create(heap));
    state->steps = given->steps;
    state->births = given->births;
    state->tags = given->tags;
    memcpy(state->values, values, given->value_count * sizeof *values);
    values += given->value_count;
    for (uint32_t i = 0; i < crossing->frame_count; i++) {
        const ReturnPoint *point = point_at(crossing, i);
        Value *saved = stack_push(heap, &state->stack, point, (const Block *)crossing->given_calls[i]);
        memcpy(saved, values, point->count * sizeof *values);
        values += point->count;
        const Procedure *procedure = point->block->procedure;
        if (procedure && procedure->registers > state->window) state->window = procedure->registers;
    }
    return state;
}

static void import_state(void *arguments) {
    Crossing *crossing = arguments;
    Heap *heap = crossing->held->heap;
    const size_t count = crossing->given->value_count + saved_values(crossing);
    Side side = NO_RUN;
    crossing->result = held_new(crossing->held, HELD_STATE);
    Value *values = heap_allocate(heap, (count + 1) * sizeof *values);
    crossing->done = bridge_keep(heap, crossing->given->block, crossing->given_points, crossing->frame_count) &&
                     bridge_import(heap, &side, crossing->values, values, count, crossing->errors);
    if (crossing->done) crossing->result->state = imported_state(heap, crossing, values);
    heap_free(heap, values, (count + 1) * sizeof *values);
}

Held *ck_state_import(const Held *any, const Block *block, uint32_t index, int64_t steps, int64_t births, int64_t tags,
                      uint32_t value_count, uint32_t frame_count, const uintptr_t *points, const uintptr_t *calls,
                      uintptr_t values, uintptr_t errors) {
    const State given = {.block = block, .index = index, .value_count = value_count,
                         .steps = steps, .births = births, .tags = tags};
    Crossing crossing = {.held = any, .given = &given, .frame_count = frame_count,
                         .given_points = points, .given_calls = calls,
                         .values = (void *)values, .errors = (void *)errors};
    if (held_run(any, import_state, &crossing) && crossing.done) return crossing.result;
    held_drop(crossing.result);
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

/* Lists the frames for Python; returns the number of their values. */
static size_t list_frames(const State *state, const Crossing *crossing) {
    FrameWalk walk = stack_walk(&state->stack);
    FrameHead head;
    const Value *saved;
    size_t count = 0;
    for (uint32_t i = 0; i < crossing->frame_count && stack_next(&walk, &head, &saved); i++) {
        crossing->points[i] = (uintptr_t)head.point;
        crossing->calls[i] = (uintptr_t)head.call;
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
    Crossing *crossing = arguments;
    const State *state = crossing->held->state;
    Heap *heap = crossing->held->heap;
    version_show(heap, state->version);
    const size_t count = state->value_count + list_frames(state, crossing);
    Value *values = heap_allocate(heap, (count + 1) * sizeof *values);
    memcpy(values, state->values, state->value_count * sizeof *values);
    copy_frames(state, values + state->value_count);
    crossing->done = bridge_export(heap, &NO_RUN, values, count, crossing->values, crossing->errors);
    heap_free(heap, values, (count + 1) * sizeof *values);
}

bool ck_state_export(const Held *state, uint32_t depth, uintptr_t *points, uintptr_t *calls, uintptr_t values,
                     uintptr_t errors) {
    Crossing crossing = {.held = state, .frame_count = depth, .points = points, .calls = calls,
                         .values = (void *)values, .errors = (void *)errors};
    return held_run(state, export_state, &crossing) && crossing.done;
}

Position ck_state_position(const Held *held) {
    const State *state = held->state;
    return (Position){.block = state->block,
                      .index = state->index,
                      .finished = state->block->end.kind == FINISH,
                      .steps = state->steps,
                      .births = state->births,
                      .tags = state->tags};
}

const void *ck_state_address(const Held *state) { return state->state; }

static void export_value(void *arguments) {
    Crossing *crossing = arguments;
    const Held *held = crossing->held;
    version_show(held->heap, held->state->version);
    crossing->done =
        bridge_export(held->heap, &NO_RUN, held->state->values, 1, crossing->values, crossing->errors);
}

bool ck_state_value(const Held *state, uintptr_t values, uintptr_t errors) {
    Crossing crossing = {.held = state, .values = (void *)values, .errors = (void *)errors};
    return held_run(state, export_value, &crossing) && crossing.done;
}

bool ck_state_real(const Held *state, double *value) {
    const Value first = state->state->values[0];
    if (kind_of(first) != REAL) return false;
    *value = first.real;
    return true;
}
