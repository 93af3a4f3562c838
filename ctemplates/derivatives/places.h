/* The numbers of values, with the places that their cotangents are given to.
 *
 * In: values of a run, borrowed. Out: their numbers in the canonical order of checkpoint/ad/graph.py: depth first, parts
 * from the first to the last. Numbers are reals, and duals of these. A walk refuses values that hold anything which these
 * steps leave to Python: containers that may change, arrays, capsules, procedures within data. Executables take references,
 * which are lists, and procedures: the tangent of one is an OPAQUE, a record of the tangents of the numbers that it
 * reaches, once each; and they refuse two procedures within data that share numbers.
 *
 * Recursion is as deep as values are nested, without the last part of each: lists do not count, and DEEPEST is refused.
 */
#ifndef CK_PLACES_H
#define CK_PLACES_H

#include "containers/lists.h"
#include "memory/heap.h"

/* Where a number is: in a register, or in a field of the object with a birth. Birth 0: in a constant, or nowhere. */
typedef struct Site {
    Register at;
    uint64_t birth;
    int64_t field;
} Site;

static inline Site in_register(Register at) { return (Site){.at = at}; }
static inline Site in_field(const Object *object, int64_t field) {
    return (Site){.at = NO_REGISTER, .birth = object->birth, .field = field};
}

typedef struct Location {
    Value number; /* borrowed */
    Site place;
} Location;

enum { FEW_LOCATIONS = 12, FEW_SEEN = 16 };

/* hollow: an object was met all of whose parts are null; its tangent, in Python, is the object itself. */
typedef struct Locations {
    Heap *heap;
    Location *all;
    uint32_t count, room;
    bool hollow;
    Location few[FEW_LOCATIONS];
} Locations;

/* AS_TREE: data, each path to a number has a location of its own. AS_DATA: data, objects are visited once. AS_GRAPH: the
 * same of any value, procedures included. */
typedef enum Sharing { AS_TREE, AS_DATA, AS_GRAPH } Sharing;

void locations_begin(Locations *found, Heap *heap);
void locations_end(Locations *found);

/* Appends the numbers of a value, which is itself at `place`. false: it is refused. */
bool locations_add(Locations *found, Value value, Site place, Sharing sharing);

/* Appends the numbers of data to `found`, and to `others` those of its tangent or cotangent, path by path. false: one is
 * refused, or they have not the same shape. */
bool locations_match(Locations *found, Locations *others, Value value, Site place, Value other, Site other_place);

/* Objects that a walk has met, each with a value. */
typedef struct Met {
    const Object *object; /* NULL: free */
    Value value;
} Met;
typedef struct Seen {
    Heap *heap;
    Met *all;
    uint32_t count, room; /* room: a power of 2 */
    Met few[FEW_SEEN];
} Seen;
void seen_begin(Seen *seen, Heap *heap);
void seen_end(Seen *seen);
/* Returns the entry of an object, and whether it is an old one. */
Met *seen_at(Seen *seen, const Object *object, bool *is_old);

/* Returns the parts of a PAIR, RECORD, CLOSURE or ENVIRONMENT, and how many; NULL and 0: it is no such object. */
static inline const Value *parts_of(Value v, uint32_t *count) {
    switch (kind_of(v)) {
    case PAIR:
    case ENVIRONMENT:
    case CLOSURE: *count = v.object->length; return cells_of(v);
    case RECORD: *count = v.object->length - 1; return cells_of(v) + 1;
    default: *count = 0; return NULL;
    }
}

/* Returns the parts of these and of a LIST. */
static inline const Value *all_parts_of(Value v, uint32_t *count) {
    if (kind_of(v) != LIST) return parts_of(v, count);
    *count = (uint32_t)list_in(v)->length;
    return list_in(v)->values;
}

/* The tangent of a procedure: what is in the place of a record's layout says so. */
static inline Value opaque_layout(void) { return of_boolean(true); }
static inline bool is_opaque(Value v) { return kind_of(v) == RECORD && kind_of(cells_of(v)[0]) == BOOLEAN; }

/* Returns whether a value holds no number, and is shared by whoever holds it. */
bool is_atom(Value v);

/* Returns the numbers that a procedure reaches, or that its tangent has, once each. */
uint32_t numbers_held(Heap *heap, Value procedure);

/* How deep values may be nested; the stack of executables is made for what they have. */
enum { DEEPEST = 100, DEEPEST_ALONE = 1000000 };

#endif
