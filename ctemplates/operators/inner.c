/* A run within a step, and its reversal: see inner.h. */
#include "operators/inner.h"

#include "derivatives/copying.h"
#include "operators/code.h"
#include "reversal/places.h"
#include "reversal/reverse_program.h"
#include "scalars/duals.h"

/* DEEPEST_NEST: runs within steps of runs, each of which is on the stack of C; DEEPEST_NEST_ALONE: in executables, whose stack is
 * made for it. MOST_STEPS: of all runs within one step: about 2 ms, after which a run is worth what Python does for it: it
 * can be interrupted, and is translated. PACE: between two looks at that. */
enum { DEEPEST_NEST = 6, DEEPEST_NEST_ALONE = 10000, MOST_STEPS = 60000, PACE = 20000, FIRST_BIRTH = 2, MOST_SKIPPED = 255 };

bool inner_open(Inner *run, Heap *heap, Value procedure, Value argument, const Register *at) {
    run->heap = heap;
    run->reals = NULL;
    if (!run->halt) run->halt = built_in.halt;
    run->start = NULL;
    run->sweep = NULL;
    run->cotangent = NULL;
    locations_begin(&run->u, heap);
    const Kind kind = kind_of(procedure);
    if (!built_in.entry || heap->nesting.depth >= (heap_is_alone(heap) ? DEEPEST_NEST_ALONE : DEEPEST_NEST)) return false;
    if ((kind != CLOSURE && kind != PROCEDURE) || procedure_of(procedure)->arity != 1) return false;
    run->procedure = (Procedure *)(uintptr_t)upper(procedure);
    if (!locations_add(&run->u, procedure, in_register(at[0]), AS_GRAPH)) return false;
    run->of_procedure = run->u.count;
    run->u.hollow = false;
    return locations_add(&run->u, argument, in_register(at[1]), AS_TREE);
}

static size_t reals_bytes(const Inner *run) { return ((size_t)run->u.count << run->tags.count) * sizeof(double); }

/* Procedures are shared by threads, which may lose counts of each other's. */
static int64_t load_count(const int64_t *from) { return __atomic_load_n(from, __ATOMIC_RELAXED); }
static void store_count(int64_t *to, int64_t count) { __atomic_store_n(to, count, __ATOMIC_RELAXED); }
static void add_count(int64_t *to, int64_t more) { store_count(to, load_count(to) + more); }
static uint8_t count_in(const uint8_t *from) { return __atomic_load_n(from, __ATOMIC_RELAXED); }
static void set_count(uint8_t *to, uint32_t count) { __atomic_store_n(to, (uint8_t)count, __ATOMIC_RELAXED); }

static bool refused(Inner *run) {
    if (heap_is_alone(run->heap)) return false;
    uint8_t *skipped = &run->procedure->skipped[run->is_derived];
    const uint32_t more = 2 * count_in(skipped) + 1u;
    set_count(skipped, more < MOST_SKIPPED ? more : MOST_SKIPPED);
    set_count(&run->procedure->to_skip[run->is_derived], count_in(skipped));
    return false;
}

/* The steps of a procedure's runs after which one is left to Python; 0: any number. */
static int64_t watched_steps;

void inner_watch(int64_t steps) { store_count(&watched_steps, steps); }

void inner_taken(Procedure *procedure, int64_t patience, int64_t *steps, int64_t *runs) {
    *steps = load_count(&procedure->inner_steps);
    *runs = load_count(&procedure->inner_runs);
    store_count(&procedure->inner_steps, 0);
    store_count(&procedure->inner_runs, 0);
    store_count(&procedure->inner_due, patience * load_count(&watched_steps));
}

static void count_run(Inner *run) {
    add_count(&run->procedure->inner_steps, run->sweep->end->steps);
    add_count(&run->procedure->inner_runs, 1);
}

static bool is_sampled(const Procedure *procedure) {
    const int64_t least = load_count(&watched_steps), due = load_count(&procedure->inner_due);
    return least && load_count(&procedure->inner_steps) > (due > least ? due : least);
}

bool inner_tagged(Inner *run, uint32_t count, int64_t first) {
    run->is_derived = count > 0;
    if (is_sampled(run->procedure)) return false;
    uint8_t *to_skip = &run->procedure->to_skip[run->is_derived];
    if (count_in(to_skip)) {
        set_count(to_skip, count_in(to_skip) - 1u);
        return false;
    }
    run->tags.count = count;
    run->first = first;
    for (uint32_t j = 0; j < count; j++) run->tags.all[j] = (uint64_t)first + count - 1 - j;
    run->reals = heap_allocate(run->heap, reals_bytes(run) + 1);
    return true;
}

void inner_fill(Inner *run, const Tags *tags) {
    double *to = run->reals;
    for (uint32_t i = 0; i < run->u.count; i++)
        for (uint32_t b = 0; b < row_of(tags); b++) *to++ = component(tags, run->u.all[i].number, b);
}

/* The first state */

static Value *lifted_numbers(Inner *run) {
    Value *numbers = heap_allocate(run->heap, (run->u.count + 1) * sizeof(Value));
    for (uint32_t i = 0; i < run->u.count; i++)
        numbers[i] = number_of_components(run->heap, &run->tags, run->reals + ((size_t)i << run->tags.count), false);
    return numbers;
}

