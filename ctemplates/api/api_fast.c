/* Entry points for translated code: see api_fast.h. */
#include "api/api_fast.h"

#include "containers/containers.h"
#include "driver/abreast.h"
#include "machine/fast.h"
#include "natives/natives_derive.h"
#include "operators/inner.h"
#include "threads/pool.h"
#include "threads/team.h"
#include "unit_arrays/unit_reading.h"

_Static_assert(sizeof(uintptr_t) == sizeof(void *), "references are addresses");

uintptr_t ck_services(void) { return (uintptr_t)&SERVICES; }

uint64_t ck_unit_runs(void) { return unit_runs(); }

void ck_set_threads(int threads) { pool_set_threads(threads); }
int ck_threads(void) { return pool_threads(); }
uint64_t ck_strips_by_helpers(void) { return strips_by_helpers(); }
void ck_wait_for_helpers(int waits) { team_waits_for_helpers(waits != 0); }

void ck_set_base(int64_t steps) { set_base_steps(steps); }
void ck_watch_inner(int64_t steps) { inner_watch(steps); }
void ck_inner_taken(void *procedure, int64_t patience, int64_t *steps, int64_t *runs) {
    inner_taken(procedure, patience, steps, runs);
}

uint64_t ck_segments_abreast(void) { return segments_abreast(); }

size_t ck_unit_bytes(void) { return sizeof(Unit); }
size_t ck_entry_bytes(void) { return sizeof(UnitEntry); }

void ck_unit_begin(void *unit, const uintptr_t *references) {
    *(Unit *)unit = (Unit){.references = (const void *const *)(const void *)references};
}

void ck_unit_plain(void *unit, uintptr_t plain) {
    __atomic_store_n(&((Unit *)unit)->plain, (RunUnit *)plain, __ATOMIC_RELEASE);
}

/* Stores the taped form, `reverse` first, so that anything recorded can be reversed. */
void ck_unit_taped(void *memory, uintptr_t tape, uintptr_t reverse, uintptr_t abreast, uint32_t header) {
    Unit *unit = memory;
    unit->header = header;
    unit->abreast = (TapeAbreast *)abreast;
    unit->reverse = (ReverseUnit *)reverse;
    __atomic_store_n(&unit->tape, (RunUnit *)tape, __ATOMIC_RELEASE);
}

void ck_entry_fill(void *entry, const void *unit, uint32_t head, uintptr_t next) {
    *(UnitEntry *)entry = (UnitEntry){.unit = unit, .head = head, .next = (const UnitEntry *)next};
}

/* Shapes */

enum { SHARED = 32 };

typedef struct Shapes {
    Heap *heap;
    int64_t *numbers;
    size_t count, room;
    uint32_t left; /* of the current parameter */
    const Object *shared[SHARED]; /* environments that are listed already; closures of one are often together */
    uint32_t shared_count;
    bool full;
} Shapes;

enum { PLAIN_TUPLE = 1, TEXT = 2, FIRST_ALONE = -1 };

/* Returns the components of a value: of a list its first element. */
static const Value *shape_parts(Value v, uint32_t *count) {
    const Value *parts = parts_in(v, count);
    if (kind_of(v) == LIST) *count = *count != 0;
    return parts;
}

/* Returns the layout of an instance or a record (1: it is a plain tuple), the procedure of a closure, the tag of a dual, 2
 * for a string, what translated code makes of a handle of an array (unit_elements.h), or 0. */
static int64_t detail_of(Value v) {
    const Kind kind = kind_of(v);
    if (kind == DUAL) return (int64_t)v.object->birth;
    if (kind == REAL) return v.integer;
    if (kind == CLOSURE || kind == PROCEDURE) return (int64_t)(uintptr_t)procedure_of(v);
    if (kind != INSTANCE && kind != RECORD) return is_text(v) ? TEXT : element_kind(v);
    const Value layout = kind == INSTANCE ? instance_in(v)->layout : cells_of(v)[0];
    return layout.tag == NOTHING ? PLAIN_TUPLE : (int64_t)(uintptr_t)((Foreign *)layout.object)->python;
}

/* Returns whether the components of an object are listed already; those of an environment are from now on. */
static bool is_listed(Shapes *t, Value v) {
    if (kind_of(v) != ENVIRONMENT) return false;
    for (uint32_t i = 0; i < t->shared_count; i++)
        if (t->shared[i] == v.object) return true;
    if (t->shared_count < SHARED) t->shared[t->shared_count++] = v.object;
    return false;
}

