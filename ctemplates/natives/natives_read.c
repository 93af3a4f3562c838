/* Native steps that read elements and attributes, for expressions, loops and calls (checkpoint/prims/python: sequences,
 * objects, iteration).
 *
 * Out: a copy of a field, and a Note that identifies it. Failures are left to Python.
 */
#include "natives/natives_read.h"

/* Gives a field of an object of the program. */
static bool give(Value v, Value of, int64_t field, Value *result, Note *note) {
    *result = copied(v);
    *note = (Note){.birth = (int64_t)birth_to_note(of.object, v), .field = field};
    return true;
}

static bool item_of_range(Value x, Value index, Value *result, Note *note) {
    const Value *range = cells_of(x);
    const Elements elements = {.length = range_length(range)};
    size_t place;
    if (elements.length > INT64_MAX || !element_at(&elements, index, &place)) return false;
    *result = of_integer(range_item(range, place));
    *note = NO_NOTE;
    return true;
}

static bool item_of_dictionary(Machine *m, Value x, Value key, Value *result, Note *note) {
    const int64_t field = key_field(m->heap, key, KEYS_OF_PROGRAMS);
    if (field == NO_FIELD) return false;
    const DictionaryEntry *entry = entries_find(entries_in(x), field);
    return entry && give(entry->value, x, field, result, note);
}

NATIVE(native_item) {
    (void)count;
    const Value x = operands[0], index = operands[1];
    if (kind_of(x) == DICTIONARY) return item_of_dictionary(m, x, index, result, note);
    if (!is_whole(index)) return false;
    if (kind_of(x) == RANGE) return item_of_range(x, index, result, note);
    Elements elements;
    size_t place;
    if (!elements_of(m, x, &elements) || !element_at(&elements, index, &place)) return false;
    return give(elements.values[place], x, (int64_t)place, result, note);
}

NATIVE(native_pop_item) {
    const Kind kind = kind_of(operands[0]);
    if (kind != LIST && kind != DICTIONARY) return false;
    return native_item(m, operands, count, result, note);
}

NATIVE(native_attribute) {
    (void)count;
    const Value x = operands[0], name = operands[1];
    const Kind kind = kind_of(x);
    if ((kind != INSTANCE && kind != RECORD) || kind_of(name) != FOREIGN) return false;
    const Value layout = kind == INSTANCE ? instance_in(x)->layout : cells_of(x)[0];
    if (kind_of(layout) != FOREIGN) return false;
    const int32_t at = layout_position(m->heap, python_in(layout), python_in(name));
    if (at < 0) return false;
    const Value *fields = kind == INSTANCE ? instance_in(x)->values : cells_of(x) + 1;
    return give(fields[at], x, at, result, note);
}

NATIVE(native_variable) {
    (void)m, (void)count;
    const Value x = operands[0];
    if (kind_of(x) != LIST || !list_in(x)->length) return false;
    return give(list_in(x)->values[0], x, 0, result, note);
}

/* Of a value of a sum, which is a tuple of its tag and itself. */

static bool part_of_sum(Value x, uint32_t field, Value *result, Note *note) {
    if (kind_of(x) != RECORD || x.object->length != 3 || kind_of(cells_of(x)[0]) != NOTHING) return false;
    return give(cells_of(x)[1 + field], x, field, result, note);
}

NATIVE(native_tag) {
    (void)m, (void)count;
    return part_of_sum(operands[0], 0, result, note);
}

NATIVE(native_untagged) {
    (void)m, (void)count;
    return part_of_sum(operands[0], 1, result, note);
}

/* Returns whether a key of a dictionary is its own value. An enumeration's member or a date is a Python object as a key,
 * and a Native as a value, which Python makes. */
static bool is_own_value(Value key) {
    return !may_be_number(key) && kind_of(key) != RECORD;
}

/* The same, also of a tuple of such keys. */
static bool is_plain_key(Value key) {
    if (kind_of(key) != RECORD) return is_own_value(key);
    for (uint32_t i = 1; i < key.object->length; i++)
        if (!is_own_value(cells_of(key)[i])) return false;
    return true;
}

