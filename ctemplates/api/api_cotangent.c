/* Entry points for cotangents: see api_cotangent.h. */
#include "api/api_cotangent.h"

#include "bridge/sequences.h"
#include "containers/containers.h"
#include "reversal/reverse.h"
#include "reversal/reverse_program.h"
#include "reversal/left_over.h"
#include "state/cotangent_rows.h"
#include "state/cotangent_stack.h"

/* The arguments of an entry point, and its results. */
typedef struct Request {
    const Held *held;
    Cotangent *cotangent;
    const Block *block;
    Tape *tape;
    void *helper, *dictionaries, *cotangents, *errors;
    size_t above, count;
    uint64_t birth;
    int64_t field;
    double real, *taken;
    const double *given;
    bool adds, takes, done;
    Outcome outcome;
    Found found;
    Held *result;
} Request;

static bool enter(Request *request, Body body) { return held_run(request->held, body, request) && request->done; }

static Request of_cotangent(const Held *held, void *cotangents, void *errors) {
    return (Request){.held = held, .cotangent = held->cotangent, .cotangents = cotangents, .errors = errors};
}

static void create(void *arguments) {
    Request *r = arguments;
    r->result = held_new(r->held, HELD_COTANGENT);
    r->result->cotangent = NULL;
    Cotangent *c = cotangent_create(r->held->heap, r->helper);
    programs_create(c);
    r->result->cotangent = c;
    if (r->block->procedure) cotangent_reserve(c, r->block->procedure->registers);
    c->block = r->block;
    c->index = (uint32_t)r->count;
    r->done = true;
}

Held *ck_cotangent_create(const Held *any, const Block *block, uint32_t index, void *helper) {
    Request r = {.held = any, .block = block, .count = index, .helper = helper};
    if (enter(&r, create)) return r.result;
    held_drop(r.result);
    return NULL;
}

static void reverse(void *arguments) {
    Request *r = arguments;
    r->outcome = reverse_tape(r->tape, r->cotangent);
    r->done = true;
}

Outcome ck_cotangent_reverse(Held *cotangent, Held *tape) {
    Request r = of_cotangent(cotangent, NULL, NULL);
    r.tape = tape->tape;
    if (enter(&r, reverse) && r.outcome != NO_MEMORY) return r.outcome;
    cotangent->abandoned = tape->abandoned = true;
    return NO_MEMORY;
}

void ck_cotangent_ignore(Held *cotangent, uint64_t first, uint64_t count) {
    cotangent->cotangent->unread = first;
    cotangent->cotangent->unread_count = count;
}

size_t ck_cotangent_bytes(const Held *cotangent) { return cotangent->cotangent->bytes; }

size_t ck_cotangent_left_over(const Held *cotangent, uint64_t birth) {
    return cotangent_left_over(cotangent->cotangent, birth);
}

/* Slots */

static void export_slots(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    uint32_t count;
    const Register *slots = point_registers(c->block, c->index, &count);
    for (uint32_t i = 0; i < count; i++) c->scratch[i] = c->window[slots[i]];
    r->done = bridge_export_cotangents(c->heap, c->scratch, count, r->cotangents, r->errors);
}

bool ck_cotangent_slots(const Held *cotangent, void *cotangents, void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    return enter(&r, export_slots);
}

static void import_slots(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    uint32_t count;
    const Register *slots = point_registers(c->block, c->index, &count);
    if (count > r->count) count = (uint32_t)r->count;
    r->done = bridge_import_cotangents(c->heap, r->cotangents, c->scratch, count, r->errors);
    for (uint32_t i = 0; i < count && r->done; i++) {
        drop(c->heap, c->window[slots[i]]);
        c->window[slots[i]] = c->scratch[i];
        c->mixed |= c->scratch[i].tag != REAL;
    }
}

bool ck_cotangent_set_slots(const Held *cotangent, void *cotangents, uint32_t count, void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.count = count;
    return enter(&r, import_slots);
}

/* The stack */

static void export_frames(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    size_t above = r->above, left = r->count;
    Value *found = heap_allocate(c->heap, (left + 1) * sizeof(Value));
    for (const AccumulatorChunk *chunk = c->stack; chunk && left; chunk = chunk->previous)
        for (size_t i = chunk->count; i-- > 0 && left;)
            if (above)
                above--;
            else
                found[--left] = chunk->cotangents[i];
    r->done = bridge_export_cotangents(c->heap, found + left, r->count - left, r->cotangents, r->errors);
    heap_free(c->heap, found, (r->count + 1) * sizeof(Value));
}

bool ck_cotangent_frames(const Held *cotangent, size_t above, size_t count, void *cotangents, void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.above = above;
    r.count = count;
    return enter(&r, export_frames);
}

static void push_cotangents(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    Value *given = heap_allocate(c->heap, (r->count + 1) * sizeof(Value));
    r->done = bridge_import_cotangents(c->heap, r->cotangents, given, r->count, r->errors);
    for (size_t i = 0; i < r->count && r->done; i++) {
        cotangent_push(c, given[i]);
        c->mixed |= given[i].tag != REAL;
    }
    heap_free(c->heap, given, (r->count + 1) * sizeof(Value));
}

