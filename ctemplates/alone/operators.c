/* Operators in an executable: see operators.h. */
#include "alone/operators.h"

#include "alone/effects.h"
#include "alone/raising.h"
#include "operators/gradient.h"
#include "operators/gradient_reverse.h"

bool alone_gradient(Machine *m, const Value *operands, int64_t base, Value *result) {
    Within within = {m->helper, m->steps};
    void *outer = m->heap->nesting.within;
    m->heap->nesting.within = &within;
    const bool done = gradient_step(m, operands, base, result);
    m->heap->nesting.within = outer;
    return done;
}

bool alone_reverse(Cotangent *c, const Whole *whole, Value *received, const Register *at) {
    Within within = {c->helper, whole->step};
    void *outer = c->heap->nesting.within;
    c->heap->nesting.within = &within;
    const bool done = whole->kind == WHOLE_RAISE ? reverse_raised(c, whole, received, at)
                                                 : gradient_reverse(c, whole, received, at);
    c->heap->nesting.within = outer;
    return done;
}
