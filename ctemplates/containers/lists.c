/* Lists. What always holds: a run changes items only if no other run can see them. */
#include "containers/lists.h"

enum { LEAST_ROOM = 4 };

static Items *new_items(Heap *heap, size_t length, size_t room) {
    Value *values = room ? heap_allocate(heap, room * sizeof(Value)) : NULL;
    Items *items = heap_allocate(heap, sizeof(Items));
    *items = (Items){.handles = 1, .length = length, .room = room, .values = values};
    return items;
}

static Value new_list_handle(Heap *heap, Items *items, uint64_t owner) {
    List *list = (List *)new_object(heap, LIST, sizeof(List));
    list->storage.stale = NEVER;
    list->storage.owner = owner;
    list->items = items;
    return of_object(LIST, list);
}

Value new_list(Heap *heap, size_t length, uint64_t owner) {
    return new_list_handle(heap, new_items(heap, length, length), owner);
}

Value born_list(Machine *m, size_t length) { return born(m, new_list(m->heap, length, m->run)); }

void list_destroy(Heap *heap, List *list) {
    Items *items = list->items;
    if (--items->handles) return;
    for (size_t i = 0; i < items->length; i++) drop(heap, items->values[i]);
    if (items->room) heap_free(heap, items->values, items->room * sizeof(Value));
    heap_free(heap, items, sizeof(Items));
}

static void make_room(Heap *heap, Items *items, size_t length) {
    if (length <= items->room) return;
    size_t room = items->room + items->room / 2 + LEAST_ROOM;
    if (room < length) room = length;
    const size_t size = sizeof(Value);
    items->values = items->room ? heap_resize(heap, items->values, items->room * size, room * size)
                                : heap_allocate(heap, room * size);
    items->room = room;
}

static Items *copied_items(Heap *heap, const Items *items, size_t more) {
    Items *copy = new_items(heap, items->length, items->length + more);
    for (size_t i = 0; i < items->length; i++) copy->values[i] = copied(items->values[i]);
    return copy;
}

bool changed_list(Machine *m, int64_t steps, List *old, size_t more, Value *handle) {
    if (!is_writable(&old->storage, steps)) return false;
    Items *items = old->items;
    if (in_place(&old->storage, m)) {
        make_room(m->heap, items, items->length + more);
        items->handles++;
    } else {
        items = copied_items(m->heap, items, more);
    }
    *handle = new_list_handle(m->heap, items, m->run);
    inherit_birth(m, &old->storage.head, handle->object);
    supersede(&old->storage, steps);
    return true;
}
