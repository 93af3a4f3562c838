/* Native steps that make containers from operands, or from the fields of one (checkpoint/prims/python: sequences,
 * dictionaries).
 *
 * Out: a new object with the next birth. Its Note records where its fields were copied from, if they are one range of
 * fields of one object; on a tape, any other rearrangement of numbers is left to Python.
 */
#include <string.h>

#include "natives/natives_make.h"

#include "natives/natives_read.h"

enum { MOST_APPLIED = 12 }; /* MAX_APPLIED of checkpoint/prims/python/iteration.py */

static void copy_values(Value *to, const Value *from, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = copied(from[i]);
}

static bool hold_number(const Value *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (may_be_number(values[i])) return true;
    return false;
}

static void note_made(Value made, Note *note) {
    *note = (Note){.birth = (int64_t)made.object->birth};
}

/* Of operands */

NATIVE(native_tuple) {
    *result = born_tuple(m, count);
    copy_values(cells_of(*result) + 1, operands, count);
    note_made(*result, note);
    return true;
}

NATIVE(native_record) {
    *result = born_tuple(m, count - 1);
    copy_values(cells_of(*result), operands, count);
    note_made(*result, note);
    return true;
}

/* In Python such a list has no owner, so its first update copies it; there is no other difference. */
NATIVE(native_list) {
    *result = born_list(m, count);
    copy_values(list_in(*result)->values, operands, count);
    note_made(*result, note);
    return true;
}

/* A new instance of a class: a layout, its attributes. */
NATIVE(native_new) {
    if (kind_of(operands[0]) != FOREIGN) return false;
    *result = born(m, new_instance_of(m->heap, copied(operands[0]), count - 1, m->writer.epoch));
    copy_values(instance_in(*result)->values, operands + 1, count - 1);
    note_made(*result, note);
    return true;
}

NATIVE(native_range) {
    Value bounds[3] = {of_integer(0), of_integer(0), of_integer(1)};
    if (count < 1 || count > 3) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (kind_of(operands[i]) != INTEGER) return false;
        bounds[count == 1 ? 1 : i] = operands[i];
    }
    if (bounds[2].integer == 0) return false;
    Cells *range = new_cells(m->heap, RANGE, 3);
    memcpy(range->cells, bounds, sizeof bounds);
    *result = of_object(RANGE, range);
    *note = NO_NOTE;
    return true;
}

/* Of fields: `count` elements, from the one at `first` on */

typedef struct Segment {
    Elements from;
    size_t first, count;
    int64_t stride;
} Segment;

static Value element(const Segment *segment, size_t i) {
    return segment->from.values[(int64_t)segment->first + (int64_t)i * segment->stride];
}

/* Returns whether C may copy the fields; false: Python must copy them, or record where they came from. */
static bool may_copy(const Machine *m, const Segment *segment) {
    const bool noted = !m->tape || segment->stride == 1;
    for (size_t i = 0; !noted && i < segment->count; i++)
        if (may_be_number(element(segment, i))) return false;
    return true;
}

static void take_copies(const Segment *segment, Value *to, Value made, Note *note) {
    for (size_t i = 0; i < segment->count; i++) to[i] = copied(element(segment, i));
    const bool tells = segment->stride == 1 && hold_number(to, segment->count);
    *note = (Note){.birth = tells ? segment->from.birth : 0,
                   .field = (int64_t)segment->first,
                   .made = (int64_t)made.object->birth,
                   .count = (int64_t)segment->count};
}

static bool list_from(Machine *m, const Segment *segment, Value *result, Note *note) {
    if (!may_copy(m, segment)) return false;
    *result = born_list(m, segment->count);
    take_copies(segment, list_in(*result)->values, *result, note);
    return true;
}

static bool tuple_from(Machine *m, const Segment *segment, Value *result, Note *note) {
    if (!may_copy(m, segment)) return false;
    *result = born_tuple(m, segment->count);
    take_copies(segment, cells_of(*result) + 1, *result, note);
    return true;
}

static bool all_of(Machine *m, Value x, Segment *segment) {
    segment->first = 0;
    segment->stride = 1;
    if (!elements_of(m, x, &segment->from)) return false;
    segment->count = segment->from.length;
    return true;
}

