/* Entering a lane: see entering.h. The first pass only looks at what is to be copied, so the second is not refused. */
#include "lanes/entering.h"

#include "arrays/array_classes.h"
#include "containers/containers.h"
#include "memory/exceptions.h"
#include "state/copies.h"

enum { DEEPEST = 64, MOST_CAPTURED = 64 };

/* An object that the function has captured, and its copy. */
typedef struct Captured {
    const Object *object;
    Object *copy; /* NULL: the first pass has begun with it, and not ended */
} Captured;

typedef struct Lane {
    Machine *m;
    Value row;
    const ArrayClasses *c;
    PyTypeObject *hole;
    Py_ssize_t hole_index;
    bool captures; /* whether this is what the function has captured */
    Captured captured[MOST_CAPTURED];
    uint32_t captured_count;
    size_t runs;     /* of reals in a row, at most */
    int64_t births;  /* the next one */
    bool has_empty;  /* whether the environment of functions that have captured nothing has its birth */
    Copies *copies;  /* NULL: there is no tape */
} Lane;

/* What is known of values */

static const Value *fields_of(Value v, size_t *count) {
    switch (kind_of(v)) {
    case RECORD: *count = v.object->length - 1; return cells_of(v) + 1;
    case LIST: *count = list_in(v)->length; return list_in(v)->values;
    case INSTANCE: *count = instance_in(v)->length; return instance_in(v)->values;
    default: *count = v.object->length; return cells_of(v);
    }
}

/* Returns the item of the lane that fills a hole; NULL: the value is none. */
static const Value *item_for(const Lane *lane, Value v) {
    if (kind_of(v) != FOREIGN || lane->captures) return NULL;
    PyObject *python = ((Foreign *)v.object)->python;
    if (!Py_IS_TYPE(python, lane->c->native)) return NULL;
    PyObject *hole = *slot_of(python, lane->c->native_value);
    if (!Py_IS_TYPE(hole, lane->hole)) return NULL;
    return &cells_of(lane->row)[1 + PyLong_AsSsize_t(*slot_of(hole, lane->hole_index))];
}

static bool is_atom(const Lane *lane, Value v) {
    PyObject *python = ((Foreign *)v.object)->python;
    return Py_IS_TYPE(python, lane->c->native) || Py_IS_TYPE(python, &PyUnicode_Type) ||
           Py_IS_TYPE(python, &PyLong_Type) || Py_IS_TYPE(python, &PyBytes_Type);
}

static Captured *captured(Lane *lane, const Object *object) {
    for (uint32_t i = 0; i < lane->captured_count; i++)
        if (lane->captured[i].object == object) return &lane->captured[i];
    return NULL;
}

/* Returns whether a field with a value may have an accumulator: an integer, too, that a function has captured, or that is
 * passed to one, since variables receive whatever they are. */
static bool receives(Value v) { return v.tag == REAL || v.tag == INTEGER || v.tag == BOOLEAN; }

/* The first pass */

static bool can_copy(Lane *lane, Value v, int depth);

static bool can_copy_fields(Lane *lane, Value v, int depth) {
    size_t count;
    const Value *fields = fields_of(v, &count);
    for (size_t i = 0; i < count; i++) {
        const Value *item = item_for(lane, fields[i]);
        if (item ? kind_of(*item) > NOTHING : !can_copy(lane, fields[i], depth + 1)) return false;
        lane->runs += receives(item ? *item : fields[i]) && (item || i == 0 || fields[i].tag != fields[i - 1].tag);
    }
    return true;
}

static bool can_copy_captured(Lane *lane, Value v, int depth) {
    const Captured *known = captured(lane, v.object);
    if (known) return known->copy != NULL;
    if (lane->captured_count == MOST_CAPTURED) return false;
    const uint32_t own = lane->captured_count++;
    lane->captured[own] = (Captured){v.object, NULL};
    if (!can_copy_fields(lane, v, depth)) return false;
    lane->captured[own].copy = v.object; /* until the second pass makes it */
    return true;
}

static bool can_copy(Lane *lane, Value v, int depth) {
    if (depth > DEEPEST) return false;
    switch (kind_of(v)) {
    case REAL:
    case INTEGER:
    case BOOLEAN:
    case NOTHING:
    case PROCEDURE:
    case RANGE: return true;
    case FOREIGN: return is_atom(lane, v);
    case CLOSURE:
    case ENVIRONMENT: return lane->captures && can_copy_captured(lane, v, depth);
    case PAIR:
    case RECORD:
    case LIST:
    case INSTANCE: return lane->captures ? can_copy_captured(lane, v, depth) : can_copy_fields(lane, v, depth);
    default: return false;
    }
}

/* The second pass */

