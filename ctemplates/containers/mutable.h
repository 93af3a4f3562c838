/* Mutable containers: lists, dictionaries, instances. Each is one object, changed in place for all that refer to it.
 *
 * What always holds: a change saves the old content first, unless this epoch made or has saved the container
 * (versions.h). A container that came in from outside is FROZEN: its change, and whatever else fails, is left to
 * Python.
 */
#ifndef CK_MUTABLE_H
#define CK_MUTABLE_H

#include "state/machine.h"

#define NO_FIELD INT64_MIN

static inline Storage *storage_in(Value v) { return (Storage *)v.object; }
static inline bool is_mutable(Value v) {
    const Kind kind = kind_of(v);
    return kind == LIST || kind == DICTIONARY || kind == INSTANCE;
}

/* Gives an object the machine's next birth. */
static inline Value born(Machine *m, Value object) {
    object.object->birth = (uint64_t)m->births++ & LARGEST_BIRTH;
    return object;
}

/* Returns whether a change has to save the content of a container that is not FROZEN. */
static inline bool must_save(Machine *m, Storage *storage) {
    return storage->owner != m->writer.epoch && writer_saves(m->heap, &m->writer, storage);
}

/* Completes the beginning of a change: a container without a birth gets one. */
static inline void begin_change(Machine *m, Storage *storage) {
    if (UNLIKELY(!storage->head.birth)) born(m, of_object((Kind)storage->head.kind, storage));
}

#endif
