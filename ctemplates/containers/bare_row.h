/* Bare rows: reals where the caller has them, as the items of lanes (at_once/lane_loop.h).
 *
 * What always holds: only strips and units read their items (machine/translated.h). To all else a bare row is a plain
 * tuple without elements, so whoever does not know it finds no item, and refuses the step before any effect. Its birth is
 * one that no object of a run gets, and one that no other of the first FEW_BARE_ROWS of a run has.
 */
#ifndef CK_BARE_ROW_H
#define CK_BARE_ROW_H

#include "memory/heap.h"

enum { FEW_BARE_ROWS = 64 };

/* layout: that of a plain tuple. item: the one that was read last. */
typedef struct BareRow {
    Object head;
    Value layout;
    const double *reals;
    int64_t count;
    Value item;
} BareRow;

/* Returns a new row, the one with this number; the reals stay the caller's, and have to outlive it. */
static inline Value new_bare_row(Heap *heap, uint32_t number, const double *reals, int64_t count) {
    enum { CELLS = (sizeof(BareRow) - sizeof(Cells)) / sizeof(Value) };
    BareRow *row = (BareRow *)new_cells(heap, RECORD, CELLS);
    row->head.length = 1;
    row->head.birth = (LARGEST_BIRTH - number % FEW_BARE_ROWS) & LARGEST_BIRTH;
    row->layout = row->item = nothing();
    row->reals = reals;
    row->count = count;
    return of_object(RECORD, row);
}

/* Returns the row that a plain tuple is; NULL: it is none. */
static inline BareRow *bare_row_in(Value v) {
    return v.object->length == 1 && v.object->birth > LARGEST_BIRTH - FEW_BARE_ROWS ? (BareRow *)v.object : NULL;
}

#endif
