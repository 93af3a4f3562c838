/* Native steps that change lists, dictionaries and instances (checkpoint/prims/python: updates, objects).
 *
 * Out: the container itself. What always holds: everything that can fail is checked first; then the old content is
 * saved, if a state may need it, and the container changed in place.
 */
#include "natives/natives_change.h"

#include "containers/collector.h"
#include "natives/natives_make.h"
#include "natives/natives_read.h"

/* Returns the container after a change of a field. */
static bool written(Value container, int64_t field, Value *result, Note *note) {
    *result = copied(container);
    *note = (Note){.birth = (int64_t)container.object->birth, .field = field};
    return true;
}

/* Returns the container after a change that writes no number. */
static bool changed(Value container, Value *result, Note *note) {
    *result = copied(container);
    *note = NO_NOTE;
    return true;
}

static void replace(Heap *heap, Storage *container, Value *place, Value v) {
    const Value old = *place;
    note_reference(heap, container, v);
    *place = copied(v);
    drop(heap, old);
}

/* x[i] = v */

static bool set_in_list(Machine *m, const Value *operands, Value *result, Note *note) {
    List *list = list_in(operands[0]);
    const Elements elements = {.length = list->length};
    size_t place;
    if (!is_whole(operands[1]) || !element_at(&elements, operands[1], &place)) return false;
    if (!change_list(m, list, 0)) return false;
    replace(m->heap, &list->storage, &list->values[place], operands[2]);
    return written(operands[0], (int64_t)place, result, note);
}

/* Returns the key as a dictionary keeps it: as in Python, tuples in it have no birth. */
static Value kept_key(Heap *heap, Value key) {
    if (kind_of(key) != RECORD || !key.object->birth) return copied(key);
    const uint32_t length = key.object->length;
    Cells *copy = new_cells(heap, RECORD, length);
    for (uint32_t i = 0; i < length; i++) copy->cells[i] = copied(cells_of(key)[i]);
    return of_object(RECORD, copy);
}

static bool set_in_dictionary(Machine *m, const Value *operands, Value *result, Note *note) {
    const int64_t field = key_field(m->heap, operands[1], KEYS_OF_PROGRAMS);
    if (field == NO_FIELD || !change_dictionary(m, dictionary_in(operands[0]))) return false;
    Entries *entries = entries_in(operands[0]);
    DictionaryEntry *entry = entries_find(entries, field);
    Storage *container = storage_in(operands[0]);
    note_reference(m->heap, container, operands[2]);
    if (entry)
        replace(m->heap, container, &entry->value, operands[2]);
    else
        entries_set(m->heap, entries, field, kept_key(m->heap, operands[1]), copied(operands[2]));
    return written(operands[0], field, result, note);
}

NATIVE(native_set) {
    (void)count;
    if (kind_of(operands[0]) == LIST) return set_in_list(m, operands, result, note);
    return kind_of(operands[0]) == DICTIONARY && set_in_dictionary(m, operands, result, note);
}

/* Of a reference, which is a list of one. */
NATIVE(native_assign) {
    if (kind_of(operands[0]) != LIST) return false;
    const Value place[] = {operands[0], of_integer(0), operands[1]};
    return native_set(m, place, count, result, note);
}

NATIVE(native_append) {
    (void)count;
    if (kind_of(operands[0]) != LIST) return false;
    List *list = list_in(operands[0]);
    if (!change_list(m, list, 1)) return false;
    note_reference(m->heap, &list->storage, operands[1]);
    list->values[list->length++] = copied(operands[1]);
    return written(operands[0], (int64_t)list->length - 1, result, note);
}

/* del x[i] */

/* Removes an element; those behind it move. Where they may be numbers, a tape needs an origin, made by Python. */
static bool delete_from_list(Machine *m, const Value *operands, Value *result, Note *note) {
    List *list = list_in(operands[0]);
    const Elements elements = {.length = list->length};
    size_t place;
    if (!is_whole(operands[1]) || !element_at(&elements, operands[1], &place)) return false;
    if (m->tape && place != list->length - 1) return false;
    if (!change_list(m, list, 0)) return false;
    const Value removed = list->values[place];
    for (size_t i = place + 1; i < list->length; i++) list->values[i - 1] = list->values[i];
    list->length--;
    drop(m->heap, removed);
    return changed(operands[0], result, note);
}

