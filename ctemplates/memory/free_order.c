/* Sorts free blocks: merges the runs, up or down, in which they are linked.
 *
 * In: a heap whose lists are made, left and made again, each time of the blocks that were freed last: the more often, the
 * less are pairs that follow one another at one distance, by which loops along lists guess the next one
 * (machine/unit_pairs.h, unit_rebuilds.h). Out: the same free blocks. The lowest one is taken next, as from a new slab.
 */
#include "memory/free_order.h"

/* RANKS: a run of rank r is of 2^r runs, so there are never more ranks. PAYS: uneven places for each block sorted. */
enum { RANKS = 14, PAYS = 4 };

typedef struct FreeBlock {
    struct FreeBlock *next;
} FreeBlock;

static bool is_before(const FreeBlock *a, const FreeBlock *b) { return (uintptr_t)a < (uintptr_t)b; }

static FreeBlock *merged(FreeBlock *a, FreeBlock *b) {
    FreeBlock *first = NULL, **end = &first;
    while (a && b) {
        FreeBlock **least = is_before(a, b) ? &a : &b;
        *end = *least;
        end = &(*least)->next;
        *least = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Removes the first run from a list, and returns it in ascending order; adds its length to `count`. */
static FreeBlock *run_of(FreeBlock **list, uint32_t *count) {
    FreeBlock *first = *list, *last = first, *rest = first->next;
    ++*count;
    if (rest && is_before(rest, first)) {
        last->next = NULL;
        for (; rest && is_before(rest, first) && *count < ORDERED; ++*count) {
            FreeBlock *next = rest->next;
            rest->next = first;
            first = rest;
            rest = next;
        }
    } else {
        for (; rest && is_before(last, rest) && *count < ORDERED; ++*count, rest = rest->next) last = rest;
        last->next = NULL;
    }
    *list = rest;
    return first;
}

void free_order(Heap *heap, uint32_t size_class) {
    if (heap->uneven <= 0) return;
    FreeBlock *ranks[RANKS] = {NULL}, *rest = heap->free[size_class], *all = NULL;
    uint32_t count = 0;
    while (rest && count < ORDERED) {
        FreeBlock *run = run_of(&rest, &count);
        int rank = 0;
        for (; ranks[rank]; rank++) {
            run = merged(ranks[rank], run);
            ranks[rank] = NULL;
        }
        ranks[rank] = run;
    }
    for (int rank = 0; rank < RANKS; rank++) all = merged(all, ranks[rank]);
    FreeBlock **end = &all;
    while (*end) end = &(*end)->next;
    *end = rest;
    heap->free[size_class] = all;
    heap->uneven = -PAYS * (int64_t)count;
}
