/* The cotangent of a state: an accumulator for each of its locations.
 *
 * Accumulators (*amounts*) are values: REAL; DUAL with the amounts of primal and tangent; FOREIGN for those of
 * arrays (checkpoint/ad/amounts.py); the REAL 0 for one of any kind that nothing was added to. Those of the
 * present point stand in `window`, each in the register of its slot; those of frames on `stack`, each frame's
 * in the order of its saved slots, the top frame last; those of objects in a map from (birth, field).
 *
 * What always holds: every register, place of the stack and entry owns the amount in it. Between two blocks the
 * window has the amounts of the later point's slots; nobody relies on its other registers.
 */
#ifndef CK_COTANGENT_H
#define CK_COTANGENT_H

#include "program/points.h"
#include "state/machine.h"

typedef struct Entry { /* of the map: open addressing, birth 0 is empty */
    uint64_t birth;
    int64_t field;
    Value amount;
} Entry;

typedef struct AmountChunk { /* of the stack */
    struct AmountChunk *previous;
    size_t count, room;
    Value amounts[];
} AmountChunk;

typedef struct Backward Backward; /* reversal/backward.h */

typedef struct Cotangent {
    Heap *heap;
    Value *window;
    Value *scratch; /* as many: what an end has taken out of the window; owns nothing between two ends */
    uint32_t registers;
    AmountChunk *stack, *spare; /* the top chunk, never empty but for the lowest; one that was emptied */
    size_t stack_count;
    Entry *entries;
    size_t entry_count, entry_room; /* room: a power of 2 */
    uint32_t entry_shift;
    Backward **programs; /* how blocks are reversed that ran as a whole: a hash table */
    size_t program_count, program_room;
    size_t bytes; /* all that it has of the heap but the amounts that are objects */
    bool mixed; /* whether any amount may be something else than a REAL */
    uint8_t *rules; /* by the number of a Scalar: what its reversal has an operation of its own for */
    const Block *block; /* the point it belongs to */
    uint32_t index;
    void *peer; /* PyObject *: what reverses origins (checkpoint/ctarget/cotangent.py), borrowed */
} Cotangent;

Cotangent *cotangent_create(Heap *heap, void *peer);
void cotangent_destroy(Cotangent *cotangent); /* but for `programs` and `rules`, which reversal/ has given it */
void *cotangent_allocate(Cotangent *cotangent, size_t bytes); /* of its own: counted in its bytes */
void cotangent_free(Cotangent *cotangent, void *memory, size_t bytes);
void cotangent_reserve_slowly(Cotangent *cotangent, uint32_t registers);
static inline void cotangent_reserve(Cotangent *cotangent, uint32_t registers) {
    if (UNLIKELY(registers > cotangent->registers)) cotangent_reserve_slowly(cotangent, registers);
}

/* Amounts are consumed by what is given, and the caller's when taken. Birth 0 is given nothing. */
void cotangent_give(Cotangent *cotangent, uint64_t birth, int64_t field, Value amount);
Value cotangent_take(Cotangent *cotangent, uint64_t birth, int64_t field); /* removes it; 0 where nothing is */
Value *cotangent_find(Cotangent *cotangent, uint64_t birth, int64_t field); /* NULL: nothing is */
void cotangent_set(Cotangent *cotangent, uint64_t birth, int64_t field, Value amount);

void cotangent_push(Cotangent *cotangent, Value amount);
Value cotangent_pop(Cotangent *cotangent); /* 0 where the stack is empty */

/* a + b, consuming both; a is the accumulator. */
Value amount_add(Heap *heap, Value a, Value b);
static inline bool amount_is_zero(Value amount) { return amount.tag == REAL && amount.real == 0.0; }
static inline void amount_to(Heap *heap, Value *accumulator, Value amount) {
    if (LIKELY((accumulator->tag | amount.tag) == 0))
        accumulator->real += amount.real;
    else
        *accumulator = amount_add(heap, *accumulator, amount);
}
static inline Value amount_out(Value *accumulator) { /* what it was; 0 stays */
    const Value amount = load(accumulator);
    store(accumulator, of_real(0.0));
    return amount;
}
static inline void amount_clear(Heap *heap, Value *accumulator) {
    const Value amount = amount_out(accumulator);
    drop(heap, amount);
}

#endif
