/* The real components of numbers that carry derivatives: see components.h. */
#include "operators/components.h"

#include "scalars/duals.h"

/* Tags */

static uint32_t bit_of(const Tags *tags, uint64_t tag) {
    uint32_t j = 0;
    while (j < tags->count && tags->all[j] != tag) j++;
    return j;
}

static bool insert(Tags *tags, uint64_t tag) {
    if (bit_of(tags, tag) < tags->count) return true;
    if (tags->count == MOST_TAGS) return false;
    uint32_t at = tags->count++;
    for (; at > 0 && tags->all[at - 1] < tag; at--) tags->all[at] = tags->all[at - 1];
    tags->all[at] = tag;
    return true;
}

/* Adds the tags of a number within one under the tag `above`, which must be larger. */
static bool add_tags(Tags *tags, Value number, uint64_t above) {
    if (kind_of(number) != DUAL) return true;
    const uint64_t tag = number.object->birth;
    return tag < above && insert(tags, tag) && add_tags(tags, cells_of(number)[0], tag) &&
           add_tags(tags, cells_of(number)[1], tag);
}

bool tags_add(Tags *tags, const Locations *found, uint32_t first) {
    for (uint32_t i = first; i < found->count; i++)
        if (!add_tags(tags, found->all[i].number, UINT64_MAX)) return false;
    return true;
}

/* Components */

double component(const Tags *tags, Value number, uint32_t bits) {
    while (kind_of(number) == DUAL) {
        const uint32_t bit = 1u << bit_of(tags, number.object->birth);
        number = cells_of(number)[(bits & bit) != 0];
        bits &= ~bit;
    }
    return bits ? 0.0 : number.real;
}

double component_received(const Tags *tags, Value number, Value accumulator, uint32_t bits) {
    while (kind_of(number) == DUAL) {
        const uint32_t bit = 1u << bit_of(tags, number.object->birth);
        number = cells_of(number)[(bits & bit) != 0];
        accumulator = kind_of(accumulator) == DUAL ? cells_of(accumulator)[(bits & bit) != 0] : of_real(0.0);
        bits &= ~bit;
    }
    return bits || accumulator.tag != REAL ? 0.0 : accumulator.real;
}

static Value number_from(Heap *heap, const Tags *tags, const double *row, bool flipped, uint32_t bits, uint32_t j) {
    if (j == tags->count) return of_real(row[bits]);
    const uint32_t one = bits | 1u << j;
    const Value primal = number_from(heap, tags, row, flipped, flipped ? one : bits, j + 1);
    return dual_of(heap, tags->all[j], primal, number_from(heap, tags, row, flipped, flipped ? bits : one, j + 1));
}

Value number_of_components(Heap *heap, const Tags *tags, const double *row, bool flipped) {
    return number_from(heap, tags, row, flipped, 0, 0);
}

Value accumulator_of_components(Heap *heap, const Tags *tags, Value number, const double *row, uint32_t bits) {
    if (kind_of(number) != DUAL) return of_real(0.0 + row[bits]);
    const uint32_t one = bits | 1u << bit_of(tags, number.object->birth);
    const Value primal = accumulator_of_components(heap, tags, cells_of(number)[0], row, bits);
    return dual_of(heap, number.object->birth, primal,
                   accumulator_of_components(heap, tags, cells_of(number)[1], row, one));
}