/* Returns the owner of a copy of an instance: a lane may change a cell of its own (OwnCell in Python). */
static uint64_t owner_like(Value v) {
    const Classes *c = classes();
    PyObject *layout = ((Foreign *)instance_in(v)->layout.object)->python;
    return *slot_of(layout, c->layout_cls) == (PyObject *)c->own_cell ? NOBODY : FROZEN;
}

/* Returns a new object like one, of the next birth, and where its fields are, which are to be filled at once. */
static Object *made_like(Lane *lane, Value v, Value **fields) {
    Heap *heap = lane->m->heap;
    size_t count;
    fields_of(v, &count);
    Value made;
    if (kind_of(v) == LIST) {
        made = new_list(heap, count, FROZEN);
        *fields = list_in(made)->values;
    } else if (kind_of(v) == INSTANCE) {
        made = new_instance_of(heap, copied(instance_in(v)->layout), (uint32_t)count, owner_like(v));
        *fields = instance_in(made)->values;
    } else {
        made = of_object(kind_of(v), new_cells(heap, (Kind)v.object->kind, v.object->length));
        const bool has_layout = kind_of(v) == RECORD;
        if (has_layout) cells_of(made)[0] = copied(cells_of(v)[0]);
        *fields = cells_of(made) + has_layout;
    }
    made.object->birth = (uint64_t)lane->births++ & LARGEST_BIRTH;
    return made.object;
}

static void enter(Lane *lane, Value v, Value *to);

static void enter_object(Lane *lane, Value v, Value *to) {
    Captured *known = lane->captures ? captured(lane, v.object) : NULL;
    if (known && known->copy != known->object) {
        *to = copied((Value){.tag = v.tag, .object = known->copy});
        return;
    }
    size_t count;
    Value *made;
    const Value *fields = fields_of(v, &count);
    *to = (Value){.tag = v.tag, .object = made_like(lane, v, &made)};
    if (known) known->copy = to->object;
    for (size_t i = 0; i < count; i++) {
        const Value *item = item_for(lane, fields[i]);
        const Value from = item ? *item : fields[i];
        enter(lane, from, &made[i]);
        if (!lane->copies || !receives(from)) continue;
        const Object *whole = item ? lane->row.object : v.object;
        const uint64_t birth = from.tag == REAL ? whole->birth : 0;
        const int64_t first = item ? (int64_t)(item - (cells_of(lane->row) + 1)) : (int64_t)i;
        copies_add(lane->copies, (FieldRun){birth, to->object->birth, first, (int64_t)i, 1});
    }
}

static void enter(Lane *lane, Value v, Value *to) {
    switch (kind_of(v)) {
    case PROCEDURE:
        lane->births += !lane->has_empty;
        lane->has_empty = true;
        *to = v;
        return;
    case CLOSURE:
    case ENVIRONMENT:
    case PAIR:
    case RECORD:
    case LIST:
    case INSTANCE: enter_object(lane, v, to); return;
    default: *to = copied(v);
    }
}

/* The step */

enum { FUNCTION, ARGUMENTS, KEYWORDS, ROW };

static bool find_hole(Lane *lane) {
    static PyTypeObject *hole;
    static Py_ssize_t index;
    if (!hole) {
        hole = class_in("checkpoint.prims.lanes", "Hole");
        if (hole) index = offset_in(hole, "index");
    }
    lane->hole = hole;
    lane->hole_index = index;
    return hole != NULL;
}

static bool can_enter(Lane *lane, const Value *operands) {
    const Kind function = kind_of(operands[FUNCTION]);
    if (function != CLOSURE && function != PROCEDURE) return false;
    if (kind_of(operands[ARGUMENTS]) != RECORD || kind_of(operands[ROW]) != RECORD) return false;
    if (kind_of(operands[KEYWORDS]) != NOTHING && kind_of(operands[KEYWORDS]) != RECORD) return false;
    lane->captures = true;
    if (!can_copy(lane, operands[FUNCTION], 0)) return false;
    lane->captures = false;
    return can_copy(lane, operands[ARGUMENTS], 0) && can_copy(lane, operands[KEYWORDS], 0);
}

bool enter_lane(Machine *m, const Value *operands, int32_t key, Value *result) {
    Lane lane = {.m = m, .row = operands[ROW], .c = array_classes(), .births = m->births};
    if (!lane.c || !find_hole(&lane)) {
        forget_exception();
        return false;
    }
    if ((m->tape && !m->part) || !can_enter(&lane, operands)) return false;
    if (m->part) {
        lane.copies = copies_create(m->heap, lane.runs);
        part_take_copies(m->heap, m->part, key, lane.copies);
    }
    Cells *whole = new_born_cells(m->heap, RECORD, 4, lane.births++);
    whole->cells[0] = nothing();
    for (int i = FUNCTION; i <= KEYWORDS; i++) {
        lane.captures = i == FUNCTION;
        enter(&lane, operands[i], &whole->cells[1 + i]);
    }
    m->births = lane.births;
    *result = of_object(RECORD, whole);
    return true;
}
