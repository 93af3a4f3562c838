/* Entry points for states with deep stacks: see api_runs.h. Stacks are walked from the top, runs are listed from the
 * bottom. */
#include "api/api_runs.h"

#include <string.h>

#include "bridge/sequences.h"
#include "containers/peek.h"

enum { FEWEST = 8 }; /* frames of a plain run: fewer are not worth one */

/* joins: the run before the present one is not plain. first: the saved values of the first frame of the present one. */
typedef struct Listing {
    FrameRun *runs;
    size_t room, count;
    bool joins;
    FrameRun now;
    const Value *first;
} Listing;

static bool is_number(Value v) { return kind_of(v) == REAL || kind_of(v) == INTEGER; }

/* Returns whether two frames share a value of one kind; each array, and each dual, is a location of its own. */
static bool is_same(Value a, Value b) {
    if (a.integer != b.integer || kind_of(a) == DUAL) return false;
    return kind_of(a) != FOREIGN || is_foreign_atom(a);
}

static void add_run(Listing *listing, FrameRun run) {
    if (!run.plain && listing->joins) {
        if (listing->count <= listing->room) listing->runs[listing->count - 1].frames += run.frames;
    } else {
        if (listing->count < listing->room) listing->runs[listing->count] = run;
        listing->count++;
    }
    listing->joins = !run.plain;
}

/* Returns whether the frames of the present run save anything but numbers: the same in all, then. */
static bool has_constants(const Listing *listing) {
    const ReturnPoint *point = (const ReturnPoint *)listing->now.point;
    for (uint32_t i = 0; i < point->count; i++)
        if (!is_number(listing->first[i])) return true;
    return false;
}

/* The lowest frame of a run stays one by itself if the others refer to what it saves. */
static void end_run(Listing *listing) {
    FrameRun *now = &listing->now;
    if (!now->frames) return;
    if (now->frames < FEWEST) now->plain = false;
    const bool stays = now->plain && has_constants(listing);
    now->frames -= stays;
    add_run(listing, *now);
    if (stays) add_run(listing, (FrameRun){.frames = 1});
    now->frames = 0;
}

/* Returns whether frames with these points return alike: translated code has points of its own (tables.py). */
static bool returns_as(const ReturnPoint *point, const ReturnPoint *other) {
    return point == other || (point->block == other->block && point->handler == other->handler);
}

static void list_frame(Listing *listing, const FrameHead *head, const Value *saved) {
    FrameRun *now = &listing->now;
    const uintptr_t point = (uintptr_t)head->point, call = (uintptr_t)head->call;
    if (!now->frames || !returns_as((const ReturnPoint *)now->point, head->point) || now->call != call) {
        end_run(listing);
        *now = (FrameRun){.point = point, .call = call, .plain = true};
        listing->first = saved;
    }
    now->frames++;
    for (uint32_t i = 0; now->plain && i < head->point->count; i++) {
        const Value first = listing->first[i];
        now->plain = saved[i].tag == first.tag && (is_number(first) || is_same(saved[i], first));
    }
}

size_t ck_state_runs(const Held *state, FrameRun *runs, size_t room) {
    Listing listing = {.runs = runs, .room = room};
    FrameWalk walk = stack_walk(&state->state->stack);
    FrameHead head;
    const Value *saved;
    while (stack_next(&walk, &head, &saved)) list_frame(&listing, &head, saved);
    end_run(&listing);
    for (size_t i = 0, j = listing.count; listing.count <= room && i + 1 < j; i++) {
        const FrameRun run = runs[i];
        runs[i] = runs[--j];
        runs[j] = run;
    }
    return listing.count;
}

static uint32_t width_of(const FrameRun *run) { return ((const ReturnPoint *)run->point)->count; }

