/* Closed states: see closed.h. A walk visits all slots in turn; of each it keeps a list of the parts still to be visited,
 * the next one last, and a map of the objects met, with their copies if it makes any. */
#include "control/closed.h"

#include <stddef.h>
#include <string.h>

#include "bridge/sequences.h"
#include "containers/instances.h"
#include "containers/lists.h"
#include "containers/peek.h"
#include "derivatives/places.h"
#include "state/cotangent_stack.h"

enum { FEW_PARTS = 16 };

/* to: where its copy belongs; NULL: there is none. birth: of the object that it is a field of; 0: it is a slot, and `field`
 * is its number: slots at the point come first, then those of the frames, as a cotangent's stack has them, the top first. */
typedef struct ClosedPart {
    Value value, *to;
    uint64_t birth;
    int64_t field;
} ClosedPart;

typedef struct Walk Walk;
struct Walk {
    Heap *heap;
    bool copies, numbers; /* objects: it copies them; it takes them to have births from `births` on */
    int64_t births;       /* the next one */
    bool (*met)(Walk *w, const ClosedPart *real); /* called for each real; false: the walk ends, refused */
    size_t reals, most; /* how many were met, and may be */
    size_t procedures;  /* that were met, without an environment */
    Cotangent *c;
    Value *slots; /* the accumulators of the slots, by their numbers */
    double *received;
    const double *given;
    Seen seen;
    ClosedPart *pending, few[FEW_PARTS];
    size_t count, room;
};

static bool only_count(Walk *w, const ClosedPart *real) {
    (void)w;
    (void)real;
    return true;
}

static void walk_begin(Walk *w, Heap *heap) {
    memset(w, 0, offsetof(Walk, seen));
    w->heap = heap;
    w->met = only_count;
    w->most = SIZE_MAX;
    seen_begin(&w->seen, heap);
    w->pending = w->few;
    w->count = 0;
    w->room = FEW_PARTS;
}

static void end_pending(Walk *w) {
    if (w->pending != w->few) heap_free(w->heap, w->pending, w->room * sizeof(ClosedPart));
}

static void walk_end(Walk *w) {
    end_pending(w);
    seen_end(&w->seen);
}

/* Makes room for `count` further parts. */
static void make_room(Walk *w, size_t count) {
    if (w->count + count <= w->room) return;
    const size_t room = 2 * (w->count + count);
    ClosedPart *parts = heap_allocate(w->heap, room * sizeof *parts);
    memcpy(parts, w->pending, w->count * sizeof *parts);
    end_pending(w);
    w->pending = parts;
    w->room = room;
}

/* Returns the parts of an object that a walk may enter, and how many; NULL: it is none. */
static Value *parts_in(Value v, size_t *count) {
    uint32_t few;
    const Value *cells;
    switch (kind_of(v)) {
    case LIST: *count = list_in(v)->length; return list_in(v)->values;
    case INSTANCE: *count = instance_in(v)->length; return instance_in(v)->values;
    default:
        cells = parts_of(v, &few);
        *count = cells ? few : 0;
        return (Value *)(uintptr_t)cells;
    }
}

/* A walk may enter it: an empty list has no parts. */
static bool is_closed_object(Value v) {
    const Kind kind = kind_of(v);
    size_t count;
    return (kind == LIST || kind == INSTANCE || parts_in(v, &count)) && v.object->birth;
}

static uint64_t owner_of_copy(const Object *object) {
    return ((const Storage *)(const void *)object)->owner == FROZEN ? FROZEN : NOBODY;
}

static Value layout_of_copy(Heap *heap, Value layout) {
    return layout.tag == NOTHING ? layout : copied(layout_value(heap, python_in(layout)));
}

static void clear(Value *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = nothing();
}

/* Returns a copy of an object, without its parts. */
static Object *hollow_copy(Walk *w, Value v) {
    Value made;
    Cells *cells;
    const Kind kind = (Kind)v.object->kind;
    switch (kind) {
    case LIST:
        made = new_list(w->heap, list_in(v)->length, owner_of_copy(v.object));
        clear(list_in(made)->values, list_in(made)->length);
        break;
    case INSTANCE:
        made = new_instance_of(w->heap, layout_of_copy(w->heap, instance_in(v)->layout), instance_in(v)->length,
                               owner_of_copy(v.object));
        clear(instance_in(made)->values, instance_in(made)->length);
        break;
    default:
        cells = new_cells(w->heap, kind, v.object->length);
        clear(cells->cells, v.object->length);
        if (kind == RECORD) cells->cells[0] = layout_of_copy(w->heap, cells_of(v)[0]);
        made = of_object(kind, cells);
    }
    made.object->birth = (uint64_t)w->births++ & LARGEST_BIRTH;
    return made.object;
}

