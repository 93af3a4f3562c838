/* Instances of classes: a layout, which says what class it is of and which attributes it has, and their values. */
#ifndef CK_INSTANCES_H
#define CK_INSTANCES_H

#include "containers/mutable.h"

typedef struct Instance {
    Storage storage;
    Value layout; /* FOREIGN: a Python Layout */
    uint32_t length, room;
    Value *values;
} Instance;

static inline Instance *instance_in(Value v) { return (Instance *)v.object; }

/* Returns a new instance, of birth 0. Consumes the layout; the caller fills values[0..length) at once. */
Value new_instance_of(Heap *heap, Value layout, uint32_t length, uint64_t owner);
void instance_destroy(Heap *heap, Instance *instance); /* frees its content, but not the object itself */
void instance_resize(Heap *heap, Instance *instance, uint32_t room); /* room >= length */

/* Prepares a change: the instance has room for `more`, and its old content is saved. false: it is FROZEN. */
bool change_instance(Machine *m, Instance *instance, uint32_t more);

/* Adds an attribute to an instance with room for it, which then has another layout. Consumes both. */
static inline void instance_add(Heap *heap, Instance *instance, Value layout, Value v) {
    const Value old = instance->layout;
    instance->values[instance->length++] = v;
    instance->layout = layout;
    drop(heap, old);
}

#endif
