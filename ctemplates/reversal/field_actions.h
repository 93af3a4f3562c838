/* Actions on fields of objects, inlined in the reversal of whole blocks and of parts. */
#ifndef CK_FIELD_ACTIONS_H
#define CK_FIELD_ACTIONS_H

#include "state/copies.h"
#include "state/cotangent.h"

static inline void give_to(Cotangent *c, Value *source, uint64_t birth, int64_t field) {
    if (birth && !is_zero_cotangent(*source)) cotangent_give(c, birth, field, take_accumulator(source));
}

/* Moves the accumulator of a field to that of a slot; a target of NULL discards it. */
static inline void put_back(Cotangent *c, Value *target, uint64_t birth, int64_t field) {
    const Value cotangent = cotangent_take(c, birth, field);
    if (target)
        accumulate(c->heap, target, cotangent);
    else
        drop(c->heap, cotangent);
}

/* Adds the accumulators of copied fields to their sources, by the note of a Rearrange (native.h), whose object is
 * new. */
static inline void give_copied(Cotangent *c, const Word *note) {
    for (int64_t i = note[3].field; i-- > 0;) {
        const Value cotangent = cotangent_take(c, note[2].birth, i);
        if (!is_zero_cotangent(cotangent)) cotangent_give(c, note[0].birth, note[1].field + i, cotangent);
    }
}

/* Adds what copies have received to what the originals have, the last copy first, as if each number had been copied by
 * itself. */
static inline void give_copies(Cotangent *c, const Copies *copies) {
    for (size_t i = copies->count; i-- > 0;) {
        const FieldRun *run = &copies->runs[i];
        for (int64_t k = run->count; k-- > 0;) {
            const Value cotangent = cotangent_take(c, run->to, run->made + k);
            if (is_zero_cotangent(cotangent)) continue;
            if (run->from)
                cotangent_give(c, run->from, run->first + k, cotangent);
            else
                drop(c->heap, cotangent);
        }
    }
}

#endif