/* Returns the depth of the components of a value. What the closures of a function that is a value have captured, a
 * record of them for each number of arguments, is as deep as it is: other functions, perhaps. */
static uint32_t below(const Shapes *t, Value v, uint32_t depth) {
    const bool is_record = kind_of(v) == RECORD && kind_of(cells_of(v)[0]) == FOREIGN;
    return is_record && layout_is_overloads(t->heap, python_in(cells_of(v)[0])) ? depth + 2 : depth - 1;
}

/* Returns the address of an object (0: none), and in its lowest bits whether it is a constant, and whether the procedure
 * that runs has held it from the beginning. */
static int64_t address_of(const Shapes *t, Value v) {
    if (!is_counted(v)) return 0;
    const bool is_own = v.object->birth && v.object->birth < t->heap->own_before;
    return (int64_t)((uintptr_t)v.object | v.object->constant | (uintptr_t)is_own << 1);
}

static void add_shape(Shapes *t, Value v, uint32_t depth) {
    const Kind kind = kind_of(v);
    uint32_t count;
    Value environment;
    const Value *parts = shape_parts(v, &count);
    if (kind == CLOSURE) {
        environment = of_object(ENVIRONMENT, v.object);
        parts = &environment;
        count = 1;
    }
    const bool cut = !depth || count > t->left || is_listed(t, v);
    const bool shows_first = cut && depth && t->left && detail_of(v) == PLAIN_TUPLE && count;
    if (cut) count = shows_first;
    t->left -= count;
    if (t->room - t->count < 4) {
        t->full = true;
        return;
    }
    t->numbers[t->count++] = (int64_t)kind;
    t->numbers[t->count++] = detail_of(v);
    t->numbers[t->count++] = address_of(t, v);
    t->numbers[t->count++] = shows_first ? FIRST_ALONE : (int64_t)count;
    for (uint32_t i = 0; i < count; i++) add_shape(t, load(&parts[i]), below(t, v, depth));
}

size_t ck_parameter_shapes(const Held *held, uint32_t depth, uint32_t most, int64_t *numbers, size_t room) {
    const Machine *machine = held_machine(held);
    if (!machine || machine->index) return 0;
    Shapes shapes = {.heap = machine->heap, .numbers = numbers, .room = room};
    for (uint32_t i = 0; i < machine->block->parameter_count; i++) {
        shapes.left = most - 1;
        add_shape(&shapes, load(&machine->registers[machine->block->parameters[i]]), depth);
    }
    return shapes.full ? 0 : shapes.count;
}

/* Returns where the innermost frame of a loop over lanes returns to, or one so many calls outwards, and what it has
 * saved; NULL: there is none. */
static const ReturnPoint *lane_frame(const Held *held, uint32_t outwards, const Value **saved) {
    const Machine *machine = held_machine(held);
    if (!machine) return NULL;
    FrameWalk walk = stack_walk(&machine->stack);
    FrameHead head;
    bool is_found = false;
    while (stack_next(&walk, &head, saved)) {
        is_found = is_found || head.point->lane;
        if (is_found && !outwards--) return head.point;
    }
    return NULL;
}

size_t ck_lane_shapes(const Held *held, uint32_t depth, uint32_t most, int64_t *numbers, size_t room,
                      const Block **block) {
    const Value *saved;
    const ReturnPoint *point = lane_frame(held, 0, &saved);
    if (!point) return 0;
    Shapes shapes = {.heap = held_machine(held)->heap, .numbers = numbers, .room = room};
    for (uint32_t i = 0; i < point->count; i++) {
        shapes.left = most - 1;
        add_shape(&shapes, load(&saved[i]), depth);
    }
    *block = point->block;
    return shapes.full ? 0 : shapes.count;
}

const Block *ck_lane_block(const Held *held, uint32_t outwards) {
    const Value *saved;
    const ReturnPoint *point = lane_frame(held, outwards, &saved);
    return point ? point->block : NULL;
}

int64_t ck_lane_integer(const Held *held, uint32_t outwards, uint32_t position) {
    const Value *saved;
    const ReturnPoint *point = lane_frame(held, outwards, &saved);
    return point && position < point->count && saved[position].tag == INTEGER ? saved[position].integer : 0;
}