void inner_start(Inner *run, Value procedure, Value argument) {
    Heap *heap = run->heap;
    Value *numbers = lifted_numbers(run);
    Copying c = {.heap = heap, .births = FIRST_BIRTH, .numbers = numbers, .sharing = AS_GRAPH, .freezes = true};
    const Value f = copy_of(&c, procedure);
    c.sharing = AS_TREE;
    const Value x = copy_of(&c, argument);
    heap_free(heap, numbers, (run->u.count + 1) * sizeof(Value));
    State *start = run->start = state_create(heap, built_in.entry, 0, 2, version_create(heap));
    start->steps = 0;
    start->tags = run->first + run->tags.count;
    start->births = c.births;
    start->values[0] = f;
    start->values[1] = x;
    stack_push(heap, &start->stack, run->halt, NULL);
}

/* The sweep */

/* Continues until the sweep wants the seed, or ends: returns that outcome, or SWEEP_FAILED. */
static SweepOutcome go_on(Inner *run) {
    Sweep *s = run->sweep;
    Nesting *nesting = &run->heap->nesting;
    bool quiet = false;
    while (true) {
        const SweepOutcome outcome = sweep_continue(s, quiet);
        quiet = false;
        switch (outcome) {
        case SWEEP_ENDS:
        case SWEEP_WANTS_SEED: return outcome;
        case SWEEP_WANTS_QUIET: quiet = true; break;
        case SWEEP_WANTS_CODE:
            if (foreign_make_code(run->heap, nesting->helper, s->machine->block, s->machine->wanted)) break;
            return SWEEP_FAILED;
        case SWEEP_SLICED:
            nesting->left -= PACE;
            if (nesting->left > 0) break;
            return SWEEP_FAILED;
        default: return SWEEP_FAILED;
        }
    }
}

/* Returns how many bytes a tape of the next run may have: in an executable whose memory is bounded half of what is left, so that
 * runs within the run have room, too. */
static size_t tape_bytes(const Heap *heap) {
    return heap_is_alone(heap) && heap->limit != SIZE_MAX ? (heap->limit - heap->bytes) / 2 : UNBOUNDED;
}

bool inner_run(Inner *run, Value procedure, Value argument, int64_t base) {
    void *helper = run->heap->nesting.within;
    inner_start(run, procedure, argument);
    const size_t bytes = tape_bytes(run->heap);
    run->sweep = sweep_create(run->heap, run->start, TO_THE_END, bytes == UNBOUNDED ? base : INT64_MAX, bytes, helper);
    run->sweep->pace = PACE;
    if (!run->heap->nesting.depth) run->heap->nesting.left = heap_is_alone(run->heap) ? INT64_MAX : MOST_STEPS;
    run->heap->nesting.depth++;
    const SweepOutcome outcome = go_on(run);
    run->heap->nesting.depth--;
    if (outcome != SWEEP_WANTS_SEED) return refused(run);
    const State *end = run->sweep->end;
    run->heap->nesting.left -= end->steps % PACE;
    count_run(run);
    Cotangent *c = run->cotangent = cotangent_create(run->heap, helper);
    programs_create(c);
    c->block = end->block;
    c->index = end->index;
    c->mixed = run->tags.count > 0;
    return true;
}

/* The cotangent */

void inner_seed(Inner *run, const Location *number, const double *row) {
    Cotangent *c = run->cotangent;
    Site place = number->place;
    uint32_t count;
    if (place.at != NO_REGISTER) place.at = point_registers(c->block, c->index, &count)[0];
    give_to_place(c, place, accumulator_of_components(run->heap, &run->tags, number->number, row, 0));
}

/* Stores the components that the number i of `u` has received, at its place in what the run began with. */
static void read_received(Inner *run, uint32_t i, const Location *entered) {
    Cotangent *c = run->cotangent;
    const Site place = entered->place;
    double *row = run->reals + ((size_t)i << run->tags.count);
    const Value *found = place.at != NO_REGISTER ? &c->window[place.at] : cotangent_find(c, place.birth, place.field);
    const Value received = found ? *found : of_real(0.0);
    for (uint32_t b = 0; b < row_of(&run->tags); b++) row[b] = component_received(&run->tags, entered->number, received, b);
}

bool inner_reverse(Inner *run) {
    Sweep *s = run->sweep;
    s->cotangent = run->cotangent;
    run->heap->nesting.depth++;
    const SweepOutcome outcome = go_on(run);
    run->heap->nesting.depth--;
    if (outcome != SWEEP_ENDS) return refused(run);
    if (count_in(&run->procedure->skipped[run->is_derived])) set_count(&run->procedure->skipped[run->is_derived], 0);
    Locations entered;
    locations_begin(&entered, run->heap);
    version_show(run->heap, run->start->version);
    const Register *registers = built_in.entry->parameters;
    locations_add(&entered, run->start->values[0], in_register(registers[0]), AS_GRAPH);
    locations_add(&entered, run->start->values[1], in_register(registers[1]), AS_TREE);
    for (uint32_t i = 0; i < entered.count; i++) read_received(run, i, &entered.all[i]);
    locations_end(&entered);
    return true;
}

void inner_end(Inner *run) {
    if (run->sweep) {
        if (run->sweep->machine || run->sweep->reversing.tape) sweep_lose(run->sweep, false);
        sweep_destroy(run->sweep);
    }
    if (run->cotangent) {
        programs_destroy(run->cotangent);
        cotangent_destroy(run->cotangent);
    }
    if (run->start) state_release(run->heap, run->start);
    if (run->reals) heap_free(run->heap, run->reals, reals_bytes(run) + 1);
    locations_end(&run->u);
}
