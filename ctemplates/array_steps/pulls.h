/* The reversal of steps on arrays, without Python code but for the rules of records that need it. */
#ifndef CK_PULLS_H
#define CK_PULLS_H

#include "array_steps/pull.h"

/* Adds to the accumulators of a step's operands, from the cotangent of its result, which may be used up. An origin that
 * is not an Applied, and accumulators of duals, are left to the helper. */
Pulling array_reverse(Pull *pull, Cotangent *cotangent, const Step *step, PyObject *origin, Value *received,
                      Value *accumulators, uint32_t count);

#endif
