/* Instances: see instances.h. */
#include "containers/instances.h"

enum { MORE_ROOM = 4 };

Value new_instance_of(Heap *heap, Value layout, uint32_t length, uint64_t owner) {
    Value *values = length ? heap_allocate(heap, length * sizeof(Value)) : NULL;
    Instance *instance = (Instance *)new_object(heap, INSTANCE, sizeof(Instance));
    instance->storage.owner = owner;
    instance->layout = layout;
    instance->length = instance->room = length;
    instance->values = values;
    return of_object(INSTANCE, instance);
}

void instance_destroy(Heap *heap, Instance *instance) {
    for (uint32_t i = 0; i < instance->length; i++) drop(heap, instance->values[i]);
    if (instance->room) heap_free(heap, instance->values, instance->room * sizeof(Value));
    drop(heap, instance->layout);
}

void instance_resize(Heap *heap, Instance *instance, uint32_t room) {
    const size_t size = sizeof(Value);
    instance->values = instance->room ? heap_resize(heap, instance->values, instance->room * size, room * size)
                                      : heap_allocate(heap, room * size);
    instance->room = room;
}

static Storage *copied_instance(Heap *heap, const Instance *instance) {
    const Value made = new_instance_of(heap, copied(instance->layout), instance->length, NOBODY);
    Instance *copy = instance_in(made);
    copy->storage.head.birth = instance->storage.head.birth;
    for (uint32_t i = 0; i < instance->length; i++) copy->values[i] = copied(instance->values[i]);
    return &copy->storage;
}

bool change_instance(Machine *m, Instance *instance, uint32_t more) {
    if (instance->storage.owner == FROZEN) return false;
    if (instance->length + more > instance->room)
        instance_resize(m->heap, instance, instance->length + more + MORE_ROOM);
    if (must_save(m, &instance->storage))
        writer_save(m->heap, &m->writer, &instance->storage, copied_instance(m->heap, instance));
    begin_change(m, &instance->storage);
    return true;
}
