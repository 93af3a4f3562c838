/* What translated code does with accumulators: part of translated.h, whose vocabulary it needs.
 *
 * What is common is done in place: a field is in a row (birth_rows.h) or page that was used last, the top chunk of the
 * stack is neither full nor nearly empty. All else is done by the runtime, as is what has another kind than REAL.
 */
#ifndef CK_UNIT_COTANGENTS_H
#define CK_UNIT_COTANGENTS_H

#include "accumulators/birth_rows.h"
#include "state/cotangent_stack.h"

/* Returns the row of a field if it was used last; NULL: it has none that was, or may have a page. */
INLINE BirthRow *row_used(Cotangent *c, uint64_t birth, int64_t field) {
    if ((uint64_t)field >= ROW_FIELDS) return NULL;
    const uint64_t key = birth_row_key(birth, field);
    const RowUse *use = birth_row_use(&c->rows, key);
    if (UNLIKELY(use->key != key)) return NULL;
    return LIKELY(!c->page_count || !may_be_paged(c, birth)) ? use->row : NULL;
}
/* Returns the page of a field if it is the one of its birth that was used last; NULL: the runtime knows. */
INLINE Page *page_used(const Cotangent *c, uint64_t birth, int64_t field) {
    const PageUse *use = &c->uses[birth % PAGE_WAYS];
    return use->birth == birth && use->number == field >> PAGE_BITS ? use->page : NULL;
}
static __attribute__((noinline, unused)) double taken_elsewhere(Cotangent *c, uint64_t birth, int64_t field) {
    Page *page = page_used(c, birth, field);
    const uint64_t others = page ? page->present & ~(UINT64_C(1) << field % PAGE_FIELDS) : 0;
    if (!others) return cotangent_take(c, birth, field).real;
    page->present = others;
    return take_accumulator(&page->cotangents[field % PAGE_FIELDS]).real;
}
static __attribute__((noinline, unused)) void give_elsewhere(Cotangent *c, uint64_t birth, int64_t field,
                                                            double cotangent) {
    Page *page = page_used(c, birth, field);
    Value *to = page ? &page->cotangents[field % PAGE_FIELDS] : NULL;
    if (!to || to->tag != REAL) {
        cotangent_give(c, birth, field, of_real(cotangent));
        return;
    }
    page->present |= UINT64_C(1) << field % PAGE_FIELDS;
    to->real += cotangent;
}
/* Takes the accumulator of a real's field, which is always a REAL. */
INLINE double taken(Cotangent *c, uint64_t birth, int64_t field) {
    BirthRow *row = row_used(c, birth, field);
    if (UNLIKELY(!row || !(row->present & ~birth_row_bit(birth)))) return taken_elsewhere(c, birth, field);
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
    if (!birth || cotangent == 0.0 || birth - c->unread < c->unread_count) return;
    BirthRow *row = row_used(c, birth, field);
    Value *to = row ? &row->cotangents[birth % ROW_BIRTHS] : NULL;
    if (UNLIKELY(!to || to->tag != REAL)) {
        give_elsewhere(c, birth, field, cotangent);
        return;
    }
    c->last_birth = birth;
    row->present |= birth_row_bit(birth);
    to->real += cotangent;
}

/* The same of several at once: the accumulators of fields 0 of `count` births from one on, in their order; those of a frame,
 * the last of which is the last. They are mostly in one row, or chunk. */
#define FOR_EACH(i, count) _Pragma("GCC unroll 8") for (uint32_t i = 0; i < (count); i++)
/* Returns the row that has the accumulators of some births, if it was used last. */
INLINE BirthRow *row_of_some(Cotangent *c, uint64_t birth, uint32_t count) {
    return LIKELY(birth % ROW_BIRTHS + count <= ROW_BIRTHS) ? row_used(c, birth, 0) : NULL;
}
INLINE void taken_together(Cotangent *c, uint64_t birth, uint32_t count, double *reals) {
    BirthRow *row = row_of_some(c, birth, count);
    const uint64_t others = ~(((UINT64_C(1) << count) - 1) << birth % ROW_BIRTHS);
    if (UNLIKELY(!row || !(row->present & others))) {
        FOR_EACH(i, count) reals[i] = taken(c, birth + i, 0);
        return;
    }
    row->present &= others;
    Value *from = &row->cotangents[birth % ROW_BIRTHS];
    FOR_EACH(i, count) reals[i] = take_accumulator(&from[i]).real;
}
INLINE void given_together(Cotangent *c, uint64_t birth, uint32_t count, const double *reals) {
    BirthRow *row = birth ? row_of_some(c, birth, count) : NULL;
    if (UNLIKELY(!row || birth + count - 1 - c->unread < c->unread_count + count - 1)) {
        FOR_EACH(i, count) give(c, birth + i, 0, reals[i]);
        return;
    }
    Value *to = &row->cotangents[birth % ROW_BIRTHS];
    FOR_EACH(i, count) {
        if (UNLIKELY(to[i].tag != REAL)) {
            give(c, birth + i, 0, reals[i]);
        } else if (LIKELY(reals[i] != 0.0)) {
            row->present |= birth_row_bit(birth + i);
            to[i].real += reals[i];
        }
    }
    c->last_birth = birth;
}
INLINE void popped_together(Cotangent *c, uint32_t count, double *reals) {
    AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!chunk || chunk->count <= count)) {
        FOR_EACH(i, count) reals[count - 1 - i] = cotangent_pop(c).real;
        return;
    }
    c->stack_count -= count;
    chunk->count -= count;
    FOR_EACH(i, count) reals[i] = chunk->cotangents[chunk->count + i].real;
}
INLINE void given_back_together(Cotangent *c, uint32_t count, const double *reals) {
    AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!chunk || chunk->room - chunk->count < count)) {
        FOR_EACH(i, count) cotangent_push(c, of_real(reals[i]));
        return;
    }
    FOR_EACH(i, count) store(&chunk->cotangents[chunk->count + i], of_real(reals[i]));
    c->stack_count += count;
    chunk->count += count;
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
