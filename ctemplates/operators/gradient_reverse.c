/* The reversal of *j and its kin: see gradient.h. */
#include "operators/gradient_reverse.h"

#include "natives/natives_derive.h"
#include "operators/seeds.h"
#include "reversal/places.h"

typedef struct Pullback {
    Cotangent *c;
    const Whole *whole;
    Tags tags;      /* of the step's numbers */
    Inner run;      /* with one tag more */
    Seeds seeds;
    Locations made; /* the numbers of the result: of the value, then of the argument's cotangent */
    uint32_t of_value;
    double *received; /* their components, by `tags`; of the cotangent with flipped bits */
} Pullback;

static size_t received_bytes(const Pullback *p) {
    return (((size_t)p->made.count << p->tags.count) + 1) * sizeof(double);
}

/* Reads what the numbers of the result have received, without removing it. */
static void read_received(Pullback *p) {
    const uint32_t rows = row_of(&p->tags);
    const Value *halves = cells_of(p->whole->result);
    locations_add(&p->made, halves[0], in_field(p->whole->result.object, 0), AS_DATA);
    p->of_value = p->made.count;
    locations_add(&p->made, halves[1], in_field(p->whole->result.object, 1), AS_TREE);
    p->received = heap_allocate(p->c->heap, received_bytes(p));
    double *to = p->received;
    for (uint32_t i = 0; i < p->made.count; i++) {
        const Location *one = &p->made.all[i];
        const Value *found = cotangent_find(p->c, one->place.birth, one->place.field);
        const uint32_t flip = i < p->of_value ? 0 : rows - 1;
        for (uint32_t b = 0; b < rows; b++)
            *to++ = component_received(&p->tags, one->number, found ? *found : of_real(0.0), b ^ flip);
    }
}

/* Fills in what the run begins with: the numbers, and the directions along which it is differentiated. */
static void fill_reals(Pullback *p) {
    Inner *run = &p->run;
    const uint32_t rows = row_of(&p->tags);
    const double *direction = p->received + ((size_t)p->of_value << p->tags.count);
    double *to = run->reals;
    for (uint32_t i = 0; i < run->u.count; i++) {
        for (uint32_t b = 0; b < rows; b++) *to++ = component(&p->tags, run->u.all[i].number, b);
        for (uint32_t b = 0; b < rows; b++) *to++ = i < run->of_procedure ? 0.0 : *direction++;
    }
}

static bool is_somewhere(Site place) { return place.at != NO_REGISTER || place.birth; }

/* Returns whether anything of the step's operands can receive a cotangent. */
static bool is_read(const Pullback *p, const Register *at) {
    for (uint32_t i = 0; i < p->run.u.count; i++)
        if (is_somewhere(p->run.u.all[i].place)) return true;
    return at[2] != NO_REGISTER;
}

static bool run_back(Pullback *p, const Register *at) {
    Inner *run = &p->run;
    if (!inner_tagged(run, p->tags.count + 1, 0)) return false;
    fill_reals(p);
    if (!inner_run(run, p->whole->operands[0], p->whole->operands[1], base_steps())) return false;
    if (!seeds_match(&p->seeds, inner_value(run), at[2])) return false;
    seeds_give(&p->seeds, run, &p->tags, p->received);
    return inner_reverse(run);
}

/* Adds to the cotangent's numbers the derivative of the value's along the directions, the last one first. */
static void give_to_cotangent(Pullback *p) {
    const uint32_t rows = row_of(&p->tags);
    double row[1 << MOST_TAGS];
    for (uint32_t i = p->seeds.paths.count; i-- > 0;) {
        const Location *given = &p->seeds.cotangents.all[i];
        for (uint32_t b = 0; b < rows; b++)
            row[b] = component(&p->run.tags, p->seeds.paths.all[i].number, rows | (~b & (rows - 1)));
        give_to_place(p->c, given->place, accumulator_of_components(p->c->heap, &p->tags, given->number, row, 0));
    }
}

static void give_to_start(Pullback *p) {
    for (uint32_t i = p->run.u.count; i-- > 0;) {
        const Location *given = &p->run.u.all[i];
        const double *row = p->run.reals + ((size_t)i << p->run.tags.count);
        give_to_place(p->c, given->place, accumulator_of_components(p->c->heap, &p->tags, given->number, row, 0));
    }
}

static void forget_received(Pullback *p) {
    for (uint32_t i = 0; i < p->made.count; i++)
        drop(p->c->heap, take_from_place(p->c, p->made.all[i].place, NULL));
}

/* Returns whether the step's operands are as they were taken to be; they are, since the step was made. */
static bool is_open(Pullback *p, const Register *at) {
    const Whole *whole = p->whole;
    p->tags.count = 0;
    return inner_open(&p->run, p->c->heap, whole->operands[0], whole->operands[1], at) &&
           tags_add(&p->tags, &p->run.u, 0) && seeds_open(&p->seeds, p->c->heap, whole->operands[2], &p->tags) &&
           p->tags.count < MOST_TAGS;
}

bool gradient_reverse(Cotangent *c, const Whole *whole, Value *received, const Register *at) {
    (void)received; /* the result is a pair */
    Pullback p = {.c = c, .whole = whole};
    if (!c->heap->nesting.depth) c->heap->nesting.helper = c->helper;
    seeds_begin(&p.seeds, c->heap);
    locations_begin(&p.made, c->heap);
    bool done = is_open(&p, at);
    if (done) {
        const bool read = is_read(&p, at);
        read_received(&p);
        done = !read || run_back(&p, at);
        if (done && read) {
            give_to_cotangent(&p);
            give_to_start(&p);
        }
        if (done) forget_received(&p);
        heap_free(c->heap, p.received, received_bytes(&p));
    }
    locations_end(&p.made);
    seeds_end(&p.seeds);
    inner_end(&p.run);
    return done;
}
