/* Rows of reals: see real_rows.h. */
#include "accumulators/real_rows.h"

static size_t bytes_of(int64_t room) { return sizeof(RealRow) + (size_t)room * sizeof(double); }

RealRow *real_row_create(FieldMap *map, uint64_t birth, int64_t count) {
    RealRow *row = heap_allocate(map->heap, bytes_of(count));
    *map->bytes += bytes_of(count);
    memset(row, 0, bytes_of(count));
    row->count = row->room = count;
    field_map_enter(map, birth, FIELD_OF_REALS)->cotangent.object = (Object *)(void *)row;
    return row;
}

void real_row_remove(FieldMap *map, uint64_t birth) {
    field_map_remove(map, field_map_place(map, birth, FIELD_OF_REALS));
}

void real_row_free(FieldMap *map, RealRow *row) {
    *map->bytes -= bytes_of(row->room);
    heap_free(map->heap, row, bytes_of(row->room));
}
