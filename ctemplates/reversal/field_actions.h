/* What whole blocks and parts do alike, inlined in both: fields of objects. */
#ifndef CK_FIELD_ACTIONS_H
#define CK_FIELD_ACTIONS_H

#include "state/cotangent.h"

static inline void give_to(Cotangent *c, Value *source, uint64_t birth, int64_t field) {
    if (birth && !amount_is_zero(*source)) cotangent_give(c, birth, field, amount_out(source));
}

/* NULL: to nobody. */
static inline void put_back(Cotangent *c, Value *target, uint64_t birth, int64_t field) {
    const Value amount = cotangent_take(c, birth, field);
    if (target)
        amount_to(c->heap, target, amount);
    else
        drop(c->heap, amount);
}

/* The note of a Rearrange (native.h). Its object is a new one, so what is given is not taken here. */
static inline void give_copied(Cotangent *c, const Word *note) {
    for (int64_t i = note[3].field; i-- > 0;) {
        const Value amount = cotangent_take(c, note[2].birth, i);
        if (!amount_is_zero(amount)) cotangent_give(c, note[0].birth, note[1].field + i, amount);
    }
}

#endif
