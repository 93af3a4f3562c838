/* The only header of translated code (checkpoint/ctarget/translate writes it): the runtime's structures and services,
 * and the vocabulary of units.
 *
 * What always holds: a unit is loaded apart from the runtime, and bound to it by unit_bind; the functions that inline
 * functions of the runtime's headers call are defined again here, hidden, and forward to it. Values and partials of
 * scalars are the runtime's, bit for bit: both are made of the definitions of checkpoint/scalars.
 */
#ifndef CK_TRANSLATED_H
#define CK_TRANSLATED_H

/* Before all other headers, whose inline functions it is for. */
#ifdef __has_builtin
#if __has_builtin(__builtin_expect_with_probability)
#define PREDICT(x, value) __builtin_expect_with_probability(!!(x), value, 0.99)
#endif
#endif

#include "containers/bare_row.h"
#include "containers/collector.h"
#include "containers/containers.h"
#include "containers/peek.h"
#include "machine/fast.h"
#include "scalars/scalar_functions.h"

/* A variable that is never read costs nothing. */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"

#define EXPORTED __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline, unused))
/* What is done at entries and exits, or is a call in any case: a copy at each would take a compiler most of its time. */
#define OUTLINED static __attribute__((noinline, unused))

/* The runtime */

static const Services *services;
EXPORTED void unit_bind(const Services *given);
void unit_bind(const Services *given) { services = given; }

#define FORWARD(type, name, parameters, names) \
    type name parameters { return services->name names; }
RUNTIME_SERVICES(FORWARD)

/* Objects that the unit refers to by number */
#define REFERENCE(NUMBER) (unit->references[NUMBER])

/* Tags */

INLINE bool is_closure_of(Value v, Kind kind, const void *procedure) {
    return v.tag == of_procedure(kind, procedure, NULL).tag;
}
INLINE bool is_tuple(Value v) { return kind_of(v) == RECORD && cells_of(v)[0].tag == NOTHING; }
INLINE bool is_tuple_of(Value v, uint32_t count) { return is_tuple(v) && v.object->length == count + 1; }
INLINE bool is_other(Value v) { /* of a kind that never has a cotangent */
    const Kind kind = kind_of(v);
    return kind != REAL && kind != NODE && kind != DUAL && kind != FOREIGN;
}

/* Values */