static void fill_from_range(Value *to, const Value *range, size_t length) {
    for (size_t i = 0; i < length; i++) to[i] = of_integer(range_item(range, i));
}

/* The maximal number of elements of a container here; Python reports that memory runs out if there would be more. */
#define MOST ((size_t)UINT32_MAX - 1)

NATIVE(native_list_of) {
    const Value x = operands[0];
    Segment segment;
    if (all_of(m, x, &segment)) return list_from(m, &segment, result, note);
    if (kind_of(x) == DICTIONARY) {
        Value keys;
        if (!native_sequence(m, operands, count, &keys, note)) return false;
        const bool done = all_of(m, keys, &segment) && list_from(m, &segment, result, note);
        drop(m->heap, keys);
        return done;
    }
    if (kind_of(x) != RANGE || range_length(cells_of(x)) > MOST) return false;
    const size_t length = range_length(cells_of(x));
    *result = born_list(m, length);
    fill_from_range(list_in(*result)->values, cells_of(x), length);
    *note = NO_NOTE;
    return true;
}

NATIVE(native_tuple_of) {
    const Value x = operands[0];
    Segment segment;
    if (all_of(m, x, &segment)) return tuple_from(m, &segment, result, note);
    if (kind_of(x) == DICTIONARY) return native_keys(m, operands, count, result, note);
    if (kind_of(x) != RANGE || range_length(cells_of(x)) > MOST) return false;
    const size_t length = range_length(cells_of(x));
    *result = born_tuple(m, length);
    fill_from_range(cells_of(*result) + 1, cells_of(x), length);
    *note = NO_NOTE;
    return true;
}

/* The arguments of a procedure that takes as many, without keywords. */
NATIVE(native_arguments) {
    const Value function = operands[0], args = operands[1], keywords = operands[2];
    const Kind kind = kind_of(function);
    (void)count;
    if (kind != CLOSURE && kind != PROCEDURE) return false;
    if (kind_of(args) != RECORD || kind_of(keywords) != DICTIONARY) return false;
    const uint32_t arity = procedure_of(function)->arity;
    if (arity > MOST_APPLIED || arity != args.object->length - 1) return false;
    if (((const Dictionary *)keywords.object)->entries.length) return false;
    return native_tuple_of(m, &args, 1, result, note);
}

/* Converts a bound of a slice as in Python, if it is explicit: negative ones count from the end; then clamped. */
static bool bound(Value given, int64_t length, int64_t least, int64_t most, int64_t *place) {
    if (kind_of(given) == NOTHING) return true;
    if (!is_whole(given)) return false;
    const int64_t i = given.integer < 0 ? given.integer + length : given.integer;
    *place = i < least ? least : i > most ? most : i;
    return true;
}

static bool slice_of(const Value *bounds, Segment *segment) {
    const int64_t length = (int64_t)segment->from.length;
    int64_t stride = 1;
    if (kind_of(bounds[2]) != NOTHING) {
        if (!is_whole(bounds[2])) return false;
        stride = bounds[2].integer;
    }
    if (stride == 0 || stride == INT64_MIN) return false;
    const int64_t least = stride > 0 ? 0 : -1, most = stride > 0 ? length : length - 1;
    int64_t low = stride > 0 ? least : most, high = stride > 0 ? most : least;
    if (!bound(bounds[0], length, least, most, &low) || !bound(bounds[1], length, least, most, &high))
        return false;
    const Value range[3] = {of_integer(low), of_integer(high), of_integer(stride)};
    segment->first = (size_t)low;
    segment->count = range_length(range);
    segment->stride = stride;
    return true;
}

NATIVE(native_slice) {
    (void)count;
    Segment segment;
    if (!all_of(m, operands[0], &segment) || !slice_of(operands + 1, &segment)) return false;
    if (kind_of(operands[0]) == LIST) return list_from(m, &segment, result, note);
    return tuple_from(m, &segment, result, note);
}

NATIVE(native_unpack) {
    (void)count;
    Segment segment;
    if (!all_of(m, operands[0], &segment) || kind_of(operands[1]) != INTEGER) return false;
    return operands[1].integer == (int64_t)segment.count && tuple_from(m, &segment, result, note);
}

/* Returns whether the fields of several containers, or of one repeated, may be copied: on a tape, if any is a number, only
 * in a part, which has their sources. */