static bool delete_from_dictionary(Machine *m, const Value *operands, Value *result, Note *note) {
    Dictionary *dictionary = dictionary_in(operands[0]);
    const int64_t field = key_field(m->heap, operands[1], KEYS_OF_PROGRAMS);
    if (field == NO_FIELD || !entries_find(&dictionary->entries, field)) return false;
    if (!change_dictionary(m, dictionary)) return false;
    entries_remove(m->heap, &dictionary->entries, entries_find(&dictionary->entries, field));
    return changed(operands[0], result, note);
}

NATIVE(native_delete) {
    (void)count;
    if (kind_of(operands[0]) == DICTIONARY) return delete_from_dictionary(m, operands, result, note);
    return kind_of(operands[0]) == LIST && delete_from_list(m, operands, result, note);
}

/* x.extend(ys). On a tape only if no element is a number, so that it leaves no origin. */
NATIVE(native_extend) {
    (void)count;
    Elements more;
    if (kind_of(operands[0]) != LIST || !elements_of(m, operands[1], &more)) return false;
    for (size_t i = 0; m->tape && i < more.length; i++)
        if (may_be_number(more.values[i])) return false;
    List *list = list_in(operands[0]);
    if (!change_list(m, list, more.length)) return false;
    const size_t length = more.length;
    elements_of(m, operands[1], &more); /* which may be the same list, moved */
    for (size_t i = 0; i < length; i++) {
        note_reference(m->heap, &list->storage, more.values[i]);
        list->values[list->length++] = copied(more.values[i]);
    }
    return changed(operands[0], result, note);
}

NATIVE(native_add_in_place) {
    if (kind_of(operands[0]) == LIST) return native_extend(m, operands, count, result, note);
    return native_concatenate(m, operands, count, result, note);
}

NATIVE(native_clear) {
    (void)count;
    if (kind_of(operands[0]) == LIST) {
        List *list = list_in(operands[0]);
        if (!change_list(m, list, 0)) return false;
        while (list->length) drop(m->heap, list->values[--list->length]);
        return changed(operands[0], result, note);
    }
    if (kind_of(operands[0]) != DICTIONARY || !change_dictionary(m, dictionary_in(operands[0]))) return false;
    entries_free(m->heap, entries_in(operands[0]));
    return changed(operands[0], result, note);
}

/* x.name = v */

static Value *attribute_of(Heap *heap, Instance *instance, Value name, int64_t *field) {
    const int32_t at = layout_position(heap, python_in(instance->layout), python_in(name));
    *field = at;
    return at < 0 ? NULL : &instance->values[at];
}

NATIVE(native_set_attribute) {
    (void)count;
    if (kind_of(operands[0]) != INSTANCE || kind_of(operands[1]) != FOREIGN) return false;
    Instance *instance = instance_in(operands[0]);
    int64_t field;
    if (attribute_of(m->heap, instance, operands[1], &field)) {
        if (!change_instance(m, instance, 0)) return false;
        replace(m->heap, &instance->storage, &instance->values[field], operands[2]);
        return written(operands[0], field, result, note);
    }
    if (instance->storage.owner == FROZEN) return false;
    const Value wider = layout_with_name(m->heap, instance->layout, operands[1]);
    if (kind_of(wider) == NOTHING) return false;
    change_instance(m, instance, 1);
    note_reference(m->heap, &instance->storage, operands[2]);
    instance_add(m->heap, instance, copied(wider), copied(operands[2]));
    return written(operands[0], (int64_t)instance->length - 1, result, note);
}

/* holder[key] = v where holder[key] has been changed, unless v has an identity: then it is what it was. Where a number is
 * written, a tape needs an origin, made by Python. */

NATIVE(native_put_back) {
    if (is_mutable(operands[2])) return changed(operands[0], result, note);
    if (m->tape && may_be_number(operands[2])) return false;
    return native_set(m, operands, count, result, note);
}

NATIVE(native_put_back_attribute) {
    if (is_mutable(operands[2])) return changed(operands[0], result, note);
    if (m->tape && may_be_number(operands[2])) return false;
    return native_set_attribute(m, operands, count, result, note);
}
