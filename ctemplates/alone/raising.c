/* Raised values that carry derivatives: see raising.h. */
#include "alone/raising.h"

#include "alone/failing.h"
#include "derivatives/copying.h"
#include "operators/inner.h"
#include "reversal/places.h"
#include "reversal/reverse_whole.h"
#include "scalars/numbers.h"

enum { RESULT = 0 }; /* any register: the value itself */

/* Returns a copy of a value with other numbers, in the run of a machine. */
static Value with_numbers(Machine *m, Value value, const Value *numbers) {
    Copying c = {.heap = m->heap, .births = m->births, .numbers = numbers, .sharing = AS_GRAPH};
    const Value copy = copy_of(&c, value);
    m->births = c.births;
    return copy;
}

static Value *room_for(Heap *heap, const Locations *found) {
    return heap_allocate(heap, (found->count + 1) * sizeof(Value));
}

static void free_room(Heap *heap, Value *numbers, const Locations *found) {
    heap_free(heap, numbers, (found->count + 1) * sizeof(Value));
}

void raised_within(Machine *m, const Tags *own, const Tags *around) {
    if (!raise.uncaught) return;
    Heap *heap = m->heap;
    Locations found;
    double row[1 << MOST_TAGS];
    locations_begin(&found, heap);
    locations_add(&found, raise.value, in_register(NO_REGISTER), AS_GRAPH);
    Value *numbers = room_for(heap, &found);
    for (uint32_t i = 0; i < found.count; i++) {
        for (uint32_t b = 0; b < row_of(around); b++) row[b] = component(own, found.all[i].number, b);
        numbers[i] = number_of_components(heap, around, row, false);
    }
    const Value copy = with_numbers(m, raise.value, numbers);
    drop(heap, raise.value);
    raise.value = copy;
    free_room(heap, numbers, &found);
    locations_end(&found);
}

void note_raised(Machine *m, const Value *operands) {
    if (!m->part) return;
    Whole *whole = whole_create(m->heap, WHOLE_RAISE, operands, 2, raise.value);
    whole->tag = m->tags;
    whole->step = m->steps;
    part_add_whole(m->heap, m->part, (int32_t)m->part->stop, whole);
}

/* Reversal */

typedef struct Pullback {
    Cotangent *c;
    const Whole *whole;
    Tags tags;
    Inner run;
    Locations made; /* the numbers of what was raised */
    Locations value; /* the same in the run that is made again */
} Pullback;

static bool run_again(Pullback *p, const Register *at) {
    const Whole *whole = p->whole;
    if (!inner_open(&p->run, p->c->heap, whole->operands[0], whole->operands[1], at)) return false;
    if (!tags_add(&p->tags, &p->run.u, 0) || !inner_tagged(&p->run, p->tags.count, 0)) return false;
    inner_fill(&p->run, &p->tags);
    return inner_run(&p->run, whole->operands[0], whole->operands[1], TO_THE_END);
}

/* Gives what the numbers of the raised value have received to those of the run. */
static void give_received(Pullback *p, Value *received) {
    Cotangent *c = p->c;
    double row[1 << MOST_TAGS];
    for (uint32_t i = 0; i < p->made.count; i++) {
        const Location *one = &p->made.all[i];
        const Value taken = take_from_place(c, one->place, received);
        for (uint32_t b = 0; b < row_of(&p->tags); b++) row[b] = component_received(&p->tags, one->number, taken, b);
        drop(c->heap, taken);
        inner_seed(&p->run, &p->value.all[i], row);
    }
}

static void give_to_start(Pullback *p) {
    for (uint32_t i = p->run.u.count; i-- > 0;) {
        const Location *given = &p->run.u.all[i];
        const double *row = p->run.reals + ((size_t)i << p->tags.count);
        give_to_place(p->c, given->place, accumulator_of_components(p->c->heap, &p->tags, given->number, row, 0));
    }
}

bool reverse_raised(Cotangent *c, const Whole *whole, Value *received, const Register *at) {
    const ReturnPoint caught = {.block = built_in.halt->block, .handler = built_in.halt->block};
    Pullback p = {.c = c, .whole = whole};
    locations_begin(&p.made, c->heap);
    locations_begin(&p.value, c->heap);
    locations_add(&p.made, whole->result, in_register(RESULT), AS_GRAPH);
    p.run.halt = &caught;
    bool done = run_again(&p, at);
    if (done) {
        locations_add(&p.value, inner_value(&p.run), in_register(RESULT), AS_GRAPH);
        give_received(&p, received);
        done = inner_reverse(&p.run);
    }
    if (done) give_to_start(&p);
    locations_end(&p.made);
    locations_end(&p.value);
    inner_end(&p.run);
    return done;
}

/* Leaving a j* */

void strip_raised(Machine *m, uint32_t k, int64_t tag, Value *raised) {
    Heap *heap = m->heap;
    Locations found;
    locations_begin(&found, heap);
    locations_add(&found, *raised, in_register(NO_REGISTER), AS_GRAPH);
    Value *numbers = room_for(heap, &found);
    for (uint32_t i = 0; i < found.count; i++) numbers[i] = primal_at(heap, found.all[i].number, (uint64_t)tag);
    const Value stripped = with_numbers(m, *raised, numbers);
    if (m->part) {
        Whole *whole = whole_create(heap, WHOLE_STRIP, raised, 1, stripped);
        whole->tag = tag;
        part_add_whole(heap, m->part, STRIPPED_ORIGIN - (int32_t)k, whole);
    }
    drop(heap, *raised);
    *raised = stripped;
    free_room(heap, numbers, &found);
    locations_end(&found);
}

void reverse_strip(Cotangent *c, const Whole *whole, Value *received, Value *stripped) {
    Locations value, made;
    locations_begin(&value, c->heap);
    locations_begin(&made, c->heap);
    locations_add(&value, whole->operands[0], in_register(RESULT), AS_GRAPH);
    locations_add(&made, whole->result, in_register(RESULT), AS_GRAPH);
    for (uint32_t i = value.count; i-- > 0;) {
        const Location *number = &value.all[i];
        const Value primal = take_from_place(c, made.all[i].place, received);
        const Value given =
            merged_accumulator(c->heap, number->number, (uint64_t)whole->tag, primal, of_real(0.0));
        if (number->place.at == NO_REGISTER) give_to_place(c, number->place, given);
        else accumulate(c->heap, stripped, given);
    }
    locations_end(&value);
    locations_end(&made);
}
