/* A map from (birth, field) to accumulators: an open hash table with linear probing. Removing an entry moves later ones up,
 * so there are no tombstones.
 *
 * In: births, 0 for none, and fields. Out: entries, which stay where they are until another one is made or removed.
 *
 * What always holds: an accumulator that is not a REAL has one owner, so moving it is free. At least a quarter of the table
 * is empty.
 */
#ifndef CK_FIELD_MAP_H
#define CK_FIELD_MAP_H

#include <string.h>

#include "memory/heap.h"

enum { FIRST_ENTRIES = 64 };

typedef struct Entry { /* birth 0: empty */
    uint64_t birth;
    int64_t field;
    Value cotangent;
} Entry;
typedef struct FieldMap {
    Heap *heap;
    size_t *bytes; /* to which it adds what it has */
    Entry *all;
    size_t count, room; /* room: 0, or a power of 2 */
    uint32_t shift;
} FieldMap;

static inline size_t field_map_home(const FieldMap *map, uint64_t birth, int64_t field) {
    const uint64_t mixed = birth * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)field * UINT64_C(0xC2B2AE3D27D4EB4F);
    return (size_t)((mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93) >> map->shift);
}
/* Returns where the entry of a key is, or may be put; there is room. */
static inline Entry *field_map_place(const FieldMap *map, uint64_t birth, int64_t field) {
    const Entry *all = map->all;
    size_t i = field_map_home(map, birth, field);
    while (all[i].birth && (all[i].birth != birth || all[i].field != field)) i = (i + 1) & (map->room - 1);
    return &map->all[i];
}
/* Returns the entry of a key; NULL: there is none. */
static inline Entry *field_map_find(const FieldMap *map, uint64_t birth, int64_t field) {
    Entry *entry = map->count ? field_map_place(map, birth, field) : NULL;
    return entry && entry->birth ? entry : NULL;
}

static inline void field_map_free(FieldMap *map, Entry *entries, size_t room) {
    if (!entries) return;
    *map->bytes -= room * sizeof(Entry);
    heap_free(map->heap, entries, room * sizeof(Entry));
}
static inline void field_map_grow(FieldMap *map) {
    Entry *old = map->all;
    const size_t old_room = map->room, room = old_room ? old_room * 2 : FIRST_ENTRIES;
    Entry *entries = heap_allocate(map->heap, room * sizeof(Entry));
    *map->bytes += room * sizeof(Entry);
    map->all = memset(entries, 0, room * sizeof(Entry));
    map->room = room;
    map->shift = 64 - (uint32_t)__builtin_ctzll(room);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].birth) *field_map_place(map, old[i].birth, old[i].field) = old[i];
    field_map_free(map, old, old_room);
}

/* Returns a new entry, with the cotangent 0, for a key that has none. */
static inline Entry *field_map_enter(FieldMap *map, uint64_t birth, int64_t field) {
    if (UNLIKELY(4 * (map->count + 1) > 3 * map->room)) field_map_grow(map);
    Entry *entry = field_map_place(map, birth, field);
    *entry = (Entry){birth, field, of_real(0.0)};
    map->count++;
    return entry;
}
/* Removes an entry, whose cotangent is the caller's. */
static inline void field_map_remove(FieldMap *map, const Entry *entry) {
    const size_t mask = map->room - 1;
    Entry *all = map->all;
    size_t hole = (size_t)(entry - all);
    for (size_t i = (hole + 1) & mask; all[i].birth; i = (i + 1) & mask) {
        const size_t wanted = field_map_home(map, all[i].birth, all[i].field);
        if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
        all[hole] = all[i];
        hole = i;
    }
    all[hole].birth = 0;
    map->count--;
}

#endif
