/* Sorts free blocks: merges the rows, of blocks without a gap, in which they are linked up or down.
 *
 * In: a heap whose lists are made, left and made again, each time of the blocks that were freed last: the more often, the
 * less are pairs that follow one another at one distance, by which loops along lists guess the next one
 * (machine/unit_pairs.h, unit_rebuilds.h). Out: the same free blocks, as rows that are as long as they can be. What is made next
 * of many blocks takes the longest rows, to within a factor of 2, as from a new slab: the lowest block of each first.
 */
#include "memory/free_order.h"

/* RANKS: what is merged r times is of 2^r rows, and a row of rank r has 2^r blocks, so there are never more ranks. PAYS:
 * blocks that are put in order in less time than one uneven place takes. */
enum { RANKS = 14, PAYS = 8 };

/* The first block of a row, or, but for `next`, any. */
typedef struct Row {
    struct Row *next;  /* the block that is taken next */
    struct Row *after; /* the row behind */
    struct Row *last;  /* its last block */
} Row;

static uintptr_t place(const Row *block) { return (uintptr_t)block; }

static Row *merged(Row *a, Row *b) {
    Row *first = NULL, **end = &first;
    while (a && b) {
        Row **least = place(a) < place(b) ? &a : &b;
        *end = *least;
        end = &(*least)->after;
        *least = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Removes the first row from a list, and returns it in ascending order; adds its length to `count`. */
static Row *row_of(Row **list, size_t bytes, uint32_t *count) {
    Row *first = *list, *last = first, *rest = first->next;
    ++*count;
    if (rest && place(rest) + bytes == place(first)) {
        for (; rest && place(rest) + bytes == place(first) && *count < ORDERED; ++*count) {
            Row *next = rest->next;
            rest->next = first;
            first = rest;
            rest = next;
        }
    } else {
        for (; rest && place(last) + bytes == place(rest) && *count < ORDERED; ++*count, rest = rest->next) last = rest;
    }
    *list = rest;
    UNPOISON(first, sizeof(Row));
    first->after = NULL;
    first->last = last;
    return first;
}

/* Makes a row's first block a free one like others. */
static void forget(Row *row) { POISON((char *)row + sizeof(void *), sizeof(Row) - sizeof(void *)); }

/* Removes the first row from some in ascending order, with those that follow it without a gap. */
static Row *joined(Row **rows, size_t bytes) {
    Row *first = *rows, *after = first->after;
    while (after && place(first->last) + bytes == place(after)) {
        Row *next = after->after;
        first->last->next = after;
        first->last = after->last;
        forget(after);
        after = next;
    }
    *rows = after;
    return first;
}

/* Returns the blocks of rows in ascending order as a list, the longest rows in front, with `rest` behind. */
static Row *longest_first(Row *rows, size_t bytes, Row *rest) {
    Row *first[RANKS], **end[RANKS], *all = rest;
    for (int rank = 0; rank < RANKS; rank++) end[rank] = &first[rank];
    while (rows) {
        Row *row = joined(&rows, bytes), *last = row->last;
        size_t count = (place(last) - place(row)) / bytes + 1;
        int rank = 0;
        forget(row);
        while (count >>= 1) rank++;
        *end[rank] = row;
        end[rank] = &last->next;
    }
    for (int rank = 0; rank < RANKS; rank++) {
        *end[rank] = all;
        all = first[rank];
    }
    return all;
}

void free_order(Heap *heap, uint32_t size_class) {
    if (heap->uneven <= 0) return;
    const size_t bytes = (size_t)size_class * CLASS_BYTES;
    Row *ranks[RANKS] = {NULL}, *rest = heap->free[size_class], *all = NULL;
    uint32_t count = 0;
    while (rest && count < ORDERED) {
        Row *row = row_of(&rest, bytes, &count);
        int rank = 0;
        for (; ranks[rank]; rank++) {
            row = merged(ranks[rank], row);
            ranks[rank] = NULL;
        }
        ranks[rank] = row;
    }
    for (int rank = 0; rank < RANKS; rank++) all = merged(all, ranks[rank]);
    heap->free[size_class] = longest_first(all, bytes, rest);
    heap->uneven = -(int64_t)count / PAYS;
}
