/* Implements storage_table.h: two hash tables, of storages and of the weak references to them.
 *
 * What always holds: each storage that is counted has one weak reference, which the table owns, and whose callback
 * removes both. A callback may run whenever Python does, so no place in a table is used across a call of Python.
 */
#include "arrays/storage_table.h"

#include <string.h>

#include "arrays/forms.h"
#include "bridge/gil.h"
#include "memory/exceptions.h"
#include "memory/hash.h"
#include "memory/memory.h"
#include "memory/resident.h"

typedef struct Place {
    PyObject *key;   /* NULL: it is free */
    PyObject *other; /* of a storage its weak reference, of that the storage, whose address alone is used */
    size_t bytes;
} Place;

typedef struct Places { /* open addressing, at most half full */
    Place *all;
    size_t room, count;
} Places;

typedef struct Memory {
    int64_t resident, malloced; /* resident: of the process, 0: unknown; malloced: what malloc has given out of it */
} Memory;

struct StorageTable {
    Places storages, references;
    PyObject *given, *callback; /* owned */
    int64_t live;
    size_t results; /* the bytes of accumulators that are returned, at most */
    /* What decides when free memory is returned to the system, in bytes. since: counted since that was last asked;
     * limit: what may be resident beyond the results and what was when the sweep had begun, without what had entered;
     * left: what was resident, too, and free; largest: of the storages that are counted. */
    int64_t bound, since, limit, left, largest;
    Memory begun;
    Resident resident;
};

/* FIRST_ROOM: places; a power of two. LEAST_ACCUMULATOR: bytes; smaller ones are not worth the time that counting takes. */
enum { FIRST_ROOM = 64, LEAST_ACCUMULATOR = 4096 };
/* Parts of the bound: what is left of it when memory is returned, and how much is counted before resident memory is
 * read again, and grown before more is returned. To return memory often costs much: what is used again soon comes back
 * page by page. */
enum { PART_LEFT = 16, PART_GROWN = 64 };

/* The last that began. Read and written under the GIL. */
static Memory last;

static const char CAPSULE[] = "checkpoint_storages";

/* Places */

static size_t home_of(const Places *places, const PyObject *key) { return mix_pointer(key) & (places->room - 1); }

static Place *place_of(const Places *places, const PyObject *key) {
    size_t at = home_of(places, key);
    while (places->all[at].key && places->all[at].key != key) at = (at + 1) & (places->room - 1);
    return &places->all[at];
}

static bool reserve(Places *places) {
    if (2 * (places->count + 1) <= places->room) return true;
    const Places old = *places;
    const size_t room = old.room ? 2 * old.room : FIRST_ROOM;
    Place *all = memory_take(room * sizeof *all);
    if (!all) return false;
    memset(all, 0, room * sizeof *all);
    places->all = all;
    places->room = room;
    for (size_t i = 0; i < old.room; i++)
        if (old.all[i].key) *place_of(places, old.all[i].key) = old.all[i];
    if (old.all) memory_give(old.all, old.room * sizeof *all);
    return true;
}

static void enter(Places *places, Place entered) {
    *place_of(places, entered.key) = entered;
    places->count++;
}

/* Removes a place: those after it are moved up, unless that would put one before its home. */
static Place leave(Places *places, const PyObject *key) {
    Place *found = place_of(places, key);
    const Place left = *found;
    if (!left.key) return left;
    const size_t mask = places->room - 1;
    size_t gap = (size_t)(found - places->all);
    for (size_t i = (gap + 1) & mask; places->all[i].key; i = (i + 1) & mask) {
        if (((i - home_of(places, places->all[i].key)) & mask) < ((i - gap) & mask)) continue;
        places->all[gap] = places->all[i];
        gap = i;
    }
    places->all[gap] = (Place){0};
    places->count--;
    return left;
}

static void drop_places(Places *places) {
    if (places->all) memory_give(places->all, places->room * sizeof *places->all);
    *places = (Places){0};
}

/* The end of a storage */

