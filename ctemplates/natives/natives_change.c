/* Native steps that change lists and dictionaries (checkpoint/prims/python/updates.py).
 *
 * Out: a new handle; the old one is stale from the next step on. What always holds: everything that can fail is checked
 * first; then the items are changed, in place if this run owns them.
 */
#include "natives/natives_change.h"

#include "natives/natives_make.h"

static void note_written(Value handle, int64_t field, Note *note) {
    *note = (Note){.birth = (int64_t)handle.object->birth, .field = field};
}

/* x[i] = v */

static bool set_in_list(Machine *m, int64_t steps, const Value *operands, Value *result, Note *note) {
    List *list = list_in(operands[0]);
    const Elements elements = {.length = list->items->length};
    size_t place;
    if (!is_whole(operands[1]) || !element_at(&elements, operands[1], &place)) return false;
    if (!changed_list(m, steps, list, 0, result)) return false;
    Value *at = &list_in(*result)->items->values[place];
    const Value old = *at;
    *at = copied(operands[2]);
    drop(m->heap, old);
    note_written(*result, (int64_t)place, note);
    return true;
}

/* Returns the key as a dictionary keeps it: as in Python, tuples in it have no birth. */
static Value kept_key(Heap *heap, Value key) {
    if (kind_of(key) != RECORD || !key.object->birth) return copied(key);
    const uint32_t length = key.object->length;
    Cells *copy = new_cells(heap, RECORD, length);
    for (uint32_t i = 0; i < length; i++) copy->cells[i] = copied(cells_of(key)[i]);
    return of_object(RECORD, copy);
}

static bool set_in_dictionary(Machine *m, int64_t steps, const Value *operands, Value *result, Note *note) {
    const int64_t field = key_field(m->heap, operands[1]);
    if (field == NO_FIELD || !changed_dictionary(m, steps, dictionary_in(operands[0]), result)) return false;
    Entries *entries = dictionary_in(*result)->entries;
    DictionaryEntry *entry = entries_find(entries, field);
    if (entry) {
        const Value old = entry->value;
        entry->value = copied(operands[2]);
        drop(m->heap, old);
    } else {
        entries_set(m->heap, entries, field, kept_key(m->heap, operands[1]), copied(operands[2]));
    }
    note_written(*result, field, note);
    return true;
}

NATIVE(native_set) {
    (void)count;
    if (kind_of(operands[0]) == LIST) return set_in_list(m, steps, operands, result, note);
    return kind_of(operands[0]) == DICTIONARY && set_in_dictionary(m, steps, operands, result, note);
}

NATIVE(native_append) {
    (void)count;
    if (kind_of(operands[0]) != LIST) return false;
    if (!changed_list(m, steps, list_in(operands[0]), 1, result)) return false;
    Items *items = list_in(*result)->items;
    items->values[items->length++] = copied(operands[1]);
    note_written(*result, (int64_t)items->length - 1, note);
    return true;
}

/* del x[i] */

static bool delete_last(Machine *m, int64_t steps, List *list, Value *result) {
    if (!changed_list(m, steps, list, 0, result)) return false;
    Items *items = list_in(*result)->items;
    drop(m->heap, items->values[--items->length]);
    return true;
}

/* Stores the other elements in a new list. */
static bool delete_inner(Machine *m, int64_t steps, List *list, size_t place, Value *result) {
    if (m->tape || !is_writable(&list->storage, steps)) return false;
    const Items *items = list->items;
    *result = born_list(m, items->length - 1);
    Value *to = list_in(*result)->items->values;
    for (size_t i = 0; i < items->length; i++)
        if (i != place) *to++ = copied(items->values[i]);
    supersede(&list->storage, steps);
    return true;
}

static bool delete_from_dictionary(Machine *m, int64_t steps, const Value *operands, Value *result) {
    Dictionary *dictionary = dictionary_in(operands[0]);
    const int64_t field = key_field(m->heap, operands[1]);
    if (field == NO_FIELD || !entries_find(dictionary->entries, field)) return false;
    if (!changed_dictionary(m, steps, dictionary, result)) return false;
    Entries *entries = dictionary_in(*result)->entries;
    entries_remove(m->heap, entries, entries_find(entries, field));
    return true;
}

NATIVE(native_delete) {
    (void)count;
    *note = NO_NOTE;
    if (kind_of(operands[0]) == DICTIONARY) return delete_from_dictionary(m, steps, operands, result);
    if (kind_of(operands[0]) != LIST || !is_whole(operands[1])) return false;
    List *list = list_in(operands[0]);
    const Elements elements = {.length = list->items->length};
    size_t place;
    if (!element_at(&elements, operands[1], &place)) return false;
    if (place == elements.length - 1) return delete_last(m, steps, list, result);
    return delete_inner(m, steps, list, place, result);
}

/* x.extend(ys). On a tape only if no element is a number, so that it leaves no origin. */
NATIVE(native_extend) {
    (void)count;
    Elements more;
    if (kind_of(operands[0]) != LIST || !elements_of(m, steps, operands[1], &more)) return false;
    for (size_t i = 0; m->tape && i < more.length; i++)
        if (may_be_number(more.values[i])) return false;
    if (!changed_list(m, steps, list_in(operands[0]), more.length, result)) return false;
    const size_t length = more.length;
    elements_of(m, steps, operands[1], &more); /* which may share them */
    Items *items = list_in(*result)->items;
    for (size_t i = 0; i < length; i++) items->values[items->length++] = copied(more.values[i]);
    *note = NO_NOTE;
    return true;
}

NATIVE(native_add_in_place) {
    if (kind_of(operands[0]) == LIST) return native_extend(m, steps, operands, count, result, note);
    return native_concatenate(m, steps, operands, count, result, note);
}

NATIVE(native_clear) {
    (void)count;
    *note = NO_NOTE;
    if (kind_of(operands[0]) == LIST) {
        List *list = list_in(operands[0]);
        if (!changed_list(m, steps, list, 0, result)) return false;
        Items *items = list_in(*result)->items;
        while (items->length) drop(m->heap, items->values[--items->length]);
        return true;
    }
    if (kind_of(operands[0]) != DICTIONARY) return false;
    if (!changed_dictionary(m, steps, dictionary_in(operands[0]), result)) return false;
    Entries *entries = dictionary_in(*result)->entries;
    for (size_t i = 0; i < entries->end; i++)
        if (entries->all[i].field != NO_FIELD) entries_remove(m->heap, entries, &entries->all[i]);
    return true;
}