/* copy: of the object, with the same tag; or NOTHING. */
static void take_parts(Walk *w, Value v, Value copy) {
    const uint64_t birth = w->numbers ? (uint64_t)w->births++ : v.object->birth;
    size_t count;
    const Value *parts = parts_in(v, &count);
    Value *to = copy.tag == NOTHING ? NULL : parts_in(copy, &count);
    make_room(w, count);
    for (size_t i = count; i-- > 0;)
        w->pending[w->count++] = (ClosedPart){
            .value = parts[i], .to = to ? to + i : NULL, .birth = birth, .field = (int64_t)i};
}

static bool take_object(Walk *w, const ClosedPart *part) {
    bool is_old;
    const Value v = part->value;
    if (!is_closed_object(v)) return false;
    Met *met = seen_at(&w->seen, v.object, &is_old);
    if (w->copies) {
        Object *copy = is_old ? met->value.object : hollow_copy(w, v);
        if (is_old) copy->count++;
        *part->to = (Value){.tag = v.tag, .object = copy};
        met->value = *part->to;
    }
    if (!is_old) take_parts(w, v, w->copies ? met->value : nothing());
    return true;
}

static Value copy_of_atom(Heap *heap, Value v) {
    if (kind_of(v) == FOREIGN) return bridge_share(heap, v);
    if (kind_of(v) != RANGE) return v;
    Cells *made = new_cells(heap, RANGE, v.object->length);
    memcpy(made->cells, cells_of(v), v.object->length * sizeof(Value));
    return of_object(RANGE, made);
}

static bool take(Walk *w, const ClosedPart *part) {
    if (part->value.tag == REAL) {
        if (part->to) *part->to = part->value;
        if (w->reals == w->most || !w->met(w, part)) return false;
        w->reals++;
        return true;
    }
    if (!is_atom(part->value)) return take_object(w, part);
    if (kind_of(part->value) == PROCEDURE && !w->procedures++ && w->numbers) w->births++;
    if (part->to) *part->to = copy_of_atom(w->heap, part->value);
    return true;
}

static bool take_slot(Walk *w, Value v, Value *to, size_t slot) {
    ClosedPart part = {.value = v, .to = to, .field = (int64_t)slot};
    while (take(w, &part)) {
        if (!w->count) return true;
        part = w->pending[--w->count];
    }
    return false;
}

/* values, frames: where the copies of the slots at the point belong, and those of each frame, the top first; or NULL. */
static bool take_state(Walk *w, const State *state, Value *values, Value *const *frames) {
    for (uint32_t i = 0; i < state->value_count; i++)
        if (!take_slot(w, state->values[i], values ? values + i : NULL, i)) return false;
    FrameWalk walk = stack_walk(&state->stack);
    FrameHead head;
    const Value *saved;
    size_t slot = state->value_count;
    for (size_t k = 0; stack_next(&walk, &head, &saved); k++) {
        const uint32_t count = head.point->count;
        for (uint32_t i = 0; i < count; i++)
            if (!take_slot(w, saved[i], frames ? frames[k] + i : NULL, slot + count - 1 - i)) return false;
        slot += count;
    }
    return true;
}

bool closed_count(Heap *heap, const State *state, ClosedCounts *counts) {
    Walk w;
    walk_begin(&w, heap);
    const bool closed = take_state(&w, state, NULL, NULL);
    *counts = (ClosedCounts){.reals = w.reals, .objects = w.seen.count, .procedures = w.procedures};
    walk_end(&w);
    return closed;
}

/* Copies */

static size_t depth_of(const Stack *stack) {
    FrameWalk walk = stack_walk(stack);
    FrameHead head;
    const Value *saved;
    size_t depth = 0;
    while (stack_next(&walk, &head, &saved)) depth++;
    return depth;
}

/* Pushes frames like those of a stack, of nothing, and lists their slots, the top frame first. */
static void push_hollow(Heap *heap, Stack *stack, const Stack *from, Value **frames, size_t depth) {
    FrameHead *heads = heap_allocate(heap, (depth + 1) * sizeof *heads);
    FrameWalk walk = stack_walk(from);
    const Value *saved;
    for (size_t i = 0; i < depth; i++) stack_next(&walk, &heads[i], &saved);
    for (size_t i = depth; i-- > 0;) {
        frames[i] = stack_push(heap, stack, heads[i].point, heads[i].call);
        for (uint32_t k = 0; k < heads[i].point->count; k++) frames[i][k] = nothing();
    }
    heap_free(heap, heads, (depth + 1) * sizeof *heads);
}

