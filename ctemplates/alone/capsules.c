/* Capsules: see capsules.h. */
#include "alone/capsules.h"

#include <stdlib.h>

#include "alone/effects.h"
#include "alone/raising.h"
#include "machine/clock.h"
#include "machine/vm.h"
#include "operators/inner.h"

bool is_resume(Value procedure) {
    const Kind kind = kind_of(procedure);
    if (kind != PROCEDURE && kind != CLOSURE) return false;
    return ((const ProcedureFacts *)procedure_of(procedure)->lambda)->resumes;
}

static void release_capsule(void *thing) {
    Capsule *capsule = thing;
    state_release(capsule->heap, capsule->state);
    free(capsule);
}

/* Returns a new capsule; takes the reference to the state. */
static Value new_capsule(Heap *heap, State *state) {
    Capsule *made = malloc(sizeof *made);
    if (!made) heap_exhausted(heap);
    *made = (Capsule){{CAPSULE, NULL, release_capsule}, heap, state};
    return new_foreign(heap, made, false);
}

static bool run_from(Machine *m, const State *start, int64_t limit, int64_t *steps, Value *made) {
    Machine *machine = machine_create(m->heap, start, NULL, m->heap->nesting.within);
    const int64_t last = limit < INT64_MAX - start->steps ? start->steps + limit : INT64_MAX;
    Outcome outcome;
    do outcome = machine_run(machine, last, SLICE);
    while (outcome == SLICED);
    *steps = machine->steps - start->steps;
    if (outcome == FAILED) return false;
    if (made && *steps == limit) *made = new_capsule(m->heap, machine_state(machine));
    machine_destroy(machine);
    return true;
}

/* Makes the first state of a run; false: it cannot begin. The run is opened in any case. */
static bool begin(Inner *run, Tags *tags, Machine *m, const Value *operands) {
    static const Register nowhere[MOST_WHOLE] = {NO_REGISTER, NO_REGISTER, NO_REGISTER};
    if (!inner_open(run, m->heap, operands[0], operands[1], nowhere) || !tags_add(tags, &run->u, 0)) return false;
    if (!inner_tagged(run, tags->count, m->tags)) return false;
    inner_fill(run, tags);
    inner_start(run, operands[0], operands[1]);
    return true;
}

bool run_apart(Machine *m, const Value *operands, int64_t limit, int64_t *steps, Value *made) {
    Within within = {m->helper, m->steps};
    void *outer = m->heap->nesting.within;
    Inner run = {.halt = NULL};
    Tags tags = {.count = 0};
    const Capsule *rest = is_resume(operands[0]) ? capsule_in(operands[1]) : NULL;
    if (is_resume(operands[0]) && !rest) return false;
    m->heap->nesting.within = &within;
    m->heap->nesting.depth++;
    bool done = rest ? run_from(m, rest->state, limit, steps, made)
                     : begin(&run, &tags, m, operands) && run_from(m, run.start, limit, steps, made);
    m->heap->nesting.depth--;
    if (!done) raised_within(m, &run.tags, &tags);
    if (!rest) inner_end(&run);
    m->heap->nesting.within = outer;
    return done;
}
