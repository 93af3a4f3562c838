/* The cotangent of a state: an accumulator for each of its locations.
 *
 * An accumulator is a Value: REAL; DUAL, with the accumulators of primal and tangent; FOREIGN, for arrays
 * (checkpoint/ad/accumulators.py); the REAL 0 for one of any kind to which nothing was added. Those of the slots at the
 * current point are in `window`, each in the register of its slot; those of frames are on `stack`, each frame's in the
 * order of its saved slots, the top frame last; those of objects are in a map from (birth, field). Where many fields in a
 * row receive one after another, as those of the items of lanes do, or a quarter of them in any order, as those of a table,
 * the map has pages of them (also cotangent_expect), or, where strips give to and take from many at once, rows of doubles
 * (real_rows.h); where objects do that were made one after another, as the pairs of a list, it has rows of them.
 *
 * What always holds: every register, stack place and entry owns its accumulator. Between two blocks the window has the
 * accumulators of the later point's slots; its other registers are undefined.
 */
#ifndef CK_COTANGENT_H
#define CK_COTANGENT_H

#include "program/points.h"
#include "accumulators/accumulator_sums.h"
#include "accumulators/birth_rows.h"
#include "accumulators/field_map.h"
#include "state/machine.h"
#include "accumulators/real_rows.h"

/* The accumulators of PAGE_FIELDS fields in a row. present: which of them there are; others are 0. */
enum { PAGE_BITS = 6, PAGE_FIELDS = 1 << PAGE_BITS, PAGE_WAYS = 8, ENTERED_WORDS = 16 };
typedef struct Page {
    uint64_t present;
    Value cotangents[PAGE_FIELDS];
} Page;

static inline uint64_t page_bit(int64_t field) { return UINT64_C(1) << (field % PAGE_FIELDS); }

/* Returns whether an entry is that of a page, whose field no key has. */
static inline bool is_page(const Entry *entry) { return entry->field < -FIRST_INTERNED && !is_real_row(entry); }
static inline Page *page_in(const Entry *entry) { return (Page *)(void *)entry->cotangent.object; }

/* The page of a birth that was used last, and the fields that are expected to receive. birth 0: none. */
typedef struct PageUse {
    uint64_t birth;
    int64_t number, first, count;
    Page *page; /* NULL: there is none */
} PageUse;

/* How the fields of a birth that have no page receive. in_turn: how many have one after another, each near the last. */
typedef struct FieldTurn {
    uint64_t birth;
    int64_t last, in_turn;
} FieldTurn;

/* Fields of a birth that have received without a page. made: about how many are there; end: all are below. */
typedef struct FieldSpread {
    uint64_t birth;
    int64_t made, end;
} FieldSpread;

typedef struct AccumulatorChunk { /* of the stack */
    struct AccumulatorChunk *previous;
    size_t count, room;
    Value cotangents[];
} AccumulatorChunk;
static inline size_t accumulator_chunk_bytes(size_t room) { return sizeof(AccumulatorChunk) + room * sizeof(Value); }

typedef struct Backward Backward; /* reversal/backward.h */

typedef struct Cotangent {
    Heap *heap;
    Value *window;
    Value *scratch; /* as many: those that an end has taken out of the window; owns nothing between two ends */
    uint32_t registers;
    AccumulatorChunk *stack, *spare; /* the top chunk, never empty but for the lowest; one that was emptied */
    size_t stack_count;
    FieldMap map;
    size_t page_count, real_row_count; /* page_count: with rows of reals */
    uint64_t paged; /* the bits (paged_bit) of births that have pages, and maybe of others */
    uint64_t entered[ENTERED_WORDS]; /* a bit for fields as a page has them, with entries of their own; maybe for others */
    PageUse uses[PAGE_WAYS]; /* by birth */
    BirthRows rows;
    uint64_t strewn; /* the bits (strewn_bit) of births that have entries outside of rows and pages, and maybe of others */
    uint64_t last_birth, in_turn; /* the birth that has received last; how many without a row have in turn, each near the last */
    Backward **programs; /* the programs of blocks that ran as a whole: a hash table */
    size_t program_count, program_room;
    size_t bytes; /* all its memory in the heap but the cotangents that are objects */
    size_t fixed; /* of these, the bytes that depend on the code alone: of registers, programs and rules */
    uint64_t unread, unread_count; /* births from the first on whose cotangents nobody reads: giving to them does nothing */
    bool mixed; /* whether any cotangent may be anything but a REAL */
    uint8_t *rules; /* by the number of a Scalar: the rule with an operation of its own that reverses it */
    const Block *block; /* the point it belongs to */
    uint32_t index;
    FieldTurn turns[PAGE_WAYS]; /* by birth */
    FieldSpread spreads[PAGE_WAYS]; /* by birth */
    const struct Tape *tape; /* that is reversed */
    uint32_t ahead;          /* how many runs below the last one have been reversed with it */
    void *helper; /* PyObject *: the helper that reverses origins (checkpoint/ctarget/cotangent.py), borrowed; NULL: a tape
                     that needs it FAILS */
} Cotangent;

