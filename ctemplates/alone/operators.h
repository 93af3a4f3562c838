/* Operators in an executable: runs within steps, which have as their helper the place where they are (effects.h).
 *
 * Both gradients are those of operators/gradient.h. Where one is refused, the run within has raised something, its cotangent
 * does not fit, or there is more than C has room for.
 */
#ifndef CK_ALONE_OPERATORS_H
#define CK_ALONE_OPERATORS_H

#include "state/cotangent.h"
#include "state/whole.h"

/* Of HeapHooks. */
bool alone_gradient(Machine *m, const Value *operands, int64_t base, Value *result);
bool alone_reverse(Cotangent *c, const Whole *whole, Value *received, const Register *at);

#endif
