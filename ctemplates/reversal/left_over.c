/* What is left over of objects: see left_over.h. */
#include "reversal/left_over.h"

static size_t ones(uint64_t bits) { return (size_t)__builtin_popcountll(bits); }

static size_t left_in_row(const BirthRow *row, uint64_t birth) {
    const uint64_t first = (row->key - 1) / ROW_FIELDS * ROW_BIRTHS; /* of its births */
    if (birth >= first + ROW_BIRTHS) return 0;
    return ones(birth <= first ? row->present : row->present >> (birth - first));
}

static size_t left_in_entry(const Entry *entry) {
    if (is_page(entry)) return ones(page_in(entry)->present);
    if (!is_real_row(entry)) return 1;
    const RealRow *row = real_row_in(entry);
    size_t count = 0;
    for (int64_t i = 0; i < row->count; i++) count += row->reals[i] != 0.0;
    return count;
}

size_t cotangent_left_over(const Cotangent *c, uint64_t birth) {
    size_t count = 0;
    for (size_t i = 0; i < c->map.room; i++) {
        const Entry *entry = &c->map.all[i];
        if (entry->birth && entry->birth >= birth) count += left_in_entry(entry);
    }
    for (size_t i = 0; i < c->rows.room; i++)
        if (c->rows.all[i]) count += left_in_row(c->rows.all[i], birth);
    return count;
}
