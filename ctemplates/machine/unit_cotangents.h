/* What translated code does with accumulators: part of translated.h, whose vocabulary it needs.
 *
 * What is common is done in place: the field of a pair is in a row that was used last (birth_rows.h), the top chunk of the
 * stack is neither full nor nearly empty. All else is done by the runtime, as is what has another kind than REAL.
 */
#ifndef CK_UNIT_COTANGENTS_H
#define CK_UNIT_COTANGENTS_H

#include "state/birth_rows.h"

/* Returns the row of a field if it was used last; NULL: the runtime knows. */
INLINE BirthRow *row_used(Cotangent *c, uint64_t birth, int64_t field) {
    const uint64_t key = birth_row_key(birth, field);
    const RowUse *use = birth_row_use(&c->rows, key);
    return LIKELY(use->key == key && (uint64_t)field < ROW_FIELDS && !c->page_count) ? use->row : NULL;
}
/* Takes the accumulator of a real's field, which is always a REAL. */
INLINE double taken(Cotangent *c, uint64_t birth, int64_t field) {
    BirthRow *row = row_used(c, birth, field);
    if (UNLIKELY(!row || !(row->present & ~birth_row_bit(birth)))) return cotangent_take(c, birth, field).real;
    row->present &= ~birth_row_bit(birth);
    return take_accumulator(&row->cotangents[birth % ROW_BIRTHS]).real;
}
INLINE double popped(Cotangent *c) {
    AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!chunk || chunk->count < 2)) return cotangent_pop(c).real;
    c->stack_count--;
    return chunk->cotangents[--chunk->count].real;
}
INLINE void give_back(Cotangent *c, double cotangent) {
    AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!chunk || chunk->count == chunk->room)) {
        cotangent_push(c, of_real(cotangent));
        return;
    }
    c->stack_count++;
    store(&chunk->cotangents[chunk->count++], of_real(cotangent));
}
INLINE void give(Cotangent *c, uint64_t birth, int64_t field, double cotangent) {
    if (!birth || cotangent == 0.0) return;
    BirthRow *row = row_used(c, birth, field);
    Value *to = row ? &row->cotangents[birth % ROW_BIRTHS] : NULL;
    if (UNLIKELY(!to || to->tag != REAL || birth - c->unread < c->unread_count)) {
        cotangent_give(c, birth, field, of_real(cotangent));
        return;
    }
    c->last_birth = birth;
    row->present |= birth_row_bit(birth);
    to->real += cotangent;
}
/* Those of duals of reals: a DUAL of both parts; the REAL 0 where nothing was added. */
INLINE bool is_dual_accumulator(Value v) { return v.tag == REAL || is_dual(v); }
INLINE double half(Value accumulator, int part) {
    return kind_of(accumulator) == DUAL ? cells_of(accumulator)[part].real : 0.0;
}
INLINE Value dual_accumulator(Cotangent *c, double primal, double tangent) {
    if (primal == 0.0 && tangent == 0.0) return of_real(0.0);
    c->mixed = true;
    return dual(c->heap, 0, primal, tangent);
}
INLINE void give_dual(Cotangent *c, uint64_t birth, int64_t field, double primal, double tangent) {
    if (birth && (primal != 0.0 || tangent != 0.0))
        cotangent_give(c, birth, field, dual_accumulator(c, primal, tangent));
}
INLINE Value *arrive_at(Cotangent *c, const Block *block) {
    if (block->procedure) cotangent_reserve(c, block->procedure->registers);
    c->block = block;
    c->index = 0;
    return c->window;
}

#endif
