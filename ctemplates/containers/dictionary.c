/* The entries of dictionaries: open addressing by the fields of keys, in the order of insertion.
 *
 * What always holds: every entry that is not removed is found from its field's slot on, with no empty slot in between;
 * slots of removed entries stay in use until the entries are packed; `slots` is at least twice as long as `all`.
 */
#include "containers/dictionary.h"

#include <string.h>

enum { LEAST_ROOM = 8 };

static size_t hash_of(int64_t field) {
    uint64_t x = (uint64_t)field;
    x ^= x >> 32;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x ^ x >> 29);
}

static Dictionary *dictionary_of(Heap *heap, Entries entries, uint64_t owner) {
    Dictionary *dictionary = (Dictionary *)new_object(heap, DICTIONARY, sizeof(Dictionary));
    dictionary->storage.owner = owner;
    dictionary->entries = entries;
    return dictionary;
}

Value new_dictionary(Heap *heap, uint64_t owner) {
    return of_object(DICTIONARY, dictionary_of(heap, (Entries){.length = 0}, owner));
}

static void free_tables(Heap *heap, const Entries *entries) {
    if (!entries->room) return;
    heap_free(heap, entries->all, entries->room * sizeof(DictionaryEntry));
    heap_free(heap, entries->slots, entries->slot_count * sizeof(uint32_t));
}

void entries_free(Heap *heap, Entries *entries) {
    const Entries old = *entries;
    *entries = (Entries){.length = 0};
    for (size_t i = 0; i < old.end; i++) {
        drop(heap, old.all[i].key);
        drop(heap, old.all[i].value);
    }
    free_tables(heap, &old);
}

void dictionary_destroy(Heap *heap, Dictionary *dictionary) { entries_free(heap, &dictionary->entries); }

DictionaryEntry *entries_find(const Entries *entries, int64_t field) {
    if (!entries->room) return NULL;
    const size_t mask = entries->slot_count - 1;
    for (size_t at = hash_of(field) & mask; entries->slots[at]; at = (at + 1) & mask) {
        DictionaryEntry *entry = &entries->all[entries->slots[at] - 1];
        if (entry->field == field) return entry;
    }
    return NULL;
}

static void enter(Entries *entries, const DictionaryEntry *entry) {
    const size_t mask = entries->slot_count - 1;
    size_t at = hash_of(entry->field) & mask;
    while (entries->slots[at]) at = (at + 1) & mask;
    entries->all[entries->end] = *entry;
    entries->slots[at] = (uint32_t)++entries->end;
    entries->length++;
}

/* Returns new tables with the entries of `old` that are not removed; their references are moved. */
static Entries packed(Heap *heap, const Entries *old, size_t room) {
    size_t slots = 2 * LEAST_ROOM;
    while (slots < 2 * room) slots *= 2;
    Entries new = {.room = room, .slot_count = slots};
    new.all = heap_allocate(heap, room * sizeof(DictionaryEntry));
    new.slots = heap_allocate(heap, slots * sizeof(uint32_t));
    memset(new.slots, 0, slots * sizeof(uint32_t));
    for (size_t i = 0; i < old->end; i++)
        if (old->all[i].field != NO_FIELD) enter(&new, &old->all[i]);
    return new;
}

Value copied_dictionary(Heap *heap, const Entries *entries, uint64_t owner) {
    if (!entries->length) return new_dictionary(heap, owner);
    const Entries copy = packed(heap, entries, entries->length + LEAST_ROOM);
    Dictionary *made = dictionary_of(heap, copy, owner);
    for (size_t i = 0; i < copy.end; i++) {
        keep(copy.all[i].key);
        keep(copy.all[i].value);
    }
    return of_object(DICTIONARY, made);
}

void entries_set(Heap *heap, Entries *entries, int64_t field, Value key, Value value) {
    DictionaryEntry *found = entries_find(entries, field);
    if (found) {
        const Value old = found->value;
        found->value = value;
        drop(heap, key);
        drop(heap, old);
        return;
    }
    if (entries->end == entries->room) {
        const Entries new = packed(heap, entries, 2 * entries->length + LEAST_ROOM);
        free_tables(heap, entries);
        *entries = new;
    }
    enter(entries, &(DictionaryEntry){.field = field, .key = key, .value = value});
}

void entries_remove(Heap *heap, Entries *entries, DictionaryEntry *entry) {
    const Value key = entry->key, value = entry->value;
    *entry = (DictionaryEntry){.field = NO_FIELD, .key = nothing(), .value = nothing()};
    entries->length--;
    drop(heap, key);
    drop(heap, value);
}

Value born_dictionary(Machine *m) { return born(m, new_dictionary(m->heap, m->writer.epoch)); }

bool change_dictionary(Machine *m, Dictionary *dictionary) {
    Storage *storage = &dictionary->storage;
    if (storage->owner == FROZEN) return false;
    if (must_save(m, storage)) {
        const Value copy = copied_dictionary(m->heap, &dictionary->entries, NOBODY);
        copy.object->birth = storage->head.birth;
        writer_save(m->heap, &m->writer, storage, storage_in(copy));
    }
    begin_change(m, storage);
    return true;
}
