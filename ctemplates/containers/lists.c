/* Lists: see lists.h. */
#include "containers/lists.h"

enum { LEAST_ROOM = 4 };

static List *empty_list(Heap *heap, size_t room, uint64_t owner) {
    Value *values = room ? heap_allocate(heap, room * sizeof(Value)) : NULL;
    List *list = (List *)new_object(heap, LIST, sizeof(List));
    list->storage.owner = owner;
    list->length = 0;
    list->room = room;
    list->values = values;
    return list;
}

Value new_list(Heap *heap, size_t length, uint64_t owner) {
    List *list = empty_list(heap, length, owner);
    list->length = length;
    return of_object(LIST, list);
}

Value born_list(Machine *m, size_t length) { return born(m, new_list(m->heap, length, m->writer.epoch)); }

void list_destroy(Heap *heap, List *list) {
    for (size_t i = 0; i < list->length; i++) {
        while (i + AT_ONCE <= list->length && are_uncounted(&list->values[i])) i += AT_ONCE;
        if (i < list->length) drop(heap, list->values[i]);
    }
    if (list->room) heap_free(heap, list->values, list->room * sizeof(Value));
}

void list_resize(Heap *heap, List *list, size_t room) {
    const size_t size = sizeof(Value);
    list->values = list->room ? heap_resize(heap, list->values, list->room * size, room * size)
                              : heap_allocate(heap, room * size);
    list->room = room;
}

static Storage *copied_list(Heap *heap, const List *list) {
    List *copy = empty_list(heap, list->length, NOBODY);
    copy->length = list->length;
    copy->storage.head.birth = list->storage.head.birth;
    for (size_t i = 0; i < list->length; i++) copy->values[i] = copied(list->values[i]);
    return &copy->storage;
}

/* Returns how many elements a list is to have room for that needs it for so many. */
static size_t new_room(Heap *heap, const List *list, size_t length) {
    const size_t larger = list->room + list->room / 2 + LEAST_ROOM;
    if (length < list->length + 2 || length > heap->foreseen) return larger < length ? length : larger;
    const size_t all = heap->foreseen;
    heap->foreseen = 0;
    return all;
}

bool change_list(Machine *m, List *list, size_t more) {
    if (list->storage.owner == FROZEN) return false;
    const size_t length = list->length + more;
    if (length > list->room) list_resize(m->heap, list, new_room(m->heap, list, length));
    if (must_save(m, &list->storage))
        writer_save(m->heap, &m->writer, &list->storage, copied_list(m->heap, list));
    begin_change(m, &list->storage);
    return true;
}
