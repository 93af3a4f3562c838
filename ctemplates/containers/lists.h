/* Lists: handles on items. */
#ifndef CK_LISTS_H
#define CK_LISTS_H

#include "containers/handles.h"

typedef struct Items {
    uint32_t handles; /* how many share them */
    size_t length, room;
    Value *values;
} Items;

typedef struct List {
    Storage storage;
    Items *items;
} List;

static inline List *list_in(Value v) { return (List *)v.object; }

/* Returns a new list, of birth 0. The caller fills items->values[0..length) at once. */
Value new_list(Heap *heap, size_t length, uint64_t owner);
Value born_list(Machine *m, size_t length); /* the same of the machine's run, with its next birth */
void list_destroy(Heap *heap, List *list); /* frees its content, but not the object itself */

/* Stores a new handle on the same items, with room for `more`; the old one is stale after this step.
 * false: the program may not change it. */
bool changed_list(Machine *m, int64_t steps, List *old, size_t more, Value *handle);

#endif
