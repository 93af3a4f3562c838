/* Reversing the beginning and the exit of j*: see reverse_whole.h. */
#include "reversal/reverse_whole.h"

#include "reversal/places.h"
#include "scalars/duals.h"

enum { RESULT = 0, FEW_TAKEN = 16 }; /* RESULT: any register */

static Value *take_all(Cotangent *c, const Locations *from, uint32_t first, uint32_t count, Value *few,
                       Value *received) {
    Value *taken = count > FEW_TAKEN ? heap_allocate(c->heap, count * sizeof(Value)) : few;
    for (uint32_t i = 0; i < count; i++) taken[i] = take_from_place(c, from->all[first + i].place, received);
    return taken;
}

static void free_taken(Cotangent *c, Value *taken, uint32_t count, const Value *few) {
    if (taken != few) heap_free(c->heap, taken, count * sizeof(Value));
}

/* Returns one part of the accumulator of a dual, a new reference. */
static Value part_of(Value accumulator, int part) {
    return kind_of(accumulator) == DUAL ? copied(cells_of(accumulator)[part]) : of_real(0.0);
}

/* The beginning: a dual of the argument's number and the tangent's. */
static void reverse_lift(Cotangent *c, const Whole *whole, Value *received, const Register *at) {
    Heap *heap = c->heap;
    Locations x, tangents, made;
    Value few[FEW_TAKEN];
    locations_begin(&x, heap);
    locations_begin(&tangents, heap);
    locations_begin(&made, heap);
    locations_match(&x, &tangents, whole->operands[0], in_register(at[0]), whole->operands[1], in_register(at[1]));
    locations_add(&made, whole->result, in_register(RESULT), AS_TREE);
    Value *taken = take_all(c, &made, 0, made.count, few, received);
    for (uint32_t i = made.count; i-- > 0;) give_to_place(c, tangents.all[i].place, part_of(taken[i], 1));
    for (uint32_t i = made.count; i-- > 0;) {
        give_to_place(c, x.all[i].place, part_of(taken[i], 0));
        drop(heap, taken[i]);
    }
    free_taken(c, taken, made.count, few);
    locations_end(&x);
    locations_end(&tangents);
    locations_end(&made);
}

Value merged_accumulator(Heap *heap, Value number, uint64_t tag, Value primal, Value tangent) {
    if (kind_of(number) != DUAL) {
        drop(heap, tangent);
        return primal;
    }
    if (is_zero_cotangent(primal) && is_zero_cotangent(tangent)) return of_real(0.0);
    if (number.object->birth == tag) return dual_of(heap, tag, primal, tangent);
    const Value *parts = cells_of(number);
    const Value first = merged_accumulator(heap, parts[0], tag, part_of(primal, 0), part_of(tangent, 0));
    const Value second = merged_accumulator(heap, parts[1], tag, part_of(primal, 1), part_of(tangent, 1));
    drop(heap, primal);
    drop(heap, tangent);
    return dual_of(heap, number.object->birth, first, second);
}

/* The exit: the first half of the result's numbers are primals, the others tangents, of the value's in the same order. */
static void reverse_exit(Cotangent *c, const Whole *whole, const Register *at) {
    Heap *heap = c->heap;
    Locations value, made;
    Value few[FEW_TAKEN], few_others[FEW_TAKEN];
    locations_begin(&value, heap);
    locations_begin(&made, heap);
    locations_add(&value, whole->operands[0], in_register(at[0]), AS_DATA);
    const Value *halves = cells_of(whole->result);
    locations_add(&made, halves[0], in_field(whole->result.object, 0), AS_DATA);
    locations_add(&made, halves[1], in_field(whole->result.object, 1), AS_DATA);
    const uint32_t count = value.count;
    Value *primals = take_all(c, &made, 0, count, few, NULL);
    Value *others = take_all(c, &made, count, count, few_others, NULL);
    for (uint32_t i = count; i-- > 0;) {
        const Location *number = &value.all[i];
        give_to_place(c, number->place,
                      merged_accumulator(heap, number->number, (uint64_t)whole->tag, primals[i], others[i]));
    }
    free_taken(c, primals, count, few);
    free_taken(c, others, count, few_others);
    locations_end(&value);
    locations_end(&made);
}

void reverse_whole(Cotangent *c, const Whole *whole, Value *received, const Register *at) {
    if (whole->kind == WHOLE_LIFT) reverse_lift(c, whole, received, at);
    else reverse_exit(c, whole, at);
}
