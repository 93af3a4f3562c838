/* Accumulators of places (derivatives/places.h). */
#ifndef CK_ACCUMULATORS_OF_PLACES_H
#define CK_ACCUMULATORS_OF_PLACES_H

#include "derivatives/places.h"
#include "state/cotangent.h"

/* Adds a contribution, which it consumes, to the accumulator of a place. */
static inline void give_to_place(Cotangent *c, Site place, Value contribution) {
    c->mixed |= contribution.tag != REAL;
    if (place.at != NO_REGISTER)
        accumulate(c->heap, &c->window[place.at], contribution);
    else if (place.birth && !is_zero_cotangent(contribution))
        cotangent_give(c, place.birth, place.field, contribution);
    else
        drop(c->heap, contribution);
}

/* Removes and returns the accumulator of a number of a step's result: that of the result itself has been `received`. */
static inline Value take_from_place(Cotangent *c, Site place, Value *received) {
    if (place.at != NO_REGISTER) return take_accumulator(received);
    return place.birth ? cotangent_take(c, place.birth, place.field) : of_real(0.0);
}

#endif
