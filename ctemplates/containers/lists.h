/* Lists. */
#ifndef CK_LISTS_H
#define CK_LISTS_H

#include "containers/mutable.h"

typedef struct List {
    Storage storage;
    size_t length, room;
    Value *values;
} List;

static inline List *list_in(Value v) { return (List *)v.object; }

/* Returns a new list, of birth 0. The caller fills values[0..length) at once. */
Value new_list(Heap *heap, size_t length, uint64_t owner);
Value born_list(Machine *m, size_t length); /* the same of the machine's run, with its next birth */
void list_destroy(Heap *heap, List *list);  /* frees its content, but not the object itself */
void list_resize(Heap *heap, List *list, size_t room); /* room >= length */

/* Prepares a change: the list has room for `more`, and its old content is saved. false: it is FROZEN. */
bool change_list(Machine *m, List *list, size_t more);

#endif
