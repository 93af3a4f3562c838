/* Forward mode in C: see forward.h. */
#include "derivatives/forward.h"

#include "derivatives/copying.h"
#include "scalars/duals.h"
#include "scalars/numbers.h"
#include "state/whole.h"

enum { FEW_NUMBERS = 16 };

static void record_whole(Machine *m, int32_t key, Whole whole, int count) {
    if (!m->part) return;
    Whole *made = whole_create(m->heap, whole.kind, whole.operands, count, whole.result);
    made->tag = whole.tag;
    part_add_whole(m->heap, m->part, key, made);
}

/* j* begins */

static Value lifted_copy(Machine *m, const Locations *x, const Locations *tangents, Value argument) {
    Heap *heap = m->heap;
    Value few[FEW_NUMBERS], *numbers = few;
    if (x->count > FEW_NUMBERS) numbers = heap_allocate(heap, x->count * sizeof(Value));
    for (uint32_t i = 0; i < x->count; i++)
        numbers[i] = dual_of(heap, (uint64_t)m->tags, copied(x->all[i].number), copied(tangents->all[i].number));
    Copying c = {.heap = heap, .births = m->births, .numbers = numbers, .sharing = AS_TREE, .freezes = true};
    const Value made = copy_of(&c, argument);
    m->births = c.births;
    if (numbers != few) heap_free(heap, numbers, x->count * sizeof(Value));
    return made;
}

bool lift_argument(Machine *m, Value argument, Value tangent, Value *lifted) {
    if (m->tape && !m->part) return false;
    Locations x, tangents;
    const Site nowhere = in_register(NO_REGISTER);
    locations_begin(&x, m->heap);
    locations_begin(&tangents, m->heap);
    const bool done = locations_match(&x, &tangents, argument, nowhere, tangent, nowhere);
    if (done) {
        *lifted = lifted_copy(m, &x, &tangents, argument);
        const Whole whole = {WHOLE_LIFT, m->tags, {argument, tangent}, *lifted, 0};
        record_whole(m, END_ORIGIN, whole, 2);
        m->tags++;
    }
    locations_end(&x);
    locations_end(&tangents);
    return done;
}

/* j* ends */

static Value half_of(Machine *m, Copying *c, const Locations *found, Value value, uint64_t tag, Value *numbers) {
    Heap *heap = m->heap;
    for (uint32_t i = 0; i < found->count; i++) {
        const Value number = found->all[i].number;
        if (!c->tangent)
            numbers[i] = kind_of(number) == DUAL ? primal_at(heap, number, tag) : number;
        else if (!tangent_at(heap, number, tag, &numbers[i]))
            numbers[i] = of_real(0.0);
    }
    c->numbers = numbers;
    return copy_of(c, value);
}

static Value split_copy(Machine *m, const Locations *found, Value value, uint64_t tag) {
    Heap *heap = m->heap;
    Value few[FEW_NUMBERS], *numbers = few;
    if (found->count > FEW_NUMBERS) numbers = heap_allocate(heap, found->count * sizeof(Value));
    Cells *pair = new_born_cells(heap, PAIR, 2, m->births);
    Copying c = {.heap = heap, .births = m->births + 1, .sharing = AS_DATA};
    const Value primal = half_of(m, &c, found, value, tag, numbers);
    c.tangent = true;
    const Value tangent = half_of(m, &c, found, value, tag, numbers);
    store(&pair->cells[0], primal);
    store(&pair->cells[1], tangent);
    m->births = c.births;
    if (numbers != few) heap_free(heap, numbers, found->count * sizeof(Value));
    return of_object(PAIR, pair);
}

bool split_value(Machine *m, Value value, Value tag, Value *result) {
    if ((m->tape && !m->part) || kind_of(tag) != INTEGER) return false;
    Locations found;
    locations_begin(&found, m->heap);
    const bool done = locations_add(&found, value, in_register(NO_REGISTER), AS_DATA) && (!found.hollow || heap_is_alone(m->heap));
    if (done) {
        *result = split_copy(m, &found, value, (uint64_t)tag.integer);
        const Whole whole = {WHOLE_EXIT, tag.integer, {value}, *result, 0};
        record_whole(m, 0, whole, 1);
    }
    locations_end(&found);
    return done;
}
