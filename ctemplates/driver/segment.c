/* Taped segments: see segment.h. Searches start at the last one, which is mostly the one requested. */
#include "driver/segment.h"

#include "bridge/gil.h"

enum { FIRST_HELD = 8 };

void segment_drop(Heap *heap, Segment *segment) {
    const Segment dropped = *segment;
    *segment = (Segment){.tape = NULL};
    if (dropped.end) state_release(heap, dropped.end);
    if (!dropped.tape) return;
    void *lock = heap->unhelped ? NULL : python_lock(); /* once for all that is Python's on it */
    tape_destroy(dropped.tape);
    if (!heap->unhelped) python_unlock(lock);
}

static Segment *find(const Segments *held, int64_t from) {
    for (size_t i = held->count; i-- > 0;)
        if (held->all[i].from == from) return &held->all[i];
    return NULL;
}

void segments_add(Heap *heap, Segments *held, Segment *segment) {
    Segment earlier;
    if (segments_take(held, segment->from, &earlier)) segment_drop(heap, &earlier);
    if (held->count == held->room) {
        const size_t room = held->room ? 2 * held->room : FIRST_HELD;
        held->all = heap_resize(heap, held->all, held->room * sizeof(Segment), room * sizeof(Segment));
        held->room = room;
    }
    held->bytes += tape_held(segment->tape);
    held->all[held->count++] = *segment;
    *segment = (Segment){.tape = NULL};
}

bool segments_take(Segments *held, int64_t from, Segment *taken) {
    Segment *found = find(held, from);
    if (!found) return false;
    *taken = *found;
    held->bytes -= tape_held(found->tape);
    held->count--;
    for (; found < held->all + held->count; found++) *found = found[1];
    return true;
}

void segments_drop(Heap *heap, Segments *held) {
    for (size_t i = 0; i < held->count; i++) segment_drop(heap, &held->all[i]);
    heap_free(heap, held->all, held->room * sizeof(Segment));
    *held = (Segments){.all = NULL};
}
