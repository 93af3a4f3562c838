/* Rows: the accumulators of one field of objects that were made one after another, as the pairs of a list.
 *
 * In: births, and fields below ROW_FIELDS. Out: the accumulator of a field, found without hashing where the last one was in
 * the same row. A row has a bit for each accumulator that is there; others are 0. A row without any is freed.
 *
 * What always holds: all memory is the cotangent's. Who makes a row moves to it what the map had for its births.
 */
#ifndef CK_BIRTH_ROWS_H
#define CK_BIRTH_ROWS_H

#include "state/cotangent.h"

enum { ROW_BIRTHS = 16, ROW_FIELDS = 4 };

struct BirthRow {
    uint64_t key;
    uint64_t present;
    Value cotangents[ROW_BIRTHS];
};

static inline uint64_t birth_row_key(uint64_t birth, int64_t field) {
    return (birth / ROW_BIRTHS * ROW_FIELDS + (uint64_t)field) + 1;
}
static inline RowUse *birth_row_use(Cotangent *c, uint64_t key) { return &c->rows.uses[(key - 1) / ROW_FIELDS % ROW_WAYS]; }

BirthRow *birth_row_search(Cotangent *c, uint64_t key);
/* Returns the row of a field; NULL: there is none. */
static inline BirthRow *birth_row_of(Cotangent *c, uint64_t birth, int64_t field) {
    if (!c->rows.count || (uint64_t)field >= ROW_FIELDS) return NULL;
    const uint64_t key = birth_row_key(birth, field);
    const RowUse *use = birth_row_use(c, key);
    return LIKELY(use->key == key) ? use->row : birth_row_search(c, key);
}
BirthRow *birth_row_create(Cotangent *c, uint64_t birth, int64_t field); /* it has none; the new one is empty */
void birth_row_free(Cotangent *c, BirthRow *row);

static inline uint64_t birth_row_bit(uint64_t birth) { return UINT64_C(1) << birth % ROW_BIRTHS; }
static inline bool birth_row_has(const BirthRow *row, uint64_t birth) { return row->present & birth_row_bit(birth); }
/* Returns the accumulator of a birth, which is there from now on. */
static inline Value *birth_row_at(BirthRow *row, uint64_t birth) {
    row->present |= birth_row_bit(birth);
    return &row->cotangents[birth % ROW_BIRTHS];
}
static inline Value birth_row_take(Cotangent *c, BirthRow *row, uint64_t birth) {
    const Value taken = take_accumulator(&row->cotangents[birth % ROW_BIRTHS]);
    if (UNLIKELY(!(row->present &= ~birth_row_bit(birth)))) birth_row_free(c, row);
    return taken;
}

void birth_rows_destroy(Cotangent *c);

#endif
