/* Rows of accumulators: see birth_rows.h. They are found by a hash table with linear probing; removing one moves later
 * ones up.
 */
#include "accumulators/birth_rows.h"

#include <string.h>

enum { FIRST_ROWS = 16 };

static void *allocate(BirthRows *rows, size_t bytes) {
    void *memory = heap_allocate(rows->heap, bytes);
    *rows->bytes += bytes;
    return memset(memory, 0, bytes);
}
static void give_up(BirthRows *rows, void *memory, size_t bytes) {
    heap_free(rows->heap, memory, bytes);
    *rows->bytes -= bytes;
}

static size_t home(const BirthRows *rows, uint64_t key) { return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> rows->shift); }

/* Returns where the row of a key is, or may be put. */
static BirthRow **place_of(const BirthRows *rows, uint64_t key) {
    size_t i = home(rows, key);
    while (rows->all[i] && rows->all[i]->key != key) i = (i + 1) & (rows->room - 1);
    return &rows->all[i];
}

BirthRow *birth_row_search(BirthRows *rows, uint64_t key) {
    BirthRow *row = *place_of(rows, key);
    *birth_row_use(rows, key) = (RowUse){key, row};
    return row;
}

static void grow(BirthRows *rows) {
    BirthRow **old = rows->all;
    const size_t old_room = rows->room, room = old_room ? 2 * old_room : FIRST_ROWS;
    rows->all = allocate(rows, room * sizeof(BirthRow *));
    rows->room = room;
    rows->shift = 64 - (uint32_t)__builtin_ctzll(room);
    for (size_t i = 0; i < old_room; i++)
        if (old[i]) *place_of(rows, old[i]->key) = old[i];
    if (old) give_up(rows, old, old_room * sizeof(BirthRow *));
}

BirthRow *birth_row_create(BirthRows *rows, uint64_t birth, int64_t field) {
    if (2 * (rows->count + 1) > rows->room) grow(rows);
    BirthRow *row = rows->spare_count ? rows->spares[--rows->spare_count] : allocate(rows, sizeof *row); /* REALs, all 0 */
    row->key = birth_row_key(birth, field);
    *place_of(rows, row->key) = row;
    rows->count++;
    *birth_row_use(rows, row->key) = (RowUse){row->key, row};
    return row;
}

void birth_row_free(BirthRows *rows, BirthRow *row) {
    const size_t mask = rows->room - 1;
    RowUse *use = birth_row_use(rows, row->key);
    if (use->key == row->key) use->row = NULL;
    size_t hole = (size_t)(place_of(rows, row->key) - rows->all);
    for (size_t i = (hole + 1) & mask; rows->all[i]; i = (i + 1) & mask) {
        if (((i - home(rows, rows->all[i]->key)) & mask) < ((i - hole) & mask)) continue;
        rows->all[hole] = rows->all[i];
        hole = i;
    }
    rows->all[hole] = NULL;
    rows->count--;
    if (rows->spare_count < SPARE_ROWS)
        rows->spares[rows->spare_count++] = row;
    else
        give_up(rows, row, sizeof *row);
}

void birth_rows_destroy(BirthRows *rows) {
    for (size_t i = 0; i < rows->room; i++) {
        BirthRow *row = rows->all[i];
        if (!row) continue;
        for (int k = 0; k < ROW_BIRTHS; k++) drop(rows->heap, row->cotangents[k]);
        give_up(rows, row, sizeof *row);
    }
    while (rows->spare_count) give_up(rows, rows->spares[--rows->spare_count], sizeof(BirthRow));
    if (rows->all) give_up(rows, rows->all, rows->room * sizeof(BirthRow *));
}
