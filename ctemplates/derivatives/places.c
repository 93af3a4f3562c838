/* The numbers of values: see places.h. */
#include "derivatives/places.h"

#include "containers/peek.h"

/* Objects met */

void seen_begin(Seen *seen, Heap *heap) {
    seen->heap = heap;
    seen->all = seen->few;
    seen->count = 0;
    seen->room = FEW_SEEN;
    for (int i = 0; i < FEW_SEEN; i++) seen->few[i].object = NULL;
}

void seen_end(Seen *seen) {
    if (seen->all != seen->few) heap_free(seen->heap, seen->all, seen->room * sizeof(Met));
}

static Met *place_for(Met *all, uint32_t room, const Object *object) {
    uint32_t at = (uint32_t)((uintptr_t)object >> 4) & (room - 1);
    while (all[at].object && all[at].object != object) at = (at + 1) & (room - 1);
    return &all[at];
}

static void seen_grow(Seen *seen) {
    const uint32_t room = 2 * seen->room;
    Met *all = heap_allocate(seen->heap, room * sizeof(Met));
    for (uint32_t i = 0; i < room; i++) all[i].object = NULL;
    for (uint32_t i = 0; i < seen->room; i++)
        if (seen->all[i].object) *place_for(all, room, seen->all[i].object) = seen->all[i];
    seen_end(seen);
    seen->all = all;
    seen->room = room;
}

Met *seen_at(Seen *seen, const Object *object, bool *is_old) {
    if (2 * seen->count >= seen->room) seen_grow(seen);
    Met *found = place_for(seen->all, seen->room, object);
    *is_old = found->object != NULL;
    if (!*is_old) {
        *found = (Met){.object = object, .value = nothing()};
        seen->count++;
    }
    return found;
}

/* Locations */

void locations_begin(Locations *found, Heap *heap) {
    found->heap = heap;
    found->all = found->few;
    found->count = 0;
    found->room = FEW_LOCATIONS;
    found->hollow = false;
}

void locations_end(Locations *found) {
    if (found->all != found->few) heap_free(found->heap, found->all, found->room * sizeof(Location));
}

static void append(Locations *found, Location one) {
    if (found->count == found->room) {
        const uint32_t room = 2 * found->room;
        Location *all = heap_allocate(found->heap, room * sizeof(Location));
        for (uint32_t i = 0; i < found->count; i++) all[i] = found->all[i];
        locations_end(found);
        found->all = all;
        found->room = room;
    }
    found->all[found->count++] = one;
}

/* Returns whether it consists of reals alone. */
static bool is_of_reals(Value number, int deeper) {
    if (kind_of(number) != DUAL) return number.tag == REAL;
    return deeper && is_of_reals(cells_of(number)[0], deeper - 1) && is_of_reals(cells_of(number)[1], deeper - 1);
}

bool is_atom(Value v) {
    switch (kind_of(v)) {
    case INTEGER:
    case BOOLEAN:
    case NOTHING:
    case PROCEDURE:
    case RANGE: return true;
    case FOREIGN: return is_foreign_atom(v);
    default: return false;
    }
}

typedef struct Walk {
    Locations *found;
    Sharing sharing;
    Seen seen;
} Walk;

static bool all_null(const Value *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].tag != NOTHING) return false;
    return true;
}

static int deepest(const Locations *found) { return heap_is_alone(found->heap) ? DEEPEST_ALONE : DEEPEST; }

static bool walk(Walk *w, Value v, Site place, int deeper);

static bool is_procedure(Value v) { return kind_of(v) == PROCEDURE || kind_of(v) == CLOSURE; }

/* Appends the numbers of a closure that are not there yet. false: it shares some with another one. */
static bool walk_shared(Walk *w, Value v, uint32_t own, int deeper) {
    bool is_old;
    Met *met = seen_at(&w->seen, v.object, &is_old);
    if (is_old) return !own || met->value.tag == v.tag;
    met->value = v;
    uint32_t count;
    const uint32_t before = w->found->count;
    const Value *parts = parts_of(v, &count);
    const Sharing outer = w->sharing;
    bool done = true;
    w->sharing = AS_GRAPH;
    for (uint32_t i = 0; i < count && done; i++) done = walk(w, parts[i], in_field(v.object, i), deeper - 1);
    w->sharing = outer;
    return done && w->found->count - before == own;
}

