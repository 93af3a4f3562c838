/* Fields in a row: see cotangent_rows.h. */
#include "state/cotangent_rows.h"

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias)); /* every processor has these */

static void add(double *restrict to, const double *restrict from, int64_t count) {
    int64_t i = 0;
    for (; i + 1 < count; i += 2) *(Pair *)(void *)(to + i) += *(const Pair *)(const void *)(from + i);
    if (i < count) to[i] += from[i];
}

/* Returns whether no field of a birth below an end has an accumulator. */
static bool has_none(Cotangent *c, uint64_t birth, int64_t end) {
    for (int64_t field = 0; field < ROW_FIELDS; field++) {
        const BirthRow *row = birth_row_of(&c->rows, birth, field);
        if (row && birth_row_has(row, birth)) return false;
    }
    for (int64_t first = 0; first < end; first += PAGE_FIELDS) {
        if (cotangent_page(c, birth, first)) return false;
        const int64_t behind = first + PAGE_FIELDS < end ? first + PAGE_FIELDS : end;
        for (int64_t field = first; field < behind && cotangent_may_be_entered(c, birth, first); field++)
            if (field_map_find(&c->map, birth, field)) return false;
    }
    return true;
}

/* Returns the row of reals that has these fields, or a new one where so many receive at once; NULL: there is none. */
static RealRow *row_with(Cotangent *c, uint64_t birth, int64_t first, int64_t count) {
    const int64_t end = first + count;
    if (first < 0 || count < PAGE_FIELDS / 2 || end > LONGEST_REALS) return NULL;
    RealRow *row = cotangent_row(c, birth, 0);
    if (row) return end <= row->count ? row : NULL;
    return has_none(c, birth, end) ? cotangent_new_row(c, birth, end) : NULL;
}

/* Takes the last fields of a row of reals; returns how many, 0 where there is no such row. */
static int64_t take_last(Cotangent *c, uint64_t birth, int64_t first, int64_t count, double *reals) {
    RealRow *row = birth ? cotangent_row(c, birth, first) : NULL;
    if (!row || first + count < row->count) return 0;
    const int64_t taken = row->count - first;
    memcpy(reals, row->reals + first, (size_t)taken * sizeof(double));
    cotangent_end_row(c, birth, row, first);
    return taken;
}

bool cotangent_has_reals(Cotangent *c, uint64_t birth, int64_t count) {
    const RealRow *row = cotangent_row(c, birth, 0);
    for (int64_t i = row ? row->count : 0; i < count;) {
        const Page *page = c->map.count && birth ? cotangent_page(c, birth, i) : NULL;
        const Value *there = page ? NULL : cotangent_find(c, birth, i);
        const int64_t next = page ? (i | (PAGE_FIELDS - 1)) + 1 : i + 1, end = next < count ? next : count;
        uint64_t tags = there ? there->tag : REAL;
        for (int64_t at = i; page && at < end; at++) tags |= page->cotangents[at % PAGE_FIELDS].tag;
        if (tags != REAL) return false;
        i = end;
    }
    return true;
}

void cotangent_take_row(Cotangent *c, uint64_t birth, int64_t first, int64_t count, double *reals) {
    const int64_t last = take_last(c, birth, first, count, reals);
    first += last;
    reals += last;
    count -= last;
    while (count > 0) {
        Page *page = c->map.count && birth ? cotangent_page(c, birth, first) : NULL;
        const int64_t at = page ? first % PAGE_FIELDS : 0, rest = page ? PAGE_FIELDS - at : 1;
        const int64_t some = rest < count ? rest : count;
        if (!page) *reals = cotangent_take(c, birth, first).real;
        for (int64_t i = 0; page && i < some; i++) reals[i] = take_accumulator(&page->cotangents[at + i]).real;
        if (page && !(page->present &= ~(UINT64_MAX >> (PAGE_FIELDS - some) << at))) cotangent_free_page(c, birth, first, page);
        first += some;
        reals += some;
        count -= some;
    }
}
void cotangent_give_fields(Cotangent *c, uint64_t birth, int64_t first, int64_t count, const double *reals) {
    if (!birth || birth - c->unread < c->unread_count) return;
    RealRow *row = row_with(c, birth, first, count);
    if (row) {
        add(row->reals + first, reals, count);
        return;
    }
    while (count > 0) {
        const int64_t field = first + --count;
        if (reals[count] == 0.0) continue;
        accumulate(c->heap, cotangent_accumulator(c, birth, field), of_real(reals[count]));
        Page *page = cotangent_page(c, birth, field);
        for (int64_t at = field % PAGE_FIELDS; page && count && at-- > 0;) {
            if (reals[--count] == 0.0) continue;
            accumulate(c->heap, &page->cotangents[at], of_real(reals[count]));
            page->present |= page_bit(at);
        }
    }
}