bool ck_cotangent_push(const Held *cotangent, void *cotangents, size_t count, void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.count = count;
    return enter(&r, push_cotangents);
}

static void pop_cotangents(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    Value *popped = heap_allocate(c->heap, (r->count + 1) * sizeof(Value));
    for (size_t i = r->count; i-- > 0;) popped[i] = cotangent_pop(c);
    r->done = bridge_export_cotangents(c->heap, popped, r->count, r->cotangents, r->errors);
    for (size_t i = 0; i < r->count; i++) drop(c->heap, popped[i]);
    heap_free(c->heap, popped, (r->count + 1) * sizeof(Value));
}

bool ck_cotangent_pop(const Held *cotangent, size_t count, void *cotangents, void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.count = count;
    return enter(&r, pop_cotangents);
}

/* Fields */

static void find(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    const Value *there = cotangent_find(c, r->birth, r->field);
    r->done = true;
    if (!there) return;
    const Value cotangent = r->takes ? cotangent_take(c, r->birth, r->field) : copied(*there);
    r->found = cotangent.tag == REAL ? REAL_COTANGENT : OTHER_COTANGENT;
    r->real = cotangent.real;
    if (cotangent.tag != REAL) r->done = bridge_export_cotangents(c->heap, &cotangent, 1, r->cotangents, r->errors);
    drop(c->heap, cotangent);
}

Found ck_cotangent_find(const Held *cotangent, uint64_t birth, int64_t field, bool takes, double *real, void *cotangents,
                        void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.birth = birth;
    r.field = field;
    r.takes = takes;
    if (!enter(&r, find)) return FIND_FAILED;
    *real = r.real;
    return r.found;
}

static void export_fields(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    Side side = {.run = NOBODY};
    Value dictionary = nothing();
    r->done = !r->dictionaries || bridge_import(c->heap, &side, r->dictionaries, &dictionary, 1, r->errors);
    if (!r->done) return;
    Value *found = heap_allocate(c->heap, (r->count + 1) * sizeof(Value));
    for (size_t i = 0; i < r->count; i++) {
        const int64_t field = r->dictionaries ? entries_in(dictionary)->all[i].field : (int64_t)i;
        const Value *there = cotangent_find(c, r->birth, field);
        found[i] = there ? *there : of_real(0.0);
    }
    drop(c->heap, dictionary);
    r->done = bridge_export_cotangents(c->heap, found, r->count, r->cotangents, r->errors);
    heap_free(c->heap, found, (r->count + 1) * sizeof(Value));
}

bool ck_cotangent_fields(const Held *cotangent, uint64_t birth, size_t count, void *dictionaries, void *cotangents,
                         void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.birth = birth;
    r.count = count;
    r.dictionaries = dictionaries;
    return enter(&r, export_fields);
}

static void change(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    Value cotangent = of_real(r->real);
    r->done = !r->cotangents || bridge_import_cotangents(c->heap, r->cotangents, &cotangent, 1, r->errors);
    if (!r->done) return;
    c->mixed |= cotangent.tag != REAL;
    if (r->adds)
        cotangent_give(c, r->birth, r->field, cotangent);
    else
        cotangent_set(c, r->birth, r->field, cotangent);
}

bool ck_cotangent_change(const Held *cotangent, uint64_t birth, int64_t field, bool adds, double real, void *cotangents,
                         void *errors) {
    Request r = of_cotangent(cotangent, cotangents, errors);
    r.birth = birth;
    r.field = field;
    r.adds = adds;
    r.real = real;
    return enter(&r, change);
}

static void take_reals(void *arguments) {
    Request *r = arguments;
    Cotangent *c = r->cotangent;
    if (!cotangent_has_reals(c, r->birth, (int64_t)r->count)) return;
    cotangent_take_row(c, r->birth, 0, (int64_t)r->count, r->taken);
    r->done = true;
}

bool ck_cotangent_take_reals(const Held *cotangent, uint64_t birth, size_t count, double *reals) {
    Request r = of_cotangent(cotangent, NULL, NULL);
    r.birth = birth;
    r.count = count;
    r.taken = reals;
    return enter(&r, take_reals);
}

static void give_reals(void *arguments) {
    Request *r = arguments;
    cotangent_give_row(r->cotangent, r->birth, (int64_t)r->count, r->given);
    r->done = true;
}

bool ck_cotangent_give_reals(const Held *cotangent, uint64_t birth, size_t count, const double *reals) {
    Request r = of_cotangent(cotangent, NULL, NULL);
    r.birth = birth;
    r.count = count;
    r.given = reals;
    return enter(&r, give_reals);
}

static void find_field(void *arguments) {
    Request *r = arguments;
    Heap *heap = r->held->heap;
    Side side = {.run = NOBODY};
    Value dictionary;
    r->done = bridge_import(heap, &side, r->cotangents, &dictionary, 1, r->errors);
    if (!r->done) return;
    r->field = entries_in(dictionary)->all[0].field;
    drop(heap, dictionary);
}

bool ck_key_field(const Held *any, void *dictionaries, int64_t *field, void *errors) {
    Request r = {.held = any, .cotangents = dictionaries, .errors = errors};
    if (!enter(&r, find_field)) return false;
    *field = r.field;
    return true;
}
