/* Operators in an executable: see operators.h. */
#include "alone/operators.h"

#include "alone/effects.h"
#include "alone/raising.h"
#include "machine/clock.h"
#include "machine/vm.h"
#include "operators/gradient.h"
#include "operators/gradient_reverse.h"
#include "operators/inner.h"

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

/* Runs from the first state to the end, without a tape. */
static bool run_on(Inner *run, int64_t *steps) {
    Machine *machine = machine_create(run->heap, run->start, NULL, run->heap->nesting.within);
    Outcome outcome;
    do outcome = machine_run(machine, INT64_MAX, SLICE);
    while (outcome == SLICED);
    *steps = machine->steps;
    if (outcome == FINISHED) machine_destroy(machine);
    return outcome == FINISHED;
}

bool alone_primops(Machine *m, const Value *operands, Value *result) {
    static const Register nowhere[MOST_WHOLE] = {NO_REGISTER, NO_REGISTER, NO_REGISTER};
    Within within = {m->helper, m->steps};
    void *outer = m->heap->nesting.within;
    Inner run = {.halt = NULL};
    Tags tags = {.count = 0};
    int64_t steps = 0;
    m->heap->nesting.within = &within;
    bool done = inner_open(&run, m->heap, operands[0], operands[1], nowhere) && tags_add(&tags, &run.u, 0) &&
                inner_tagged(&run, tags.count, m->tags);
    if (done) {
        inner_fill(&run, &tags);
        inner_start(&run, operands[0], operands[1]);
        m->heap->nesting.depth++;
        done = run_on(&run, &steps);
        m->heap->nesting.depth--;
    }
    if (!done) raised_within(m, &run.tags, &tags);
    inner_end(&run);
    m->heap->nesting.within = outer;
    if (done) *result = of_real((double)steps);
    return done;
}
