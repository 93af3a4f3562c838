/* Rows of reals: the accumulators of the first fields of one birth, doubles in a row.
 *
 * In: births whose fields receive, or are taken, many at once: those of the columns and results of lanes. Out: their row,
 * which takes half the memory of pages, and one entry of the map of accumulators, of a field that no key and no page has.
 *
 * What always holds: the fields of a row have accumulators nowhere else. As fields are
 * taken, a row ends with the last that is not 0; an empty one is freed.
 */
#ifndef CK_REAL_ROWS_H
#define CK_REAL_ROWS_H

#include "accumulators/field_map.h"

enum { LONGEST_REALS = 1 << 14 }; /* twice as many as lanes run in a block (docs/design/lanes.md) */
#define FIELD_OF_REALS INT64_MIN

typedef struct RealRow {
    int64_t count, room;
    double reals[];
} RealRow;

static inline bool is_real_row(const Entry *entry) { return entry->field == FIELD_OF_REALS; }
static inline RealRow *real_row_in(const Entry *entry) { return (RealRow *)(void *)entry->cotangent.object; }

/* Returns the row of a birth; NULL: it has none. */
static inline RealRow *real_row_of(const FieldMap *map, uint64_t birth) {
    const Entry *entry = field_map_find(map, birth, FIELD_OF_REALS);
    return entry ? real_row_in(entry) : NULL;
}
/* Makes the row of a birth that has none: `count` accumulators, all 0. */
RealRow *real_row_create(FieldMap *map, uint64_t birth, int64_t count);
/* Removes a row from the map. Its memory is the caller's, to be freed by real_row_free. */
void real_row_remove(FieldMap *map, uint64_t birth);
void real_row_free(FieldMap *map, RealRow *row);

#endif
