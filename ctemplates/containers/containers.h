/* Elements of lists, tuples and ranges; new tuples. */
#ifndef CK_CONTAINERS_H
#define CK_CONTAINERS_H

#include "containers/dictionary.h"
#include "containers/instances.h"
#include "containers/lists.h"

/* Returns what an object consists of: elements, captured values, fields (of a record without its layout); NULL: of nothing. */
static inline const Value *parts_in(Value v, uint32_t *count) {
    switch (kind_of(v)) {
    case PAIR:
    case DUAL:
    case ENVIRONMENT: *count = v.object->length; return cells_of(v);
    case RECORD: *count = v.object->length - 1; return cells_of(v) + 1;
    case INSTANCE: *count = instance_in(v)->length; return instance_in(v)->values;
    case LIST: *count = (uint32_t)list_in(v)->length; return list_in(v)->values;
    default: *count = 0; return NULL;
    }
}

static inline bool is_whole(Value v) { return kind_of(v) == INTEGER || kind_of(v) == BOOLEAN; }

/* The elements of a list or a tuple. */
typedef struct Elements {
    const Value *values;
    size_t length;
    int64_t birth;
} Elements;

bool elements_of(Machine *m, Value x, Elements *elements);

size_t range_length(const Value *range);
int64_t range_item(const Value *range, size_t i);
bool element_at(const Elements *elements, Value index, size_t *place);

/* Returns a new tuple with the machine's next birth; the caller fills its fields at once. */
Value born_tuple(Machine *m, size_t length);

#endif
