/* What the lanes of a strip give to the cotangents of what they share (checkpoint/ctarget/translate/strips).
 *
 * In: gifts, each a column of cotangents, one for each lane. Out: the map of accumulators, to which all have been added.
 * What always holds: every accumulator has the bits that it would have if one lane after another gave, the last lane
 * first, each its gifts in their order.
 */
#ifndef CK_LANE_GIFTS_H
#define CK_LANE_GIFTS_H

#include "state/cotangent_rows.h"

typedef struct LaneGifts {
    uint64_t birth;
    int64_t field;          /* of all lanes, where `fields` is NULL */
    const int64_t *fields;  /* one for each lane */
    const double *cotangents; /* one for each lane; 0 gives nothing */
} LaneGifts;

void cotangent_give_lanes(Cotangent *c, const LaneGifts *gifts, size_t count, int lanes);

#endif
