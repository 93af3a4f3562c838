/* The stack of the accumulators of frames (cotangent.h).
 *
 * In: accumulators, which pushing consumes. Out: the last one. What always holds: the top chunk is never empty but for the
 * lowest.
 */
#ifndef CK_COTANGENT_STACK_H
#define CK_COTANGENT_STACK_H

#include "state/cotangent.h"

void cotangent_push(Cotangent *c, Value cotangent);
Value cotangent_pop(Cotangent *c); /* 0 if the stack is empty */

#endif
