/* What the native steps share (natives_*.c): looking at containers, making new ones, changing them.
 *
 * What always holds: whatever here says no has done nothing, so that Python can do the step from its start.
 */
#ifndef CK_NATIVES_H
#define CK_NATIVES_H

#include "containers/containers.h"

#define NATIVE(name)                                                                                         \
    bool name(Machine *m, int64_t steps, const Value *operands, uint32_t count, Value *result, Note *note)
#define UNUSED (void)m, (void)steps, (void)operands, (void)count, (void)result, (void)note

static const Note NO_NOTE = {0, 0, 0, 0};

static inline List *list_in(Value v) { return (List *)v.object; }
static inline Dictionary *dictionary_in(Value v) { return (Dictionary *)v.object; }
static inline bool is_whole(Value v) { return kind_of(v) == INTEGER || kind_of(v) == BOOLEAN; }

/* Whether it is a tuple, named or not. */
bool is_tuple(Heap *heap, Value v);

/* Whether it may be a number, which has a cotangent: a real, a dual, or what Python has and is no string or integer. */
bool may_be_number(Value v);

/* The elements of a list that is not stale, or of a tuple. */
typedef struct Elements {
    const Value *values;
    size_t length;
    int64_t birth;
} Elements;
bool elements_of(Machine *m, int64_t steps, Value x, Elements *elements);

size_t range_length(const Value *range);
int64_t range_item(const Value *range, size_t i);
bool element_at(const Elements *elements, Value index, size_t *place);

#define BIRTHS ((UINT64_C(1) << 48) - 1) /* those that there can be */
Value born(Machine *m, Value object);    /* with the machine's next birth */

/* New containers with the machine's next birth; the caller fills the fields of the first two at once. */
Value born_list(Machine *m, size_t length);
Value born_tuple(Machine *m, size_t length);
Value born_dictionary(Machine *m);

/* A new handle of what the old one refers to, which is stale after this step: with room for `more` items.
 * false: the program may not change it. */
bool changed_list(Machine *m, int64_t steps, List *old, size_t more, Value *handle);
bool changed_dictionary(Machine *m, int64_t steps, Dictionary *old, Value *handle);
Entries *entries_copied(Heap *heap, const Entries *entries); /* one handle's, packed */
Value new_dictionary_of(Heap *heap, Entries *entries, uint64_t owner); /* takes the handle's place */

/* Strings and Python's integers, looked at without the GIL, since they never change (peek.c). */
bool is_text(Value v);
size_t text_length(Value v);
bool texts_equal(Value a, Value b);
uint64_t text_hash(Value v);
bool is_large_integer(Value v);
bool large_integers_equal(Value a, Value b);
uint64_t large_integer_hash(Value v);

bool same_python_type(Value a, Value b); /* of two FOREIGN */
/* isinstance; -1: Python must be asked. It takes the GIL where it was not asked before. */
int32_t instance_of(Heap *heap, Value v, Value types);

bool is_any_text(Value v);               /* a string, or a symbol */

/* The real in a number, its derivatives left aside; false: it is none, or an array. */
bool real_in(Value v, double *real);

#endif
