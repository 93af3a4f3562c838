/* Lists and dictionaries as objects of the heap, and what the native steps share (containers.h, natives.h).
 *
 * In: the machine, handles. Out: new handles, with births where they are a step's result. What always holds:
 * whoever changes items is the only run that can see them.
 */
#include <string.h>

#include "natives/natives.h"

enum { LEAST_ROOM = 4 };

static Items *new_items(Heap *heap, size_t length, size_t room) {
    Value *values = room ? heap_allocate(heap, room * sizeof(Value)) : NULL;
    Items *items = heap_allocate(heap, sizeof(Items));
    *items = (Items){.handles = 1, .length = length, .room = room, .values = values};
    return items;
}

static Value new_list_handle(Heap *heap, Items *items, uint64_t owner) {
    List *list = (List *)new_object(heap, LIST, sizeof(List));
    list->stale = NEVER;
    list->owner = owner;
    list->items = items;
    return of_object(LIST, list);
}

Value new_list(Heap *heap, size_t length, uint64_t owner) {
    return new_list_handle(heap, new_items(heap, length, length), owner);
}

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

/* Looking */

bool is_tuple(Heap *heap, Value v) {
    if (kind_of(v) != RECORD) return false;
    const Value layout = cells_of(v)[0];
    return kind_of(layout) == NOTHING || layout_is_tuple(heap, ((Foreign *)layout.object)->python);
}

bool may_be_number(Value v) {
    const Kind kind = kind_of(v);
    return kind == REAL || kind == DUAL || (kind == FOREIGN && !is_text(v) && !is_large_integer(v));
}

bool elements_of(Machine *m, int64_t steps, Value x, Elements *elements) {
    if (kind_of(x) == LIST) {
        const List *list = list_in(x);
        if (steps >= list->stale) return false;
        *elements = (Elements){list->items->values, list->items->length, (int64_t)x.object->birth};
        return true;
    }
    if (!is_tuple(m->heap, x)) return false;
    *elements = (Elements){cells_of(x) + 1, x.object->length - 1, (int64_t)x.object->birth};
    return true;
}

size_t range_length(const Value *range) {
    const int64_t start = range[0].integer, stop = range[1].integer, step = range[2].integer;
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const uint64_t distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    const uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    return (size_t)((distance - 1) / stride + 1);
}

int64_t range_item(const Value *range, size_t i) {
    return (int64_t)((uint64_t)range[0].integer + (uint64_t)i * (uint64_t)range[2].integer);
}

bool element_at(const Elements *elements, Value index, size_t *place) {
    const int64_t length = (int64_t)elements->length;
    int64_t i = index.integer;
    if (i < 0) i += length;
    if (i < 0 || i >= length) return false;
    *place = (size_t)i;
    return true;
}

bool real_in(Value v, double *real) {
    while (kind_of(v) == DUAL) v = cells_of(v)[0];
    *real = v.real;
    return kind_of(v) == REAL;
}

/* Making */

Value born(Machine *m, Value object) {
    object.object->birth = (uint64_t)m->births++ & BIRTHS;
    return object;
}

Value born_list(Machine *m, size_t length) { return born(m, new_list(m->heap, length, m->run)); }

Value born_tuple(Machine *m, size_t length) {
    Cells *record = new_cells(m->heap, RECORD, (uint32_t)length + 1);
    record->cells[0] = nothing();
    return born(m, of_object(RECORD, record));
}

Value born_dictionary(Machine *m) { return born(m, new_dictionary(m->heap, m->run)); }

/* Changing */

/* The new handle has the birth of the old one, if that has one. */
static void inherit(Machine *m, const Object *old, Object *new) {
    new->birth = old->birth ? old->birth : (uint64_t)m->births++ & BIRTHS;
}

static Items *copied_items(Heap *heap, const Items *items, size_t more) {
    Items *copy = new_items(heap, items->length, items->length + more);
    for (size_t i = 0; i < items->length; i++) copy->values[i] = copied(items->values[i]);
    return copy;
}

bool changed_list(Machine *m, int64_t steps, List *old, size_t more, Value *handle) {
    if (steps >= old->stale || old->owner == FROZEN) return false;
    Items *items = old->items;
    if (old->owner == m->run) {
        make_room(m->heap, items, items->length + more);
        items->handles++;
    } else {
        items = copied_items(m->heap, items, more);
    }
    *handle = new_list_handle(m->heap, items, m->run);
    inherit(m, &old->head, handle->object);
    old->stale = steps + 1;
    return true;
}

bool changed_dictionary(Machine *m, int64_t steps, Dictionary *old, Value *handle) {
    if (steps >= old->stale || old->owner == FROZEN) return false;
    Entries *entries = old->entries;
    if (old->owner == m->run)
        entries->handles++;
    else
        entries = entries_copied(m->heap, entries);
    *handle = new_dictionary_of(m->heap, entries, m->run);
    inherit(m, &old->head, handle->object);
    old->stale = steps + 1;
    return true;
}