State *closed_copy(Heap *heap, const State *state, int64_t births, int64_t tags) {
    Walk w;
    walk_begin(&w, heap);
    w.copies = true;
    w.births = births;
    State *made = state_create(heap, state->block, state->index, state->value_count, version_create(heap));
    made->window = state->window;
    made->steps = state->steps;
    made->tags = tags;
    const size_t depth = depth_of(&state->stack);
    Value **frames = heap_allocate(heap, (depth + 1) * sizeof *frames);
    push_hollow(heap, &made->stack, &state->stack, frames, depth);
    const bool closed = take_state(&w, state, made->values, frames);
    made->births = w.births;
    heap_free(heap, frames, (depth + 1) * sizeof *frames);
    walk_end(&w);
    if (closed) return made;
    state_release(heap, made);
    return NULL;
}

/* Cotangents */

static size_t slots_of(const State *state) {
    FrameWalk walk = stack_walk(&state->stack);
    FrameHead head;
    const Value *saved;
    size_t count = state->value_count;
    while (stack_next(&walk, &head, &saved)) count += head.point->count;
    return count;
}

static bool read_real(Walk *w, const ClosedPart *real) {
    const Value *there = real->birth ? cotangent_find(w->c, real->birth, real->field) : &w->slots[real->field];
    if (there && there->tag != REAL) return false;
    w->received[w->reals] = there ? there->real : 0.0;
    return true;
}

/* Lists the accumulators of the slots; they stay the cotangent's. */
static void list_slots(const Cotangent *c, Value *slots, size_t count) {
    uint32_t at_point;
    const Register *registers = point_registers(c->block, c->index, &at_point);
    for (uint32_t i = 0; i < at_point; i++) slots[i] = c->window[registers[i]];
    size_t slot = at_point;
    for (const AccumulatorChunk *chunk = c->stack; chunk; chunk = chunk->previous)
        for (size_t i = chunk->count; i-- > 0 && slot < count;) slots[slot++] = chunk->cotangents[i];
    while (slot < count) slots[slot++] = of_real(0.0);
}

/* Begins a walk over at most `most` reals that has room for the accumulators of `count` slots. */
static void accumulators_begin(Walk *w, Cotangent *c, size_t count, size_t most) {
    walk_begin(w, c->heap);
    w->c = c;
    w->most = most;
    w->slots = heap_allocate(c->heap, (count + 1) * sizeof(Value));
}

static void accumulators_end(Walk *w, size_t count) {
    heap_free(w->heap, w->slots, (count + 1) * sizeof(Value));
    walk_end(w);
}

bool closed_received(const State *state, Cotangent *c, double *reals, size_t most) {
    Walk w;
    const size_t count = slots_of(state);
    accumulators_begin(&w, c, count, most);
    w.met = read_real;
    w.received = reals;
    list_slots(c, w.slots, count);
    const bool closed = take_state(&w, state, NULL, NULL) && w.reals == most;
    accumulators_end(&w, count);
    return closed;
}

static bool write_real(Walk *w, const ClosedPart *real) {
    const Value given = of_real(w->given[w->reals]);
    if (real->birth)
        cotangent_set(w->c, real->birth, real->field, given);
    else
        w->slots[real->field] = given;
    return true;
}

bool closed_give(const State *state, Cotangent *c, const double *reals, size_t most) {
    Walk w;
    const size_t count = slots_of(state);
    uint32_t at_point;
    const Register *registers = point_registers(state->block, state->index, &at_point);
    accumulators_begin(&w, c, count, most);
    w.met = write_real;
    w.given = reals;
    for (size_t i = 0; i < count; i++) w.slots[i] = of_real(0.0);
    const bool closed = take_state(&w, state, NULL, NULL) && w.reals == most;
    for (uint32_t i = 0; closed && i < at_point; i++) c->window[registers[i]] = w.slots[i];
    for (size_t i = count; closed && i-- > at_point;) cotangent_push(c, w.slots[i]);
    accumulators_end(&w, count);
    return closed;
}

static bool has_none(Walk *w, const ClosedPart *real) {
    return !real->birth || !cotangent_find(w->c, real->birth, real->field);
}

bool closed_holds(const State *state, Cotangent *c, int64_t births) {
    Walk w;
    walk_begin(&w, c->heap);
    w.c = c;
    w.met = has_none;
    w.numbers = true;
    w.births = births;
    const bool none = take_state(&w, state, NULL, NULL);
    walk_end(&w);
    return !none;
}
