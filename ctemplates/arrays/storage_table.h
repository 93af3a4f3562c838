/* Counts the bytes of arrays by their storages, for libraries whose arrays NumPy's allocator does not make.
 *
 * In: arrays that a sweep makes, whichever views of a storage they are. Out: the bytes of all of these storages that are
 * still alive, each counted once, whoever holds views of it. A weak reference to the storage says when it is freed.
 * Storages of the caller's own arrays (`given`: a set of their identities) count nothing.
 *
 * A library says in checkpoint.ad.array_library.storages which function returns an array's storage, and which its bytes.
 */
#ifndef CK_STORAGE_TABLE_H
#define CK_STORAGE_TABLE_H

#include "memory/heap.h"
#include "memory/resident.h"

typedef struct StorageTable StorageTable;

/* bound: the bytes that may be held, `entered` of them already, besides accumulators of up to `results`. Where the
 * process is found to hold more, free memory that the allocator keeps is returned to the system: the blocks of aligned
 * arrays leave gaps that it does not use again. 0: it is not known, and nothing is returned. Returns NULL where memory
 * has run out. Takes the GIL, as the next does. */
StorageTable *storage_table_begin(void *given, size_t bound, size_t results, size_t entered);
void storage_table_end(StorageTable *table);    /* NULL is ignored */

/* Returns where it reads how much is resident, if it does; also for NULL. */
Resident storage_table_resident(const StorageTable *table);

int64_t storage_table_live(const StorageTable *table); /* 0 for NULL */

/* Counts the storage of an array, if it has one and the heap's sweep counts them. No exception is set or lost. */
struct ArrayClasses;
void note_array(const struct ArrayClasses *c, const Heap *heap, void *array); /* PyObject *: the array */

/* Notes the array of a handle or accumulator that enters the heap; returns the bytes of an accumulator's array, 0 for all
 * else (HeapHooks). */
size_t note_foreign(const Heap *heap, void *python);

/* Returns how many handles of arrays the heap has, and stores them if there is room: `found` is not NULL. */
size_t arrays_in_heap(const Heap *heap, Foreign **found);

#endif
