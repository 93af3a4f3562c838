/* The memo of a heap: an open hash table from which nothing is removed. */
#include "memory/memo.h"

#include <string.h>

#include "memory/hash.h"

typedef struct Memory {
    size_t count, room; /* a power of 2 */
    struct {
        const void *key;
        Value value;
    } entries[];
} Memory;

static size_t memory_bytes(size_t room) { return sizeof(Memory) + room * sizeof(((Memory *)NULL)->entries[0]); }

static size_t memory_place(const Memory *memory, const void *key) {
    size_t place = mix_pointer(key) & (memory->room - 1);
    while (memory->entries[place].key && memory->entries[place].key != key) place = (place + 1) & (memory->room - 1);
    return place;
}

bool heap_recall(const Heap *heap, const void *key, Value *value) {
    const Memory *memory = heap->constants;
    if (!memory) return false;
    const size_t place = memory_place(memory, key);
    if (!memory->entries[place].key) return false;
    *value = memory->entries[place].value;
    return true;
}

static Memory *grown_memory(Heap *heap, Memory *old) {
    const size_t room = old ? 2 * old->room : 64;
    Memory *memory = heap_allocate(heap, memory_bytes(room));
    memset(memory, 0, memory_bytes(room));
    memory->room = room;
    for (size_t i = 0; old && i < old->room; i++)
        if (old->entries[i].key) memory->entries[memory_place(memory, old->entries[i].key)] = old->entries[i];
    if (old) {
        memory->count = old->count;
        heap_free(heap, old, memory_bytes(old->room));
    }
    return memory;
}

void heap_remember(Heap *heap, const void *key, Value value) {
    Memory *memory = heap->constants;
    if (!memory || 2 * memory->count >= memory->room) heap->constants = memory = grown_memory(heap, memory);
    const size_t place = memory_place(memory, key);
    if (!memory->entries[place].key) memory->count++;
    memory->entries[place].key = key;
    memory->entries[place].value = value;
}
