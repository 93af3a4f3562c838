/* What lists and dictionaries have in common: they are handles on items that several handles may share.
 *
 * An update gives a new handle, and leaves the old one stale from its step on: checkpoint/ad/containers.py says when
 * that may be in place. Here `owner` is the machine's `run`, NOBODY, or FROZEN (heap.h). Looking at a stale handle,
 * changing a frozen one, and whatever else fails is left to Python.
 */
#ifndef CK_HANDLES_H
#define CK_HANDLES_H

#include "state/machine.h"

#define NO_FIELD INT64_MIN

/* Gives an object the machine's next birth. */
static inline Value born(Machine *m, Value object) {
    object.object->birth = (uint64_t)m->births++ & LARGEST_BIRTH;
    return object;
}

/* The new handle has the birth of the old one, if that has one. */
static inline void inherit_birth(Machine *m, const Object *old, Object *new) {
    new->birth = old->birth ? old->birth : (uint64_t)m->births++ & LARGEST_BIRTH;
}

#endif
