/* What a cotangent still has of objects that were made from a birth on: nothing, once their making has been reversed.
 *
 * In: a cotangent between two blocks. Out: the number of its accumulators for such objects; it takes a walk over all.
 */
#ifndef CK_LEFT_OVER_H
#define CK_LEFT_OVER_H

#include "state/cotangent.h"

size_t cotangent_left_over(const Cotangent *c, uint64_t birth);

#endif