static bool all_plain(const Entries *entries) {
    for (size_t i = 0; i < entries->end; i++)
        if (entries->all[i].field != NO_FIELD && !is_plain_key(entries->all[i].key)) return false;
    return true;
}

/* Copies the keys of a dictionary to the cells from `to` on. */
static void copy_keys(const Entries *entries, Value *to) {
    for (size_t i = 0; i < entries->end; i++)
        if (entries->all[i].field != NO_FIELD) *to++ = copied(entries->all[i].key);
}

NATIVE(native_sequence) {
    (void)count;
    const Value x = operands[0];
    *note = NO_NOTE;
    if (kind_of(x) == DICTIONARY) {
        const Entries *entries = entries_in(x);
        if (!all_plain(entries)) return false;
        Cells *record = new_cells(m->heap, RECORD, (uint32_t)entries->length + 1);
        record->cells[0] = nothing();
        copy_keys(entries, record->cells + 1);
        *result = of_object(RECORD, record);
        return true;
    }
    Elements elements;
    if (kind_of(x) != RANGE && !is_text(x) && !elements_of(m, x, &elements)) return false;
    *result = copied(x);
    return true;
}

NATIVE(native_keys) {
    (void)count;
    const Value x = operands[0];
    if (kind_of(x) != DICTIONARY || !all_plain(entries_in(x))) return false;
    *result = born_tuple(m, entries_in(x)->length);
    copy_keys(entries_in(x), cells_of(*result) + 1);
    *note = NO_NOTE;
    return true;
}

NATIVE(native_callee) {
    (void)count;
    const Value x = operands[0], arity = operands[1];
    *note = NO_NOTE;
    Value found = x;
    if (kind_of(x) == RECORD && kind_of(cells_of(x)[0]) == FOREIGN) {
        void *layout = ((Foreign *)cells_of(x)[0].object)->python;
        if (layout_is_overloads(m->heap, layout)) {
            if (kind_of(arity) != INTEGER || arity.integer < 0) return false;
            const int32_t at = layout_position_of_arity(m->heap, layout, arity.integer);
            if (at < 0) return false;
            found = cells_of(x)[at + 1];
        }
    }
    *result = copied(found);
    return true;
}

static bool length_of(Machine *m, Value x, size_t *length) {
    Elements elements;
    if (kind_of(x) == DICTIONARY) {
        *length = entries_in(x)->length;
        return true;
    }
    if (kind_of(x) == RANGE)
        *length = range_length(cells_of(x));
    else if (is_text(x))
        *length = text_length(x);
    else if (elements_of(m, x, &elements))
        *length = elements.length;
    else
        return false;
    return true;
}

NATIVE(native_len) {
    (void)count;
    size_t length;
    if (!length_of(m, operands[0], &length) || length > INT64_MAX) return false;
    *result = of_integer((int64_t)length);
    *note = NO_NOTE;
    return true;
}

/* Stores bool(x); an object whose class does not define it is true. */
static bool truth_of(Machine *m, Value x, bool *truth) {
    double real;
    size_t length;
    switch (kind_of(x)) {
    case INTEGER:
    case BOOLEAN: *truth = x.integer != 0; return true;
    case NOTHING: *truth = false; return true;
    case PROCEDURE:
    case CLOSURE:
    case PAIR: *truth = true; return true;
    case REAL:
    case DUAL: *truth = real_in(x, &real) && real != 0.0; return real_in(x, &real);
    case RECORD:
        if (!is_tuple(m->heap, x)) {
            *truth = true;
            return true;
        }
        break;
    default: break;
    }
    if (!length_of(m, x, &length)) return false;
    *truth = length != 0;
    return true;
}

NATIVE(native_truth) {
    (void)count;
    bool truth;
    if (!truth_of(m, operands[0], &truth)) return false;
    *result = of_boolean(truth);
    *note = NO_NOTE;
    return true;
}

NATIVE(native_not) {
    (void)count;
    bool truth;
    if (!truth_of(m, operands[0], &truth)) return false;
    *result = of_boolean(!truth);
    *note = NO_NOTE;
    return true;
}
