/* The collector of containers that nothing but themselves refers to.
 *
 * Objects are freed when their last reference is dropped; those on a cycle of references never are. A cycle has a
 * container on it that was changed to refer to an object. Such a container is a *suspect*, from its first change of that
 * kind until it is freed. When there are many, `collect` finds what suspects reach, and which of that is referred to
 * from there alone (trial deletion: Bacon and Rajan, "Concurrent cycle collection in reference counted systems", 2001).
 *
 * What always holds: collecting changes no value. It is called between slices of a run, when every reference is
 * counted. The number of suspects doubles between two collections, at least, so they take a bounded share of the time.
 */
#ifndef CK_COLLECTOR_H
#define CK_COLLECTOR_H

#include "state/versions.h"

/* Of a heap. A suspect's `length` is its place, counted from 1. */
typedef struct Suspects {
    uint32_t count, room;
    uint32_t bound; /* how many call for a collection */
    Storage **all;
} Suspects;

void suspects_add(Heap *heap, Storage *container);
void suspects_remove(Heap *heap, const Storage *container);
void collect(Heap *heap);

/* The most steps between two looks at the suspects, once there has been one. */
#define SUSPICIOUS_SLICE (INT64_C(1) << 18)

static inline bool has_suspects(const Heap *heap) { return heap->suspects != NULL; }
static inline bool must_collect(const Heap *heap) {
    return heap->suspects && heap->suspects->count > heap->suspects->bound;
}

/* Notes that a container has been changed to refer to a value. */
static inline void note_reference(Heap *heap, Storage *container, Value v) {
    if (kind_of(v) >= PAIR && kind_of(v) != FOREIGN && kind_of(v) != DUAL && !container->head.length)
        suspects_add(heap, container);
}

#endif