static inline uint64_t paged_bit(uint64_t birth) { return UINT64_C(1) << (birth * UINT64_C(0x9E3779B97F4A7C15) >> 58); }
/* Returns whether a birth may have pages. */
static inline bool may_be_paged(const Cotangent *c, uint64_t birth) { return c->paged & paged_bit(birth); }

Cotangent *cotangent_create(Heap *heap, void *helper);
void cotangent_destroy(Cotangent *c); /* but for `programs` and `rules`, which reversal/ allocates */
void *cotangent_allocate(Cotangent *c, size_t bytes); /* of its own: counted in its bytes */
void *cotangent_allocate_fixed(Cotangent *c, size_t bytes);
void cotangent_free(Cotangent *c, void *memory, size_t bytes);
void cotangent_reserve_slowly(Cotangent *c, uint32_t registers);
static inline void cotangent_reserve(Cotangent *c, uint32_t registers) {
    if (UNLIKELY(registers > c->registers)) cotangent_reserve_slowly(c, registers);
}

/* Giving consumes an accumulator, taking makes it the caller's. Giving to birth 0, or to an unread one, does nothing. */
void cotangent_give(Cotangent *c, uint64_t birth, int64_t field, Value cotangent);
Value cotangent_take(Cotangent *c, uint64_t birth, int64_t field); /* removes it; 0 if there is none */
Value *cotangent_find(Cotangent *c, uint64_t birth, int64_t field); /* NULL: there is none */
void cotangent_set(Cotangent *c, uint64_t birth, int64_t field, Value cotangent);

/* Says that most of `count` fields in a row are about to receive: they get pages. */
void cotangent_expect(Cotangent *c, uint64_t birth, int64_t first, int64_t count);

/* For rows (cotangent_rows.c). Return the page of a field, and the row of reals that has it; NULL: there is none. A row is
 * made into pages where one of its fields is wanted as a Value. */
Page *cotangent_page(Cotangent *c, uint64_t birth, int64_t field);
RealRow *cotangent_row(Cotangent *c, uint64_t birth, int64_t field);
void cotangent_free_page(Cotangent *c, uint64_t birth, int64_t field, Page *page);
RealRow *cotangent_new_row(Cotangent *c, uint64_t birth, int64_t count); /* no field of it has an accumulator */
void cotangent_end_row(Cotangent *c, uint64_t birth, RealRow *row, int64_t count); /* what is behind has been taken */
Value *cotangent_accumulator(Cotangent *c, uint64_t birth, int64_t field);         /* made as 0 if there was none */
/* Returns whether some field of those that a page with this one has may have an entry of its own. */
bool cotangent_may_be_entered(Cotangent *c, uint64_t birth, int64_t field);

static inline bool is_zero_cotangent(Value cotangent) { return cotangent.tag == REAL && cotangent.real == 0.0; }
static inline void accumulate(Heap *heap, Value *accumulator, Value cotangent) {
    if (LIKELY((accumulator->tag | cotangent.tag) == 0))
        accumulator->real += cotangent.real;
    else
        *accumulator = accumulator_sum(heap, *accumulator, cotangent);
}
static inline Value take_accumulator(Value *accumulator) { /* returns the old content; 0 remains */
    const Value cotangent = load(accumulator);
    store(accumulator, of_real(0.0));
    return cotangent;
}
static inline void clear_accumulator(Heap *heap, Value *accumulator) {
    const Value cotangent = take_accumulator(accumulator);
    drop(heap, cotangent);
}

#endif