INLINE double real_of_bits(uint64_t bits) {
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
INLINE bool same_real(double a, double b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; } /* bit for bit */
INLINE bool same_integer(int64_t a, int64_t b) { return a == b; }
INLINE bool same_boolean(bool a, bool b) { return a == b; }
INLINE bool same_value(Value a, Value b) { return a.tag == b.tag && a.object == b.object; }
INLINE bool is_dual(Value v) { /* of reals */
    return kind_of(v) == DUAL && (cells_of(v)[0].tag | cells_of(v)[1].tag) == REAL;
}
INLINE Value dual_around(Heap *heap, int64_t tag, Value primal, Value tangent) {
    Cells *cells = new_cells(heap, DUAL, 2);
    cells->head.birth = (uint64_t)tag & LARGEST_BIRTH;
    store(&cells->cells[0], primal);
    store(&cells->cells[1], tangent);
    return of_object(DUAL, cells);
}
INLINE Value dual(Heap *heap, int64_t tag, double primal, double tangent) {
    return dual_around(heap, tag, of_real(primal), of_real(tangent));
}
INLINE Value closure(const void *procedure, Value environment) {
    return of_procedure(CLOSURE, procedure, environment.object);
}
INLINE Value bare_closure(const void *procedure) { return of_procedure(PROCEDURE, procedure, NULL); }
INLINE Value environment_of(Value closure) { return of_object(ENVIRONMENT, closure.object); }
INLINE bool is_constant(Value v) { return is_counted(v) && v.object->constant; }
INLINE uint64_t birth_of(Value v) { return is_counted(v) ? v.object->birth : 0; }

/* Returns a field, in a tuple not counting its first cell; NULL: there is no field of that number. */
INLINE const Value *field_of(Value owner, uint32_t index) {
    const uint32_t at = index + (kind_of(owner) == RECORD);
    return at < owner.object->length ? &cells_of(owner)[at] : NULL;
}

/* Returns the elements of a plain tuple or a list, and stores their number; NULL: it is neither, or has none. */
INLINE const Value *elements(Value v, int64_t *count) {
    if (kind_of(v) == LIST) {
        const List *list = (const List *)v.object;
        *count = (int64_t)list->length;
        return list->values;
    }
    if (!is_tuple(v)) return NULL;
    *count = (int64_t)v.object->length - 1;
    return cells_of(v) + 1;
}
/* Returns an item of a bare row, until the next one is read; NULL: there is none. */
OUTLINED const Value *bare_item(Value v, int64_t index) {
    BareRow *row = bare_row_in(v);
    if (!row || index < 0 || index >= row->count) return NULL;
    row->item = of_real(row->reals[index]);
    return &row->item;
}
/* Returns one of the elements, by an index as in Python, and stores its position. NULL: there is none. */
INLINE const Value *element(Value v, int64_t index, int64_t *at) {
    int64_t count = 0;
    const Value *all = elements(v, &count);
    *at = index < 0 ? index + count : index;
    if (LIKELY(all && *at >= 0 && *at < count)) return &all[*at];
    return all && !count && kind_of(v) == RECORD ? bare_item(v, index) : NULL;
}
INLINE bool is_object(const Value *place, Value v) { return place && place->tag == v.tag && place->object == v.object; }
INLINE bool is_foreign(const Value *place, const void *python) {
    return place && place->tag == FOREIGN && ((const Foreign *)place->object)->python == python;
}
/* Returns whether it is known that two mutable containers of a kind are one, or that they are not: of those from outside,
 * which never change, several copies may be one. */
INLINE bool have_identity(Value a, Value b) {
    const Storage *one = (const Storage *)a.object, *other = (const Storage *)b.object;
    return one == other || one->owner != FROZEN || other->owner != FROZEN;
}
/* Stores the length; an empty list may have no array of elements, but has a length. */
INLINE bool has_length(Value v, int64_t *length) {
    if (kind_of(v) != LIST) return elements(v, length) != NULL;
    *length = (int64_t)((const List *)v.object)->length;
    return true;
}

/* Returns whether a program may change a list: an element, or the position after the last one, whose index is stored. A
 * list without a birth gets one with its first change. */
INLINE bool is_changeable(Value v) {
    return kind_of(v) == LIST && ((const List *)v.object)->storage.owner != FROZEN && v.object->birth != 0;
}
INLINE bool changeable_element(Value v, int64_t index, int64_t *at) {
    return is_changeable(v) && element(v, index, at) != NULL;
}
INLINE bool changeable_end(Value v, int64_t *at) { return is_changeable(v) && has_length(v, at); }
/* Return the list after a change, a reference of its own. They consume the reference to the element. */
INLINE Value set_element(Machine *m, Value v, int64_t at, Value content) {
    List *list = (List *)v.object;
    if (UNLIKELY(list->storage.owner != m->writer.epoch)) change_list(m, list, 0);
    Value *place = &list->values[at];
    note_reference(m->heap, &list->storage, content);
    const Value old = load(place);
    store(place, content);
    keep(v);
    drop(m->heap, old);
    return v;
}
INLINE Value append(Machine *m, Value v, Value content) {
    List *list = (List *)v.object;
    if (UNLIKELY(list->storage.owner != m->writer.epoch || list->length == list->room)) change_list(m, list, 1);
    note_reference(m->heap, &list->storage, content);
    store(&list->values[list->length++], content);
    keep(v);
    return v;
}
/* Appends reals to a list that a strip may change. */
INLINE void append_reals(Machine *m, Value v, const double *reals, int64_t count) {
    List *list = (List *)v.object;
    if (UNLIKELY(list->storage.owner != m->writer.epoch || list->room - list->length < (size_t)count))
        change_list(m, list, (size_t)count);
    store_reals(list->values + list->length, reals, (size_t)count);
    list->length += (size_t)count;
}
/* Makes a list whose elements are filled at once. */
INLINE Value *make_list(Machine *m, uint32_t count, int64_t birth, Value *made) {
    *made = new_list(m->heap, count, m->writer.epoch);
    made->object->birth = (uint64_t)birth & LARGEST_BIRTH;
    return ((const List *)made->object)->values;
}

/* Returns whether the number at the end of a route of positions, from an object on, is a dual and should be none, or the other
 * way round; false where there is none. */
OUTLINED bool is_unexpected(Value v, const uint32_t *route, uint32_t length, bool is_dual) {
    for (uint32_t i = 0, count; i < length; i++) {
        const Value *parts = parts_in(v, &count);
        if (route[i] >= count) return false;
        v = load(&parts[route[i]]);
    }
    return is_dual ? v.tag == REAL : kind_of(v) == DUAL;
}

/* Returns an attribute of an INSTANCE or RECORD, by its position in a layout (a Python object); NULL: it has another
 * layout. */
INLINE bool has_layout(Value v, const void *layout) {
    const Value own = kind_of(v) == INSTANCE ? ((const Instance *)v.object)->layout : cells_of(v)[0];
    return own.tag == FOREIGN && ((const Foreign *)own.object)->python == layout;
}
INLINE const Value *attribute(Value v, const void *layout, uint32_t at) {
    if (!has_layout(v, layout)) return NULL;
    return kind_of(v) == INSTANCE ? &((const Instance *)v.object)->values[at] : &cells_of(v)[at + 1];
}
/* Returns whether a program may change an instance, and it has the layout. */
INLINE bool is_changeable_instance(Value v, const void *layout) {
    const Storage *storage = (const Storage *)v.object;
    return storage->owner != FROZEN && storage->head.birth != 0 && has_layout(v, layout);
}
/* Return the instance after a change, a reference of its own. They consume the reference to the content. */
INLINE Value set_attribute(Machine *m, Value v, uint32_t at, Value content) {
    Instance *instance = (Instance *)v.object;
    if (UNLIKELY(instance->storage.owner != m->writer.epoch)) change_instance(m, instance, 0);
    note_reference(m->heap, &instance->storage, content);
    const Value old = load(&instance->values[at]);
    store(&instance->values[at], content);
    keep(v);
    drop(m->heap, old);
    return v;
}
INLINE Value add_attribute(Machine *m, Value v, const void *layout, Value content) {
    Instance *instance = (Instance *)v.object;
    const Value wider = layout_value(m->heap, (void *)(uintptr_t)layout);
    change_instance(m, instance, 1);
    note_reference(m->heap, &instance->storage, content);
    instance_add(m->heap, instance, copied(wider), content);
    keep(v);
    return v;
}
/* Makes an instance whose attributes are filled at once, perhaps with objects that will refer to it. */
INLINE Value *make_instance(Machine *m, const void *layout, uint32_t count, int64_t birth, Value *made) {
    const Value own = copied(layout_value(m->heap, (void *)(uintptr_t)layout));
    *made = new_instance_of(m->heap, own, count, m->writer.epoch);
    made->object->birth = (uint64_t)birth & LARGEST_BIRTH;
    suspects_add(m->heap, (Storage *)made->object);
    return ((const Instance *)made->object)->values;
}

/* Makes an object whose cells are filled at once; in a tuple from the second on. */
INLINE Value *make(Machine *m, Kind kind, uint32_t count, int64_t birth, Value *made) {
    Cells *cells = new_born_cells(m->heap, kind, count + (kind == RECORD), birth);
    *made = of_object(kind, cells);
    if (kind == RECORD) store(&cells->cells[0], nothing());
    return cells->cells + (kind == RECORD);
}

INLINE Value *make_record(Machine *m, const void *layout, uint32_t count, int64_t birth, Value *made) {
    const Value own = copied(layout_value(m->heap, (void *)(uintptr_t)layout));
    Value *fields = make(m, RECORD, count, birth, made);
    store(fields - 1, own);
    return fields;
}

/* Makes a dictionary, which is empty. */
INLINE Value *make_dictionary(Machine *m, uint32_t count, int64_t birth, Value *made) {
    (void)count;
    *made = new_dictionary(m->heap, m->writer.epoch);
    made->object->birth = (uint64_t)birth & LARGEST_BIRTH;
    return NULL;
}
/* Returns an object of Python's that the program knows, which never changes. */
INLINE Value known_object(Machine *m, const void *python) {
    return copied(layout_value(m->heap, (void *)(uintptr_t)python));
}

#include "machine/unit_frames.h"
#include "machine/unit_pairs.h"

/* Ends */

/* Moves the machine to the start of a block; returns its registers. */
OUTLINED Value *leave_to(Machine *m, const void *block, int64_t steps, int64_t births) {
    m->block = block;
    m->steps = steps;
    m->births = births;
    m->index = 0;
    make_room(m, block);
    return m->registers;
}
INLINE bool has_room(const Word *up, const uint8_t *ways, ptrdiff_t bytes) {
    return ways - (const uint8_t *)(const void *)up >= bytes;
}

#include "machine/unit_cotangents.h"
#include "machine/unit_rebuilds.h"
#include "machine/unit_elements.h"

/* Functions of numbers without derivatives, as in natives_integer.c. false: the machine performs the step. */

INLINE bool whole(double x, int64_t *to) {
    if (!(__builtin_fabs(x) < 0x1p62)) return false;
    *to = (int64_t)x;
    return true;
}
INLINE bool whole_down(double x, int64_t *to) { return whole(floor(x), to); }
INLINE bool whole_up(double x, int64_t *to) { return whole(ceil(x), to); }
INLINE bool whole_part(double x, int64_t *to) { return whole(trunc(x), to); }
INLINE bool whole_nearest(double x, int64_t *to) { return whole(rint(x), to); }
INLINE bool of_whole(int64_t x, double *to) {
    *to = (double)x;
    return is_exact(x);
}
INLINE bool tells_finite(double x, bool *to) { return *to = isfinite(x), true; }
INLINE bool tells_infinite(double x, bool *to) { return *to = isinf(x), true; }
INLINE bool tells_nan(double x, bool *to) { return *to = isnan(x), true; }
INLINE bool bits_and(int64_t x, int64_t y, int64_t *to) { return *to = x & y, true; }
INLINE bool bits_or(int64_t x, int64_t y, int64_t *to) { return *to = x | y, true; }
INLINE bool bits_xor(int64_t x, int64_t y, int64_t *to) { return *to = x ^ y, true; }
INLINE bool bits_not(int64_t x, int64_t *to) { return *to = ~x, true; }
INLINE bool shifted_left(int64_t x, int64_t shift, int64_t *to) {
    return shift >= 0 && shift < 63 && !__builtin_mul_overflow(x, INT64_C(1) << shift, to);
}
INLINE bool shifted_right(int64_t x, int64_t shift, int64_t *to) {
    return shift >= 0 && (*to = x >> (shift < 63 ? shift : 63), true);
}
INLINE bool raised(int64_t x, int64_t exponent, int64_t *to) {
    *to = 1;
    if (exponent < 0 || exponent > 64) return false;
    while (exponent--)
        if (__builtin_mul_overflow(*to, x, to)) return false;
    return true;
}

/* Scalars: a unit's file has one of these lines for each function that it calls (translate/emit/definitions.py).
 * value_ID(x, y, &z) and integers_ID(x, y, &z) return whether there is a value; by_x_ID(x, y, z) and by_y_ID(x, y, z)
 * are the partials. A function of one operand does not read y. */

#define VALUE(id, expression, refused)                     \
    INLINE bool value_##id(double x, double y, double *z) { \
        const double r = expression;                       \
        (void)y;                                           \
        *z = r;                                            \
        return !(refused);                                 \
    }
#define PARTIAL(name, expression)                        \
    INLINE double name(double x, double y, double r) {   \
        (void)x, (void)y, (void)r;                       \
        return expression;                               \
    }
#define INTEGERS(id, given, result)                               \
    INLINE bool integers_##id(int64_t x, int64_t y, Value *value) { \
        int64_t z = 0;                                            \
        (void)y, (void)z;                                         \
        if (!(given)) return false;                               \
        *value = result;                                          \
        return true;                                              \
    }

#endif