static void copy_run(const FrameRun *run, FrameWalk *walk, uint64_t *columns, char *kinds) {
    const uint32_t width = width_of(run);
    FrameHead head;
    const Value *saved;
    for (size_t frame = run->frames; frame-- > 0;) {
        stack_next(walk, &head, &saved);
        for (uint32_t i = 0; i < width; i++) {
            kinds[i] = kind_of(saved[i]) == REAL ? 'd' : kind_of(saved[i]) == INTEGER ? 'q' : 'c';
            if (kinds[i] == 'c')
                columns[i * run->frames + frame] = 0;
            else
                memcpy(&columns[i * run->frames + frame], &saved[i].integer, sizeof *columns);
        }
    }
}

void ck_state_columns(const Held *state, const FrameRun *runs, size_t count, uint64_t *columns, char *kinds) {
    for (size_t i = 0; i < count; i++) {
        if (!runs[i].plain) continue;
        columns += width_of(&runs[i]) * runs[i].frames;
        kinds += width_of(&runs[i]);
    }
    FrameWalk walk = stack_walk(&state->state->stack);
    FrameHead head;
    const Value *saved;
    for (size_t i = count; i-- > 0;) {
        if (runs[i].plain) {
            columns -= width_of(&runs[i]) * runs[i].frames;
            kinds -= width_of(&runs[i]);
            copy_run(&runs[i], &walk, columns, kinds);
        } else {
            for (size_t frame = 0; frame < runs[i].frames; frame++) stack_next(&walk, &head, &saved);
        }
    }
}

typedef struct Frame {
    FrameHead head;
    const Value *saved;
} Frame;

/* columns, kinds: of the plain runs that are added. */
typedef struct Copying {
    const Held *held;
    const FrameRun *runs;
    size_t count, frames; /* of runs, and of the frames that stay */
    const uint64_t *columns;
    const char *kinds;
    Held *result;
} Copying;

/* Lists the frames that stay, the lowest first. */
static void list_rest(const Copying *given, Frame *frames) {
    FrameWalk walk = stack_walk(&given->held->state->stack);
    Frame found;
    size_t at = given->frames;
    for (size_t i = given->count; i-- > 0;)
        for (size_t frame = 0; frame < given->runs[i].frames; frame++) {
            stack_next(&walk, &found.head, &found.saved);
            if (!given->runs[i].plain) frames[--at] = found;
        }
}

/* Returns a state at the same point, with an empty stack. */
static State *at_same_point(Heap *heap, const State *from) {
    State *made = state_create(heap, from->block, from->index, from->value_count, version_held(from->version));
    made->window = from->window;
    made->steps = from->steps;
    made->births = from->births;
    made->tags = from->tags;
    for (uint32_t i = 0; i < from->value_count; i++) made->values[i] = copied(from->values[i]);
    return made;
}

static void push_copy(Heap *heap, State *made, const Frame *frame) {
    Value *saved = stack_push(heap, &made->stack, frame->head.point, frame->head.call);
    for (uint32_t k = 0; k < frame->head.point->count; k++) saved[k] = copied(frame->saved[k]);
}

static void copy_rest(void *arguments) {
    Copying *given = arguments;
    Heap *heap = given->held->heap;
    given->result = held_new(given->held, HELD_STATE);
    Frame *frames = heap_allocate(heap, (given->frames + 1) * sizeof *frames);
    list_rest(given, frames);
    State *made = given->result->state = at_same_point(heap, given->held->state);
    for (size_t i = 0; i < given->frames; i++) push_copy(heap, made, &frames[i]);
    heap_free(heap, frames, (given->frames + 1) * sizeof *frames);
}

