/* The real components of numbers that carry derivatives.
 *
 * The component b of a number, at the tags t0 > t1 > ..., is the real that is reached by its tangent under each tag whose
 * bit is set in b, and by its primal under the others: 0 if it has no tangent there. So a number is a row of 1 << count
 * reals, whichever of the tags it carries.
 */
#ifndef CK_COMPONENTS_H
#define CK_COMPONENTS_H

#include "derivatives/places.h"

enum { MOST_TAGS = 5 };

typedef struct Tags {
    uint32_t count;
    uint64_t all[MOST_TAGS]; /* the largest first; that of bit j at j */
} Tags;

static inline uint32_t row_of(const Tags *tags) { return 1u << tags->count; }

/* Adds the tags of numbers from `first` on. false: too many, or a number has a larger tag within a smaller one. */
bool tags_add(Tags *tags, const Locations *found, uint32_t first);

double component(const Tags *tags, Value number, uint32_t bits);

/* Returns the component of a number's accumulator. */
double component_received(const Tags *tags, Value number, Value accumulator, uint32_t bits);

/* Returns the number with all of the tags and these components, its outermost tag the largest. flipped: bit by bit, the
 * component of a primal is that of the bit 1. */
Value number_of_components(Heap *heap, const Tags *tags, const double *row, bool flipped);

/* Returns an accumulator for a number, of these components. */
Value accumulator_of_components(Heap *heap, const Tags *tags, Value number, const double *row, uint32_t bits);

#endif
