/* New handles: see handles.h.
 *
 * What always holds: what lies in a pool has no references, empty slots, a reference to its class, and is not tracked.
 * The classes have slots alone: no dictionary, no weak references, no `__del__`, no classes that derive from them.
 */
#include "arrays/handles.h"

enum { MOST_FREE = 256, POOLS = 4 }; /* objects in a pool */

typedef struct Pool {
    PyTypeObject *type; /* NULL: the pool is not used */
    int count;
    PyObject *free[MOST_FREE];
} Pool;

static Pool pools[POOLS];

static Pool *pool_of(const PyTypeObject *type) {
    for (int i = 0; i < POOLS; i++)
        if (pools[i].type == type) return &pools[i];
    return NULL;
}

/* Frees an instance, as Python does those of classes with slots, or keeps it for later. */
static void put_back(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject **slots = (PyObject **)(void *)(object + 1), **end = slot_of(object, type->tp_basicsize);
    PyObject_GC_UnTrack(object);
    for (; slots < end; slots++) Py_CLEAR(*slots);
    Pool *pool = pool_of(type);
    if (pool && pool->count < MOST_FREE) {
        pool->free[pool->count++] = object;
        return;
    }
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

/* Returns whether a class has slots alone: then its instances consist of the references in them. */
static bool has_slots_alone(PyTypeObject *type) {
    return type->tp_dictoffset == 0 && type->tp_weaklistoffset == 0 && !type->tp_del && !type->tp_finalize &&
           type->tp_itemsize == 0 && PyType_IS_GC(type);
}

static void begin_pool(Pool *pool, PyTypeObject *type) {
#ifndef Py_GIL_DISABLED
    if (!has_slots_alone(type)) return;
    pool->type = type;
    type->tp_dealloc = put_back;
#endif
}

static void begin_pools(const ArrayClasses *c) {
    PyTypeObject *const types[POOLS] = {c->array, c->discrete, c->memory, c->accumulator};
    for (int i = 0; i < POOLS; i++) begin_pool(&pools[i], types[i]);
}

PyObject *new_handle(const ArrayClasses *c, PyTypeObject *type) {
    static bool begun;
    if (!begun) begin_pools(c);
    begun = true;
    Pool *pool = pool_of(type);
    if (!pool || !pool->count) return new_untracked(type);
    PyObject *made = pool->free[--pool->count];
    _Py_NewReference(made);
    return made;
}

PyObject *new_memory(const ArrayClasses *c, PyObject *owner, bool constant) {
    PyObject *memory = new_handle(c, c->memory);
    if (!memory) return NULL;
    *slot_of(memory, classes()->storage_owner) = Py_NewRef(owner);
    *slot_of(memory, classes()->storage_stale) = Py_NewRef(classes()->never);
    *slot_of(memory, c->memory_transient) = Py_NewRef(Py_False);
    *slot_of(memory, c->memory_constant) = Py_NewRef(constant ? Py_True : Py_False);
    return memory;
}

PyObject *new_array(const ArrayClasses *c, PyTypeObject *type, PyObject *data, PyObject *memory, PyObject *form) {
    PyObject *made = memory ? new_handle(c, type) : NULL;
    if (!made) {
        Py_XDECREF(memory);
        return NULL;
    }
    *slot_of(made, type == c->array ? c->array_data : c->discrete_data) = Py_NewRef(data);
    *slot_of(made, type == c->array ? c->array_memory : c->discrete_memory) = memory;
    if (form) *slot_of(made, c->array_form) = Py_NewRef(form);
    return made;
}

bool is_constant(const ArrayClasses *c, PyObject *array) {
    PyObject *memory = memory_of(c, array);
    return *slot_of(memory, c->memory_constant) == Py_True || *slot_of(memory, classes()->storage_owner) == c->constant;
}
