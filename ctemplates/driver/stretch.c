/* Taped stretches: see stretch.h. What is asked for is mostly among the last. */
#include "driver/stretch.h"

#include "bridge/gil.h"

enum { FIRST_HELD = 8 };

void stretch_drop(Heap *heap, Stretch *stretch) {
    const Stretch dropped = *stretch;
    *stretch = (Stretch){.tape = NULL};
    if (dropped.end) state_release(heap, dropped.end);
    if (!dropped.tape) return;
    void *lock = python_lock();
    tape_destroy(dropped.tape);
    python_unlock(lock);
}

static Stretch *find(const Stretches *held, int64_t from) {
    for (size_t i = held->count; i-- > 0;)
        if (held->all[i].from == from) return &held->all[i];
    return NULL;
}

void stretches_add(Heap *heap, Stretches *held, Stretch *stretch) {
    Stretch earlier;
    if (stretches_take(held, stretch->from, &earlier)) stretch_drop(heap, &earlier);
    if (held->count == held->room) {
        const size_t room = held->room ? 2 * held->room : FIRST_HELD;
        held->all = heap_resize(heap, held->all, held->room * sizeof(Stretch), room * sizeof(Stretch));
        held->room = room;
    }
    held->bytes += tape_held(stretch->tape);
    held->all[held->count++] = *stretch;
    *stretch = (Stretch){.tape = NULL};
}

bool stretches_take(Stretches *held, int64_t from, Stretch *taken) {
    Stretch *found = find(held, from);
    if (!found) return false;
    *taken = *found;
    held->bytes -= tape_held(found->tape);
    held->count--;
    for (; found < held->all + held->count; found++) *found = found[1];
    return true;
}

void stretches_drop(Heap *heap, Stretches *held) {
    for (size_t i = 0; i < held->count; i++) stretch_drop(heap, &held->all[i]);
    heap_free(heap, held->all, held->room * sizeof(Stretch));
    *held = (Stretches){.all = NULL};
}
