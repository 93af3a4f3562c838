/* Handles: lists and dictionaries are handles on items, which several handles may share.
 *
 * An update makes a new handle and leaves the old one stale from its step on: checkpoint/ad/storage.py states the law,
 * and the functions below decide alike. Here `owner` is the machine's `run`, NOBODY, or FROZEN (heap.h).
 * Reading a stale handle, changing a frozen one, and whatever else fails is left to Python.
 */
#ifndef CK_HANDLES_H
#define CK_HANDLES_H

#include "state/machine.h"

#define NO_FIELD INT64_MIN

/* The header of every handle. */
typedef struct Storage {
    Object head;
    int64_t stale; /* from this number of steps on; NEVER: it is not */
    uint64_t owner;
} Storage;

static inline bool is_stale(const Storage *storage, int64_t steps) { return steps >= storage->stale; }
static inline bool is_writable(const Storage *storage, int64_t steps) {
    return !is_stale(storage, steps) && storage->owner != FROZEN;
}
static inline bool in_place(const Storage *storage, const Machine *m) { return storage->owner == m->run; }
/* Marks a handle as stale: an update by this step has made another handle. */
static inline void supersede(Storage *storage, int64_t steps) { storage->stale = steps + 1; }

/* Gives an object the machine's next birth. */
static inline Value born(Machine *m, Value object) {
    object.object->birth = (uint64_t)m->births++ & LARGEST_BIRTH;
    return object;
}

/* Gives the new handle the birth of the old one, if that has one. */
static inline void inherit_birth(Machine *m, const Object *old, Object *new) {
    new->birth = old->birth ? old->birth : (uint64_t)m->births++ & LARGEST_BIRTH;
}

#endif
