/* *j and its kin as one native step, and its reversal, by the definition of checkpoint/prims/operators.py.
 *
 * Write u for (procedure . argument). Where numbers of the operands carry derivatives, under k tags, one run on duals of k
 * tags of its own gives value and cotangents with all theirs: the component b of a cotangent, of which bit j says whether
 * it is the tangent at the tag j, is that of the flipped bits. The reversal of a step with k tags is one run with one tag
 * more, the directional derivative along the cotangent of the argument's.
 *
 * What always holds: a step or reversal either completes or is refused before any side effect.
 */
#ifndef CK_GRADIENT_H
#define CK_GRADIENT_H

#include "state/machine.h"

/* See HeapHooks (memory/heap.h); gradient_reverse.h for the reversal. */
bool gradient_step(Machine *m, const Value *operands, int64_t base, Value *result);

#endif
