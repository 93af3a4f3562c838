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

/* A new one, of birth 0. The caller fills items->values[0..length) at once. */
Value new_list(Heap *heap, size_t length, uint64_t owner);
Value born_list(Machine *m, size_t length); /* the same of the machine's run, with its next birth */
void list_destroy(Heap *heap, List *list); /* frees what it has, but not its object */

/* A new handle of what the old one refers to, which is stale after this step: with room for `more` items.
 * false: the program may not change it. */
bool changed_list(Machine *m, int64_t steps, List *old, size_t more, Value *handle);

#endif