static bool may_join(const Machine *m, const Elements *elements) {
    return !m->tape || m->part || !hold_number(elements->values, elements->length);
}

/* Copies all elements to fields of a new object, from the field `at` on, and adds that to `copies`, unless NULL. */
static void join(const Elements *from, Value *to, Value made, size_t at, Copies *copies) {
    copy_values(to + at, from->values, from->length);
    if (copies)
        copies_add(copies, (FieldRun){.from = (uint64_t)from->birth, .to = made.object->birth, .made = (int64_t)at,
                                      .count = (int64_t)from->length});
}

/* Returns the room for so many runs of copied fields, NULL where none are recorded. */
static Copies *joined_copies(const Machine *m, size_t runs) { return m->part ? copies_create(m->heap, runs) : NULL; }

/* Makes a new container of the same type as x, and returns the room for its elements. */
static Value *born_like(Machine *m, Value x, size_t length, Value *result) {
    *result = kind_of(x) == LIST ? born_list(m, length) : born_tuple(m, length);
    return kind_of(x) == LIST ? list_in(*result)->values : cells_of(*result) + 1;
}

NATIVE(native_concatenate) {
    (void)count;
    Elements first, second;
    if (kind_of(operands[0]) != kind_of(operands[1])) return false;
    if (!elements_of(m, operands[0], &first)) return false;
    if (!elements_of(m, operands[1], &second)) return false;
    if (!may_join(m, &first) || !may_join(m, &second)) return false;
    Value *to = born_like(m, operands[0], first.length + second.length, result);
    const bool moves = hold_number(first.values, first.length) || hold_number(second.values, second.length);
    *note = (Note){.copies = moves ? joined_copies(m, 2) : NULL};
    join(&first, to, *result, 0, note->copies);
    join(&second, to, *result, first.length, note->copies);
    return true;
}

NATIVE(native_repeat) {
    (void)count;
    const bool turned = is_whole(operands[0]);
    const Value x = operands[turned], times = operands[!turned];
    Elements elements;
    if (!is_whole(times) || !elements_of(m, x, &elements) || !may_join(m, &elements)) return false;
    const size_t n = times.integer < 0 ? 0 : (size_t)times.integer;
    if (elements.length && n > MOST / elements.length) return false;
    Value *to = born_like(m, x, n * elements.length, result);
    *note = (Note){.copies = hold_number(elements.values, elements.length) ? joined_copies(m, n) : NULL};
    for (size_t i = 0; elements.length && i < n; i++) join(&elements, to, *result, i * elements.length, note->copies);
    return true;
}

/* Dictionaries */

/* Returns whether all values may be copied here, none of them a number while there is a tape. */
static bool may_copy_entries(const Machine *m, const Entries *entries) {
    for (size_t i = 0; m->tape && i < entries->end; i++)
        if (may_be_number(entries->all[i].value)) return false;
    return true;
}

NATIVE(native_dict) {
    (void)operands, (void)count;
    *result = born_dictionary(m);
    *note = NO_NOTE;
    return true;
}

NATIVE(native_dict_of) {
    (void)count;
    const Value x = operands[0];
    if (kind_of(x) != DICTIONARY) return false;
    const Entries *entries = entries_in(x);
    if (!may_copy_entries(m, entries)) return false;
    *result = born(m, copied_dictionary(m->heap, entries, m->writer.epoch));
    *note = NO_NOTE;
    return true;
}

NATIVE(native_copy) {
    Segment segment;
    if (kind_of(operands[0]) == DICTIONARY) return native_dict_of(m, operands, count, result, note);
    if (kind_of(operands[0]) != LIST || !all_of(m, operands[0], &segment)) return false;
    return list_from(m, &segment, result, note);
}

NATIVE(native_values) {
    (void)count;
    const Value x = operands[0];
    if (kind_of(x) != DICTIONARY) return false;
    const Entries *entries = entries_in(x);
    if (!may_copy_entries(m, entries)) return false;
    *result = born_tuple(m, entries->length);
    Value *to = cells_of(*result) + 1;
    for (size_t i = 0; i < entries->end; i++)
        if (entries->all[i].field != NO_FIELD) *to++ = copied(entries->all[i].value);
    *note = NO_NOTE;
    return true;
}
