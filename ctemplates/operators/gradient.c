/* *j and its kin as one native step: see gradient.h. */
#include "operators/gradient.h"

#include "derivatives/copying.h"
#include "operators/inner.h"
#include "operators/seeds.h"
#include "state/whole.h"

static const Register NOWHERE[MOST_WHOLE] = {NO_REGISTER, NO_REGISTER, NO_REGISTER};

typedef struct Gradient {
    Machine *m;
    const Value *operands; /* procedure, argument, cotangent */
    Tags tags;             /* of their numbers */
    Inner run;
    Seeds seeds;
} Gradient;

/* The results */

static Value *result_numbers(Gradient *g, const Locations *y) {
    const Inner *run = &g->run;
    Heap *heap = g->m->heap;
    const uint32_t rows = row_of(&g->tags), of_argument = run->u.count - run->of_procedure;
    Value *numbers = heap_allocate(heap, (y->count + of_argument + 1) * sizeof(Value));
    double row[1 << MOST_TAGS];
    for (uint32_t i = 0; i < y->count; i++) {
        for (uint32_t b = 0; b < rows; b++) row[b] = component(&run->tags, y->all[i].number, b);
        numbers[i] = number_of_components(heap, &g->tags, row, false);
    }
    for (uint32_t i = 0; i < of_argument; i++) {
        const double *received = run->reals + ((size_t)(run->of_procedure + i) << g->tags.count);
        numbers[y->count + i] = number_of_components(heap, &g->tags, received, true);
    }
    return numbers;
}

/* Makes the pair of the value and the argument's cotangent, in the run around. */
static Value make_result(Gradient *g) {
    Machine *m = g->m;
    Heap *heap = m->heap;
    const Locations *y = &g->seeds.value;
    const size_t bytes = (y->count + g->run.u.count - g->run.of_procedure + 1) * sizeof(Value);
    Value *numbers = result_numbers(g, y);
    Cells *pair = new_born_cells(heap, PAIR, 2, m->births);
    Copying c = {.heap = heap, .births = m->births + 1, .numbers = numbers, .sharing = AS_DATA};
    const Value value = copy_of(&c, inner_value(&g->run));
    c.sharing = AS_TREE;
    c.tangent = true;
    const Value cotangent = copy_of(&c, g->operands[1]);
    store(&pair->cells[0], value);
    store(&pair->cells[1], cotangent);
    m->births = c.births;
    heap_free(heap, numbers, bytes);
    return of_object(PAIR, pair);
}

/* The step */

static bool is_ready(Gradient *g) {
    Inner *run = &g->run;
    g->tags.count = 0;
    if (!inner_open(run, g->m->heap, g->operands[0], g->operands[1], NOWHERE)) return false;
    return tags_add(&g->tags, &run->u, 0) && seeds_open(&g->seeds, g->m->heap, g->operands[2], &g->tags);
}

static bool is_done(Gradient *g, int64_t base) {
    Inner *run = &g->run;
    if (!inner_tagged(run, g->tags.count, g->m->tags)) return false;
    inner_fill(run, &g->tags);
    if (!inner_run(run, g->operands[0], g->operands[1], base)) return false;
    if (!seeds_match(&g->seeds, inner_value(run), NO_REGISTER)) {
        if (heap_is_alone(run->heap)) run->heap->hooks->mismatched(run->heap, inner_value(run), g->operands[2]);
        return false;
    }
    if (g->seeds.value.hollow && run->u.hollow && !heap_is_alone(run->heap)) return false;
    seeds_give(&g->seeds, run, &g->tags, NULL);
    return inner_reverse(run);
}

bool gradient_step(Machine *m, const Value *operands, int64_t base, Value *result) {
    if (m->tape && !m->part) return false;
    Gradient g = {.m = m, .operands = operands};
    if (!m->heap->nesting.depth) m->heap->nesting.helper = m->helper;
    seeds_begin(&g.seeds, m->heap);
    const bool done = is_ready(&g) && is_done(&g, base);
    if (done) {
        const int64_t tags = inner_tags(&g.run);
        *result = make_result(&g);
        if (m->part) {
            Whole *whole = whole_create(m->heap, WHOLE_GRADIENT, operands, MOST_WHOLE, *result);
            whole->tag = m->tags;
            whole->step = m->steps;
            part_add_whole(m->heap, m->part, (int32_t)m->part->stop, whole);
        }
        if (tags > m->tags) m->tags = tags;
    }
    if (!done && heap_is_alone(m->heap)) m->heap->hooks->left(m, &g.run.tags, &g.tags);
    seeds_end(&g.seeds);
    inner_end(&g.run);
    return done;
}
