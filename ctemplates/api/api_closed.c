/* Entry points for closed states: see api_closed.h. */
#include "api/api_closed.h"

#include "bridge/sequences.h"
#include "control/closed.h"

typedef struct Request {
    const Held *state, *target; /* target: any Held of the heap of a copy; or the cotangent */
    int64_t births, tags;
    size_t *counts;
    size_t count;
    double *received;
    const double *given;
    Held *copy;
    Closed outcome;
} Request;

static Closed answer(bool closed) { return closed ? CLOSED : NOT_CLOSED; }

static Closed enter(Request *request, const Held *held, Body body) {
    if (!held_run(held, body, request)) request->outcome = CLOSED_NO_MEMORY;
    return request->outcome;
}

static void show(const Held *held) { version_show(held->heap, held->state->version); }

static void count_reals(void *arguments) {
    Request *r = arguments;
    show(r->state);
    ClosedCounts found;
    r->outcome = answer(closed_count(r->state->heap, r->state->state, &found));
    r->counts[0] = found.reals;
    r->counts[1] = found.objects;
    r->counts[2] = found.procedures;
}

Closed ck_closed_count(const Held *state, size_t *counts) {
    Request r = {.state = state, .counts = counts};
    return enter(&r, state, count_reals);
}

static void make_copy(void *arguments) {
    Request *r = arguments;
    Heap *heap = r->target->heap;
    r->copy = held_new(r->target, HELD_STATE);
    if (!bridge_keep_all(heap, r->state->heap)) heap_exhausted(heap);
    r->copy->state = closed_copy(heap, r->state->state, r->births, r->tags);
    r->outcome = answer(r->copy->state != NULL);
}

/* By who is in the heap of the state; then also in that of the copy, which nobody else is waiting for. */
static void copy_elsewhere(void *arguments) {
    Request *r = arguments;
    show(r->state);
    r->outcome = enter(r, r->target, make_copy);
}

Closed ck_closed_copy(const Held *heap, const Held *state, int64_t births, int64_t tags, Held **copy) {
    Request r = {.state = state, .target = heap, .births = births, .tags = tags};
    if (enter(&r, state, copy_elsewhere) == CLOSED) {
        *copy = r.copy;
        return CLOSED;
    }
    held_drop(r.copy);
    return r.outcome;
}

static void find_received(void *arguments) {
    Request *r = arguments;
    show(r->state);
    r->outcome = answer(closed_received(r->state->state, r->target->cotangent, r->received, r->count));
}

Closed ck_closed_received(const Held *cotangent, const Held *state, double *reals, size_t count) {
    Request r = {.state = state, .target = cotangent, .received = reals, .count = count};
    return enter(&r, cotangent, find_received);
}

static void give(void *arguments) {
    Request *r = arguments;
    show(r->state);
    r->outcome = answer(closed_give(r->state->state, r->target->cotangent, r->given, r->count));
}

Closed ck_closed_give(const Held *cotangent, const Held *state, const double *reals, size_t count) {
    Request r = {.state = state, .target = cotangent, .given = reals, .count = count};
    return enter(&r, cotangent, give);
}

static void look_into(void *arguments) {
    Request *r = arguments;
    r->outcome = answer(closed_holds(r->state->state, r->target->cotangent, r->births));
}

/* By who is in the heap of the state; then also in that of the cotangent. */
static void look_elsewhere(void *arguments) {
    Request *r = arguments;
    show(r->state);
    r->outcome = enter(r, r->target, look_into);
}

Closed ck_closed_holds(const Held *cotangent, const Held *state, int64_t births) {
    Request r = {.state = state, .target = cotangent, .births = births};
    return enter(&r, state, look_elsewhere);
}
