/* The tape of a step that copies the fields of objects to those of new objects, many at once.
 *
 * In: for each run of fields in a row, the objects' births and the first fields. It is reversed by field_actions.h.
 */
#ifndef CK_COPIES_H
#define CK_COPIES_H

#include "memory/heap.h"

typedef struct FieldRun {
    uint64_t from, to;     /* births */
    int64_t first, made;   /* the first field there, and its copy here */
    int64_t count;
} FieldRun;

typedef struct Copies {
    size_t count, room;
    FieldRun runs[];
} Copies;

static inline size_t copies_bytes(const Copies *copies) { return sizeof(Copies) + copies->room * sizeof(FieldRun); }

static inline Copies *copies_create(Heap *heap, size_t room) {
    Copies *copies = heap_allocate(heap, sizeof(Copies) + room * sizeof(FieldRun));
    copies->count = 0;
    copies->room = room;
    return copies;
}

static inline void copies_destroy(Heap *heap, Copies *copies) { heap_free(heap, copies, copies_bytes(copies)); }

/* Adds a field and its copy; there is room for as many runs. An object of birth 0, which no run has made, receives
 * nothing: what the copy has is nobody's. */
static inline void copies_add(Copies *copies, FieldRun one) {
    FieldRun *last = copies->count ? &copies->runs[copies->count - 1] : NULL;
    if (last && last->from == one.from && last->to == one.to && last->first + last->count == one.first &&
        last->made + last->count == one.made)
        last->count += one.count;
    else
        copies->runs[copies->count++] = one;
}

#endif