Held *ck_state_without_runs(const Held *state, const FrameRun *runs, size_t count) {
    Copying given = {.held = state, .runs = runs, .count = count};
    for (size_t i = 0; i < count; i++)
        if (!runs[i].plain) given.frames += runs[i].frames;
    if (held_run(state, copy_rest, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

static void push_run(Heap *heap, State *made, const FrameRun *run, const uint64_t *columns, const char *kinds) {
    const ReturnPoint *point = (const ReturnPoint *)run->point;
    const Procedure *procedure = point->block->procedure;
    if (procedure && procedure->registers > made->window) made->window = procedure->registers;
    for (size_t frame = 0; frame < run->frames; frame++) {
        const Value *below = stack_top_saved(&made->stack); /* of a run, which has the frame of the end below it */
        Value *saved = stack_push(heap, &made->stack, point, (const Block *)run->call);
        for (uint32_t i = 0; i < point->count; i++) {
            if (kinds[i] == 'c') {
                saved[i] = copied(below[i]);
                continue;
            }
            saved[i] = kinds[i] == 'd' ? of_real(0.0) : of_integer(0);
            memcpy(&saved[i].integer, &columns[i * run->frames + frame], sizeof *columns);
        }
    }
}

static bool keep_points(const Copying *given) {
    for (size_t i = 0; i < given->count; i++)
        if (given->runs[i].plain &&
            !bridge_keep(given->held->heap, given->held->state->block, &given->runs[i].point, 1))
            return false;
    return true;
}

static void add_runs(void *arguments) {
    Copying *given = arguments;
    Heap *heap = given->held->heap;
    const State *from = given->held->state;
    given->result = held_new(given->held, HELD_STATE);
    if (!keep_points(given)) heap_exhausted(heap);
    Frame *frames = heap_allocate(heap, (given->frames + 1) * sizeof *frames);
    FrameWalk walk = stack_walk(&from->stack);
    for (size_t i = given->frames; i-- > 0;) stack_next(&walk, &frames[i].head, &frames[i].saved);
    State *made = given->result->state = at_same_point(heap, from);
    const Frame *next = frames;
    for (size_t i = 0; i < given->count; i++) {
        const FrameRun *run = &given->runs[i];
        for (size_t frame = 0; !run->plain && frame < run->frames; frame++) push_copy(heap, made, next++);
        if (!run->plain) continue;
        push_run(heap, made, run, given->columns, given->kinds);
        given->columns += width_of(run) * run->frames;
        given->kinds += width_of(run);
    }
    heap_free(heap, frames, (given->frames + 1) * sizeof *frames);
}

Held *ck_state_with_runs(const Held *state, const FrameRun *runs, size_t count, const uint64_t *columns,
                         const char *kinds) {
    Copying given = {.held = state, .runs = runs, .count = count, .columns = columns, .kinds = kinds};
    for (size_t i = 0; i < count; i++)
        if (!runs[i].plain) given.frames += runs[i].frames;
    if (held_run(state, add_runs, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

/* Places */

/* Returns the position of a point in a list, or `count`; stacks repeat the one that was found last. */
static size_t position_of(uintptr_t point, const uintptr_t *points, size_t count, size_t last) {
    if (last < count && points[last] == point) return last;
    size_t i = 0;
    while (i < count && points[i] != point) i++;
    return i;
}

size_t ck_state_points(const Held *state, uintptr_t *points, size_t room) {
    FrameWalk walk = stack_walk(&state->state->stack);
    FrameHead head;
    const Value *saved;
    size_t count = 0, last = 0;
    while (stack_next(&walk, &head, &saved)) {
        last = position_of((uintptr_t)head.point, points, count < room ? count : room, last);
        if (last < count && last < room) continue;
        if (count < room) points[count] = (uintptr_t)head.point;
        count++;
    }
    return count;
}

static uint64_t times(uint64_t a, uint64_t b, uint64_t prime) {
    __extension__ typedef unsigned __int128 Wide;
    return (uint64_t)((Wide)a * b % prime);
}

uint64_t ck_state_place(const Held *state, uint64_t found, uint64_t base, uint64_t prime, const uintptr_t *points,
                        const uint64_t *terms, size_t count) {
    FrameWalk walk = stack_walk(&state->state->stack);
    FrameHead head;
    const Value *saved;
    size_t last = 0;
    while (stack_next(&walk, &head, &saved)) {
        last = position_of((uintptr_t)head.point, points, count, last);
        found = (times(found, base, prime) + terms[last]) % prime;
    }
    return found;
}
