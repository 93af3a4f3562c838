/* What an executable has in the place of Python and of arrays: see without.h. */
#include "alone/without.h"

#include "memory/pages.h"

/* Memory is traced by nobody. */

void *memory_take(size_t bytes) { return pages_take(bytes); }
void *memory_resize(void *memory, size_t old_bytes, size_t bytes) { return pages_resize(memory, old_bytes, bytes); }
void memory_give(void *memory, size_t bytes) { pages_give(memory, bytes); }

/* There is no lock. */

void *python_lock(void) { return NULL; }
void python_unlock(void *lock) { (void)lock; }
void python_release(void *python) { (void)python; }

/* All code is there. */

bool foreign_make_code(Heap *heap, void *helper, const Block *block, Form form) {
    (void)heap, (void)helper, (void)block, (void)form;
    return false;
}

/* There are no arrays. */

ArrayMemory *array_memory_begin(void) { return NULL; }
void array_memory_end(ArrayMemory *memory) { (void)memory; }
void array_memory_before_large(ArrayMemory *memory, void (*make_room)(void *context, size_t bytes), void *context) {
    (void)memory;
    (void)make_room;
    (void)context;
}

int64_t array_memory_live(const ArrayMemory *memory) {
    (void)memory;
    return 0;
}

int64_t array_memory_peak(const ArrayMemory *memory) {
    (void)memory;
    return 0;
}

void array_memory_begin_peak(ArrayMemory *memory) { (void)memory; }
int64_t array_memory_step_peak(ArrayMemory *memory) {
    (void)memory;
    return 0;
}

StorageTable *storage_table_begin(void *given, size_t bound, size_t results, size_t entered) {
    (void)given, (void)bound, (void)results, (void)entered;
    return NULL;
}

void storage_table_end(StorageTable *table) { (void)table; }

int64_t storage_table_live(const StorageTable *table) {
    (void)table;
    return 0;
}

Resident storage_table_resident(const StorageTable *table) {
    (void)table;
    return (Resident){-1};
}

size_t arrays_in_heap(const Heap *heap, Foreign **found) {
    (void)heap, (void)found;
    return 0;
}

/* There is one heap. */

Value bridge_share(Heap *heap, Value foreign) {
    (void)heap;
    return copied(foreign);
}