/* Appends the numbers of a procedure within data. */
static bool walk_procedure(Walk *w, Value v, int deeper) {
    if (!heap_is_alone(w->found->heap)) return false;
    if (kind_of(v) == PROCEDURE) return true;
    if (w->sharing == AS_DATA) return walk_shared(w, v, numbers_held(w->found->heap, v), deeper);
    return locations_add(w->found, v, in_register(NO_REGISTER), AS_GRAPH);
}

static bool walk(Walk *w, Value v, Site place, int deeper) {
    while (true) {
        const Kind kind = kind_of(v);
        uint32_t count;
        bool is_old = false;
        if (kind == REAL || kind == DUAL) {
            append(w->found, (Location){v, place});
            return is_of_reals(v, DEEPEST);
        }
        if (w->sharing != AS_GRAPH && is_procedure(v)) return walk_procedure(w, v, deeper);
        if (kind == LIST && !heap_is_alone(w->found->heap)) return false;
        const Value *parts = all_parts_of(v, &count);
        if (!parts) return is_atom(v);
        deeper -= kind == LIST; /* which may be a part of itself */
        if (deeper <= 0) return false;
        if (w->sharing != AS_TREE) seen_at(&w->seen, v.object, &is_old);
        if (is_old) return true;
        w->found->hollow |= all_null(parts, count);
        if (!count) return true;
        for (uint32_t i = 0; i + 1 < count; i++)
            if (!walk(w, parts[i], in_field(v.object, i), deeper - 1)) return false;
        place = in_field(v.object, count - 1);
        v = parts[count - 1];
    }
}

bool locations_add(Locations *found, Value value, Site place, Sharing sharing) {
    Walk w = {.found = found, .sharing = sharing};
    if (sharing != AS_TREE) seen_begin(&w.seen, found->heap);
    const bool done = walk(&w, value, place, deepest(found));
    if (sharing != AS_TREE) seen_end(&w.seen);
    return done;
}

uint32_t numbers_held(Heap *heap, Value procedure) {
    Locations own;
    locations_begin(&own, heap);
    locations_add(&own, procedure, in_register(NO_REGISTER), AS_GRAPH);
    const uint32_t count = own.count;
    locations_end(&own);
    return count;
}

/* Returns whether a value and its tangent, neither of them a number, have the same shape but for their parts. */
static bool are_alike(Value v, Value other) {
    if (is_atom(v)) return other.tag == NOTHING;
    const Kind kind = kind_of(v);
    if (kind == LIST) return kind_of(other) == kind && list_in(v)->length == list_in(other)->length;
    if (kind == RECORD && is_opaque(v) != is_opaque(other)) return false;
    return (kind == PAIR || kind == RECORD) && kind_of(other) == kind && v.object->length == other.object->length;
}

/* Appends the numbers of a procedure, and those of its tangent. */
static bool match_procedure(Locations *found, Locations *others, Value v, Value other) {
    const uint32_t before = found->count, first = others->count;
    return heap_is_alone(found->heap) && is_opaque(other) &&
           locations_add(found, v, in_register(NO_REGISTER), AS_GRAPH) &&
           locations_add(others, other, in_register(NO_REGISTER), AS_TREE) &&
           found->count - before == others->count - first;
}

static bool match(Locations *found, Locations *others, Location v, Location other, int deeper) {
    while (true) {
        const Kind kind = kind_of(v.number), other_kind = kind_of(other.number);
        uint32_t count;
        if (kind == REAL || kind == DUAL) {
            append(found, v);
            append(others, other);
            return (other_kind == REAL || other_kind == DUAL) && is_of_reals(v.number, DEEPEST) &&
                   is_of_reals(other.number, DEEPEST);
        }
        if (is_procedure(v.number)) return match_procedure(found, others, v.number, other.number);
        if (kind == LIST && !heap_is_alone(found->heap)) return false;
        if (!are_alike(v.number, other.number)) return false;
        const Value *parts = all_parts_of(v.number, &count), *theirs = all_parts_of(other.number, &count);
        if (!parts) return true;
        deeper -= kind == LIST;
        if (deeper <= 0) return false;
        found->hollow |= all_null(parts, count);
        if (!count) return true;
        const Object *object = v.number.object, *its = other.number.object;
        for (uint32_t i = 0; i < count; i++) {
            v = (Location){parts[i], in_field(object, i)};
            other = (Location){theirs[i], in_field(its, i)};
            if (i + 1 < count && !match(found, others, v, other, deeper - 1)) return false;
        }
    }
}

bool locations_match(Locations *found, Locations *others, Value value, Site place, Value other, Site other_place) {
    return match(found, others, (Location){value, place}, (Location){other, other_place}, deepest(found));
}