static PyObject *freed(PyObject *capsule, PyObject *reference) {
    StorageTable *table = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!table) return NULL;
    if (table->references.room) {
        const Place left = leave(&table->references, reference);
        if (left.key) {
            leave(&table->storages, left.other);
            table->live -= (int64_t)left.bytes;
            Py_DECREF(reference);
        }
    }
    Py_RETURN_NONE;
}

static PyMethodDef FREED = {"freed", freed, METH_O, NULL};

static bool create(StorageTable *table, PyObject *given) {
    PyObject *capsule = PyCapsule_New(table, CAPSULE, NULL);
    table->callback = capsule ? PyCFunction_New(&FREED, capsule) : NULL;
    Py_XDECREF(capsule);
    if (!table->callback) {
        forget_exception();
        return false;
    }
    table->given = Py_XNewRef(given);
    return true;
}

static int64_t beyond(int64_t a, int64_t b) { return a > b ? a - b : 0; }

/* Returns what is resident, and malloc has given out, besides `entered`. */
static Memory present(const StorageTable *table, int64_t entered) {
    return (Memory){beyond(resident_bytes(table->resident), entered), resident_malloced() - entered};
}

/* Returns how much more is resident and free now than it was then. */
static int64_t more_free(Memory now, Memory then) {
    return beyond(now.resident - then.resident, now.malloced - then.malloced);
}

/* What the last sweep has left free and resident counts as this one's: else each could hold the bound on top of that. */
static void begin_bound(StorageTable *table, int64_t bound, int64_t entered) {
    table->bound = bound;
    table->limit = bound - bound / PART_LEFT;
    table->resident = resident_open();
    table->begun = present(table, entered);
    table->left = last.resident ? more_free(table->begun, last) : 0;
    table->begun.resident -= table->left;
    last = table->begun;
}

/* Of what was left, only what can be returned was there for this sweep to use. */
static void correct_left(StorageTable *table) {
    const int64_t still = more_free(present(table, 0), table->begun);
    table->begun.resident += still < table->left ? still : table->left;
    table->left = 0;
    last = table->begun;
}

StorageTable *storage_table_begin(void *given, size_t bound, size_t results, size_t entered) {
    StorageTable *table = memory_take(sizeof *table);
    if (!table) return NULL;
    memset(table, 0, sizeof *table);
    table->results = results;
    table->resident = (Resident){-1};
    void *lock = python_lock();
    const bool made = create(table, given);
    if (made && bound > 0 && bound < INT64_MAX) begin_bound(table, (int64_t)bound, (int64_t)entered);
    python_unlock(lock);
    if (made) return table;
    memory_give(table, sizeof *table);
    return NULL;
}

/* The references go first: without them nobody calls the callback, which refers to the table. */
void storage_table_end(StorageTable *table) {
    if (!table) return;
    void *lock = python_lock();
    const Places references = table->references;
    table->references = (Places){0};
    for (size_t i = 0; i < references.room; i++) Py_XDECREF(references.all[i].key);
    if (references.all) memory_give(references.all, references.room * sizeof *references.all);
    drop_places(&table->storages);
    Py_DECREF(table->callback);
    Py_XDECREF(table->given);
    python_unlock(lock);
    resident_close(table->resident);
    memory_give(table, sizeof *table);
}

Resident storage_table_resident(const StorageTable *table) { return table ? table->resident : (Resident){-1}; }

int64_t storage_table_live(const StorageTable *table) { return table ? table->live : 0; }

/* Counting */

/* Returns what the process holds beyond what it held at the beginning, and the results. */
static int64_t grown(const StorageTable *table, const Heap *heap) {
    const size_t results = heap->accumulated < table->results ? heap->accumulated : table->results;
    return resident_bytes(table->resident) - table->begun.resident - (int64_t)results;
}

/* Returns free memory to the system where the process is found to hold more than the limit, which is moved above what
 * is still held then. */
static void bound_resident(StorageTable *table, const Heap *heap) {
    if (table->since < table->bound / PART_GROWN) return;
    table->since = 0;
    if (!table->begun.resident || grown(table, heap) <= table->limit - table->largest) return;
    resident_return_free();
    correct_left(table);
    const int64_t least = table->bound - table->bound / PART_LEFT;
    const int64_t next = grown(table, heap) + table->bound / PART_GROWN + table->largest;
    table->limit = next > least ? next : least;
}

