/* The tape of one step of arithmetic on duals, as in interp/hybrid/structured.py.
 *
 * In: operands and the registers of their slots; later the cotangent of the result. Out: the result without nodes;
 * later the accumulators of the operands.
 *
 * What always holds: nodes are numbered in the order in which they are made, the components of the operands first (the
 * *leaves*), then one for each entry; a constant of the program has no nodes. Reversal adds to the operands of the last
 * entry first, and within an entry to the last operand first.
 */
#include "scalars/step_tape.h"

#include "scalars/duals.h"

typedef struct StepEntry {
    uint32_t inputs[2]; /* nodes; the first `count` */
    double slopes[2];
    uint8_t count;
    bool singular;
} StepEntry;

typedef struct Leaf {
    Register place;
    Value number; /* as it was lifted */
} Leaf;

struct StepTape {
    Leaf leaves[2];
    uint32_t leaf_count;
    uint32_t leaf_nodes; /* the number of nodes of the leaves */
    uint32_t count, room;
    StepEntry *entries;
    Value result; /* with its nodes */
};

static Value node(uint32_t index, double value) {
    return (Value){.tag = (uint64_t)index << 8 | NODE, .real = value};
}
static uint32_t node_index(Value v) { return (uint32_t)upper(v); }

Value step_tape_record(
    Numbers *numbers, const Scalar *scalar, const Value *operands, const double *slopes, double value) {
    StepTape *tape = numbers->tape;
    if (tape->count == tape->room) {
        const uint32_t room = tape->room ? 2 * tape->room : 8;
        tape->entries = heap_resize(
            numbers->heap, tape->entries, tape->room * sizeof(StepEntry), room * sizeof(StepEntry));
        tape->room = room;
    }
    StepEntry *entry = &tape->entries[tape->count];
    *entry = (StepEntry){.singular = scalar->singular};
    for (uint32_t i = 0; i < scalar->arity; i++) {
        if (kind_of(operands[i]) != NODE || is_flat(scalar, i)) continue;
        entry->inputs[entry->count] = node_index(operands[i]);
        entry->slopes[entry->count++] = slopes[i];
    }
    return node(tape->leaf_nodes + tape->count++, value);
}

/* Returns the number with each of its reals as a new leaf. */
static Value with_nodes(Heap *heap, StepTape *tape, Value number) {
    if (kind_of(number) != DUAL) return node(tape->leaf_nodes++, number.real);
    Value primal = with_nodes(heap, tape, cells_of(number)[0]);
    return dual_of(heap, number.object->birth, primal, with_nodes(heap, tape, cells_of(number)[1]));
}

static Value without_nodes(Heap *heap, Value number) {
    if (kind_of(number) != DUAL) return kind_of(number) == NODE ? of_real(number.real) : number;
    Value primal = without_nodes(heap, cells_of(number)[0]);
    return dual_of(heap, number.object->birth, primal, without_nodes(heap, cells_of(number)[1]));
}

StepTape *step_tape_create(Heap *heap) {
    StepTape *made = heap_allocate(heap, sizeof(StepTape));
    *made = (StepTape){.result = nothing()};
    return made;
}

/* Returns whether it consists of reals, so that it can be lifted. */
static bool is_plain(Value number) {
    if (kind_of(number) != DUAL) return number.tag == REAL;
    return is_plain(cells_of(number)[0]) && is_plain(cells_of(number)[1]);
}

Value step_tape_lift(Heap *heap, StepTape *tape, Value operand, Register place) {
    if (place == NO_REGISTER || !is_plain(operand)) return operand;
    for (uint32_t i = 0; i < tape->leaf_count; i++)
        if (tape->leaves[i].place == place) return tape->leaves[i].number;
    Leaf *leaf = &tape->leaves[tape->leaf_count++];
    *leaf = (Leaf){.place = place, .number = with_nodes(heap, tape, operand)};
    return leaf->number;
}

/* Frees the unused room: many tapes are kept. */
static void fit(Heap *heap, StepTape *tape) {
    if (tape->count == 0 || tape->count == tape->room) return;
    tape->entries =
        heap_resize(heap, tape->entries, tape->room * sizeof(StepEntry), tape->count * sizeof(StepEntry));
    tape->room = tape->count;
}

Value step_tape_close(Heap *heap, StepTape *tape, Value result) {
    tape->result = result;
    const Value plain = without_nodes(heap, result);
    fit(heap, tape);
    return plain;
}

size_t step_tape_bytes(const StepTape *tape) { return sizeof *tape + tape->room * sizeof(StepEntry); }

void step_tape_destroy(Heap *heap, StepTape *tape) {
    for (uint32_t i = 0; i < tape->leaf_count; i++) drop(heap, tape->leaves[i].number);
    drop(heap, tape->result);
    if (tape->entries) heap_free(heap, tape->entries, tape->room * sizeof(StepEntry));
    heap_free(heap, tape, sizeof *tape);
}

/* Reversal */

/* Loads a cotangent into the nodes of a number; a dual to which nothing was added has 0 everywhere. */
static void load_cotangent(double *adjoints, Value number, Value cotangent) {
    if (kind_of(number) == DUAL) {
        const bool both = kind_of(cotangent) == DUAL;
        load_cotangent(adjoints, cells_of(number)[0], both ? cells_of(cotangent)[0] : of_real(0.0));
        load_cotangent(adjoints, cells_of(number)[1], both ? cells_of(cotangent)[1] : of_real(0.0));
    } else if (kind_of(number) == NODE) {
        adjoints[node_index(number)] = cotangent.tag == REAL ? cotangent.real : 0.0;
    }
}

static Value gathered(Heap *heap, const double *adjoints, Value number) {
    if (kind_of(number) != DUAL) return of_real(adjoints[node_index(number)]);
    Value primal = gathered(heap, adjoints, cells_of(number)[0]);
    return dual_of(heap, number.object->birth, primal, gathered(heap, adjoints, cells_of(number)[1]));
}

static void propagate(const StepTape *tape, double *adjoints) {
    for (uint32_t at = tape->count; at-- > 0;) {
        const StepEntry *entry = &tape->entries[at];
        const double adjoint = adjoints[tape->leaf_nodes + at];
        if (entry->singular && adjoint == 0.0) continue;
        for (uint32_t i = entry->count; i-- > 0;) adjoints[entry->inputs[i]] += entry->slopes[i] * adjoint;
    }
}

void step_tape_reverse(Heap *heap, StepTape *tape, Value received, Value *window) {
    const size_t bytes = ((size_t)tape->leaf_nodes + tape->count) * sizeof(double);
    if (bytes == 0) return;
    double *adjoints = heap_allocate(heap, bytes);
    for (size_t i = 0; i < bytes / sizeof(double); i++) adjoints[i] = 0.0;
    load_cotangent(adjoints, tape->result, received);
    for (uint32_t i = 0; i < tape->leaf_count; i++)
        load_cotangent(adjoints, tape->leaves[i].number, window[tape->leaves[i].place]);
    propagate(tape, adjoints);
    for (uint32_t i = 0; i < tape->leaf_count; i++) {
        Value *accumulator = &window[tape->leaves[i].place];
        drop(heap, *accumulator);
        *accumulator = gathered(heap, adjoints, tape->leaves[i].number);
    }
    heap_free(heap, adjoints, bytes);
}
