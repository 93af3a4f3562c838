/* The collector of containers that nothing but themselves refers to: see collector.h. */
#include "containers/collector.h"

#include "containers/dictionary.h"
#include "containers/instances.h"
#include "containers/lists.h"
#include "memory/memory.h"

#ifdef CK_HOSTILE
enum { LEAST_BOUND = 4 };
#else
enum { LEAST_BOUND = 10000 };
#endif
enum { FIRST_SUSPECTS = 64, FIRST_FOUND = 1024 };

/* Colours of objects while a collection runs, in their `kind`. SEEN: found. LIVE: it is referred to from elsewhere. */
enum { SEEN = 0x40, LIVE = 0x80, KINDS = 0x3f };

void suspects_add(Heap *heap, Storage *container) {
    Suspects *suspects = heap->suspects;
    if (!suspects) {
        suspects = heap_allocate(heap, sizeof(Suspects));
        *suspects = (Suspects){.bound = LEAST_BOUND};
        heap->suspects = suspects;
    }
    if (suspects->count == suspects->room) {
        const uint32_t room = suspects->room ? 2 * suspects->room : FIRST_SUSPECTS;
        suspects->all = suspects->room ? heap_resize(heap, suspects->all, suspects->room * sizeof(Storage *),
                                                     room * sizeof(Storage *))
                                       : heap_allocate(heap, room * sizeof(Storage *));
        suspects->room = room;
    }
    suspects->all[suspects->count++] = container;
    container->head.length = suspects->count;
}

void suspects_remove(Heap *heap, const Storage *container) {
    const uint32_t place = container->head.length;
    if (!place) return;
    Suspects *suspects = heap->suspects;
    Storage *last = suspects->all[--suspects->count];
    suspects->all[place - 1] = last;
    last->head.length = place;
}

/* What a collection has found: objects that are SEEN, once each. */
typedef struct Found {
    Object **all;
    size_t count, room;
} Found;

static bool add(Found *found, Object *object) {
    if (found->count == found->room) {
        const size_t room = found->room ? 2 * found->room : FIRST_FOUND, size = sizeof(Object *);
        Object **more = found->room ? memory_resize(found->all, found->room * size, room * size)
                                    : memory_take(room * size);
        if (!more) return false;
        found->all = more;
        found->room = room;
    }
    found->all[found->count++] = object;
    return true;
}

static void forget(const Found *found) {
    if (found->room) memory_give(found->all, found->room * sizeof(Object *));
}

/* Visits each reference of an object to another one that may refer further; stops where a visit returns false. */
typedef bool (*Visit)(Object *object, Found *found);

static bool visit_all(const Value *values, size_t count, size_t stride, Visit visit, Found *found) {
    for (size_t i = 0; i < count; i++) {
        const Value v = *(const Value *)(const void *)((const char *)values + i * stride);
        if (is_counted(v) && kind_of(v) != FOREIGN && !visit(v.object, found)) return false;
    }
    return true;
}

static bool visit_parts(const Object *object, Visit visit, Found *found) {
    switch (object->kind & KINDS) {
    case FOREIGN: return true;
    case LIST: {
        const List *list = (const List *)object;
        return visit_all(list->values, list->length, sizeof(Value), visit, found);
    }
    case INSTANCE: {
        const Instance *instance = (const Instance *)object;
        return visit_all(instance->values, instance->length, sizeof(Value), visit, found);
    }
    case DICTIONARY: {
        const Entries *entries = &((const Dictionary *)object)->entries;
        if (!entries->end) return true;
        return visit_all(&entries->all->key, entries->end, sizeof(DictionaryEntry), visit, found) &&
               visit_all(&entries->all->value, entries->end, sizeof(DictionaryEntry), visit, found);
    }
    default: {
        const Cells *cells = (const Cells *)object;
        return visit_all(cells->cells, object->length, sizeof(Value), visit, found);
    }
    }
}

static bool find(Object *object, Found *found) {
    if (object->kind & SEEN) return true;
    if (!add(found, object)) return false;
    object->kind |= SEEN;
    return true;
}

static bool discount(Object *object, Found *found) {
    (void)found;
    object->count--;
    return true;
}

static bool recount(Object *object, Found *found) {
    (void)found;
    object->count++;
    return true;
}

/* `found` has room for all objects. */
static bool revive(Object *object, Found *found) {
    if (object->kind & LIVE) return true;
    object->kind |= LIVE;
    found->all[found->count++] = object;
    return true;
}

/* Finds what suspects reach; false: there is no memory for that. */
static bool find_all(const Suspects *suspects, Found *found) {
    for (uint32_t i = 0; i < suspects->count; i++)
        if (!find(&suspects->all[i]->head, found)) return false;
    for (size_t i = 0; i < found->count; i++)
        if (!visit_parts(found->all[i], find, found)) return false;
    return true;
}

/* Makes LIVE what is referred to from elsewhere, and all that it reaches; `live` is to hold it. */
static void find_live(Found *found, Found *live) {
    for (size_t i = 0; i < found->count; i++) visit_parts(found->all[i], discount, NULL);
    for (size_t i = 0; i < found->count; i++)
        if (found->all[i]->count) revive(found->all[i], live);
    for (size_t i = 0; i < live->count; i++) visit_parts(live->all[i], revive, live);
    for (size_t i = 0; i < found->count; i++) visit_parts(found->all[i], recount, NULL);
}

static void empty(Heap *heap, Object *object) {
    if (object->kind == LIST) {
        List *list = (List *)object;
        while (list->length) drop(heap, list->values[--list->length]);
    } else if (object->kind == INSTANCE) {
        Instance *instance = (Instance *)object;
        while (instance->length) drop(heap, instance->values[--instance->length]);
    } else {
        entries_free(heap, &((Dictionary *)object)->entries);
    }
}

static bool is_container(const Object *object) {
    return object->kind == LIST || object->kind == INSTANCE || object->kind == DICTIONARY;
}

/* Removes all colours; the first objects of `found` are then the containers that are not LIVE, with one more reference. */
static void sort_out(Found *found) {
    size_t dead = 0;
    for (size_t i = 0; i < found->count; i++) {
        Object *object = found->all[i];
        const bool live = object->kind & LIVE;
        object->kind &= KINDS;
        if (live || !is_container(object)) continue;
        object->count++;
        found->all[dead++] = object;
    }
    found->count = dead;
}

void collect(Heap *heap) {
    Suspects *suspects = heap->suspects;
    Found found = {.all = NULL}, live = {.all = NULL};
    const bool all = find_all(suspects, &found);
    const size_t reached = found.count;
    if (all) live.all = memory_take(reached * sizeof(Object *));
    if (live.all) {
        live.room = reached;
        find_live(&found, &live);
        sort_out(&found);
        const bool outer = heap_hold(heap);
        for (size_t i = 0; i < found.count; i++) {
            empty(heap, found.all[i]);
            drop(heap, of_object((Kind)found.all[i]->kind, found.all[i]));
        }
        heap_resume(heap, outer);
    } else {
        for (size_t i = 0; i < found.count; i++) found.all[i]->kind &= KINDS;
    }
    forget(&live);
    forget(&found);
    const size_t next = 2 * (size_t)suspects->count + reached / 8;
    suspects->bound = next < LEAST_BOUND ? LEAST_BOUND : next < UINT32_MAX ? (uint32_t)next : UINT32_MAX;
}