static bool is_given(const StorageTable *table, PyObject *storage) {
    PyObject *name = table->given ? PyLong_FromVoidPtr(storage) : NULL;
    const int found = name ? PySequence_Contains(table->given, name) : 0;
    Py_XDECREF(name);
    return found != 0;
}

/* Counts a storage that is not known yet. */
static void count(StorageTable *table, const Heap *heap, PyObject *storage, size_t bytes) {
    if (is_given(table, storage)) return;
    PyObject *reference = PyWeakref_NewRef(storage, table->callback);
    if (!reference || !reserve(&table->storages) || !reserve(&table->references)) {
        Py_XDECREF(reference);
        return;
    }
    enter(&table->storages, (Place){storage, reference, bytes});
    enter(&table->references, (Place){reference, storage, bytes});
    table->live += (int64_t)bytes;
    if (!table->bound) return;
    table->since += (int64_t)bytes;
    if ((int64_t)bytes > table->largest) table->largest = (int64_t)bytes;
    bound_resident(table, heap);
}

static bool is_known(const StorageTable *table, const PyObject *storage) {
    return table->storages.room && place_of(&table->storages, storage)->key;
}

void note_array(const ArrayClasses *c, const Heap *heap, void *array) {
    StorageTable *table = heap->storages;
    if (!table || !PyDict_GET_SIZE(c->storages) || PyErr_Occurred()) return;
    PyObject *storage = storage_of(c, array);
    if (storage && !is_known(table, storage)) {
        const int64_t bytes = storage_bytes(c, array, storage);
        if (bytes > 0) count(table, heap, storage, (size_t)bytes);
    }
    Py_XDECREF(storage);
    forget_exception(); /* what cannot be asked is not counted */
}

static size_t bytes_of(const ArrayClasses *c, PyObject *array) {
    PyObject *found = PyObject_GetAttr(array, c->nbytes);
    const Py_ssize_t bytes = found && PyLong_Check(found) ? PyLong_AsSsize_t(found) : 0;
    Py_XDECREF(found);
    forget_exception();
    return bytes > 0 ? (size_t)bytes : 0;
}

static size_t note_object(const Heap *heap, PyObject *python) {
    const ArrayClasses *c = PyErr_Occurred() ? NULL : array_classes();
    if (!c) return 0;
    const bool accumulates = Py_IS_TYPE(python, c->accumulator);
    PyObject *array = accumulates                        ? *slot_of(python, c->accumulator_array)
                      : Py_IS_TYPE(python, c->array)    ? *slot_of(python, c->array_data)
                      : Py_IS_TYPE(python, c->discrete) ? *slot_of(python, c->discrete_data)
                                                         : NULL;
    if (!array) return 0;
    const size_t bytes = accumulates ? bytes_of(c, array) : 0;
    if (!accumulates || bytes >= LEAST_ACCUMULATOR) note_array(c, heap, array);
    return bytes;
}

/* Steps of machines that hold no lock make foreign values, too: layouts, for one. */
size_t note_foreign(const Heap *heap, void *python) {
    void *lock = python_lock();
    const size_t accumulated = note_object(heap, python);
    python_unlock(lock);
    return accumulated;
}

/* Handles */

static bool is_handle(const ArrayClasses *c, const Foreign *foreign) {
    return Py_IS_TYPE(foreign->python, c->array) || Py_IS_TYPE(foreign->python, c->discrete);
}

size_t arrays_in_heap(const Heap *heap, Foreign **found) {
    void *lock = python_lock();
    const ArrayClasses *c = array_classes();
    size_t count = 0;
    if (!c) forget_exception();
    for (Foreign *foreign = heap->foreign; c && foreign; foreign = foreign->next) {
        if (!is_handle(c, foreign)) continue;
        if (found) found[count] = foreign;
        count++;
    }
    python_unlock(lock);
    return count;
}
