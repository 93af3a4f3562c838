/* Rows: the accumulators of one field of objects that were made one after another, as the pairs of a list.
 *
 * In: births, and fields below ROW_FIELDS. Out: the accumulator of a field, found without hashing where the last one was in
 * the same row. A row has a bit for each accumulator that is there; others are 0. A row without any is freed.
 *
 * What always holds: a row owns its accumulators. Who makes a row moves to it what the map had for its births. A spare row
 * is empty.
 */
#ifndef CK_BIRTH_ROWS_H
#define CK_BIRTH_ROWS_H

#include "memory/heap.h"

enum { ROW_BIRTHS = 64, ROW_FIELDS = 4, ROW_WAYS = 8, SPARE_ROWS = 32 };

typedef struct BirthRow {
    uint64_t key;
    uint64_t present;
    Value cotangents[ROW_BIRTHS];
} BirthRow;
typedef struct RowUse { /* the row of a key that was used last; NULL: the key has none. key 0: none was */
    uint64_t key;
    BirthRow *row;
} RowUse;
typedef struct BirthRows {
    Heap *heap;
    size_t *bytes;  /* to which they add what they have */
    BirthRow **all; /* open addressing, by key */
    size_t count, room; /* room: 0, or a power of 2 */
    uint32_t shift;
    RowUse uses[ROW_WAYS];
    BirthRow *spares[SPARE_ROWS]; /* freed ones, for the next that are made */
    uint32_t spare_count;
} BirthRows;

static inline uint64_t birth_row_key(uint64_t birth, int64_t field) {
    return (birth / ROW_BIRTHS * ROW_FIELDS + (uint64_t)field) + 1;
}
static inline RowUse *birth_row_use(BirthRows *rows, uint64_t key) { return &rows->uses[(key - 1) / ROW_FIELDS % ROW_WAYS]; }

BirthRow *birth_row_search(BirthRows *rows, uint64_t key);
/* Returns the row of a field; NULL: there is none. */
static inline BirthRow *birth_row_of(BirthRows *rows, uint64_t birth, int64_t field) {
    if (!rows->count || (uint64_t)field >= ROW_FIELDS) return NULL;
    const uint64_t key = birth_row_key(birth, field);
    const RowUse *use = birth_row_use(rows, key);
    return LIKELY(use->key == key) ? use->row : birth_row_search(rows, key);
}
BirthRow *birth_row_create(BirthRows *rows, uint64_t birth, int64_t field); /* it has none; the new one is empty */
void birth_row_free(BirthRows *rows, BirthRow *row);

static inline uint64_t birth_row_bit(uint64_t birth) { return UINT64_C(1) << birth % ROW_BIRTHS; }
static inline bool birth_row_has(const BirthRow *row, uint64_t birth) { return row->present & birth_row_bit(birth); }
/* Returns the accumulator of a birth, which is there from now on. */
static inline Value *birth_row_at(BirthRow *row, uint64_t birth) {
    row->present |= birth_row_bit(birth);
    return &row->cotangents[birth % ROW_BIRTHS];
}
static inline Value birth_row_take(BirthRows *rows, BirthRow *row, uint64_t birth) {
    Value *place = &row->cotangents[birth % ROW_BIRTHS];
    const Value taken = load(place);
    store(place, of_real(0.0));
    if (UNLIKELY(!(row->present &= ~birth_row_bit(birth)))) birth_row_free(rows, row);
    return taken;
}

void birth_rows_destroy(BirthRows *rows);

#endif
