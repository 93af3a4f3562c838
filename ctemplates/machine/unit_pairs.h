/* What translated code does with the blocks of pairs: part of translated.h, whose vocabulary it needs.
 *
 * What is made or left one after another takes one change of the heap's free list and of its count of bytes.
 */
#ifndef CK_UNIT_PAIRS_H
#define CK_UNIT_PAIRS_H

/* Hides from the compiler where the value of a variable comes from. */
#define HIDDEN(variable) __asm__ volatile("" : "+r"(variable))

enum { PAIR_BYTES = PAIR_CLASS * CLASS_BYTES };

/* Returns whether a pair has one reference, and those to its fields may move: the fields that have a bit are kept, or
 * are sure to be no objects. */
INLINE bool moves_fields(Value pair, unsigned fields) {
    const Cells *cells = (const Cells *)pair.object;
    return cells->head.count == 1 && (fields & 1 || !is_counted(cells->cells[0])) &&
           (fields & 2 || !is_counted(cells->cells[1]));
}
/* Removes a reference to a pair, and adds one to each field that has its bit in `kept`; where the pair is freed, its
 * references to these move. plain: the fields that are sure to be no objects. */
INLINE void leave_pair(Heap *heap, Value pair, unsigned kept, unsigned plain) {
    Cells *cells = (Cells *)pair.object;
    if (LIKELY(moves_fields(pair, kept | plain))) {
        heap_put(heap, cells, PAIR_CLASS);
        return;
    }
    if (kept & 1) keep(cells->cells[0]);
    if (kept & 2) keep(cells->cells[1]);
    if (--cells->head.count == 0) release(heap, &cells->head);
}
/* The same of two pairs, in this order. */
INLINE void leave_pairs(Heap *heap, Value a, unsigned a_kept, unsigned a_plain, Value b, unsigned b_kept,
                        unsigned b_plain) {
    if (LIKELY(moves_fields(a, a_kept | a_plain) && moves_fields(b, b_kept | b_plain))) {
        heap->bytes -= 2 * PAIR_BYTES;
        *(void **)(void *)a.object = heap->free[PAIR_CLASS];
        *(void **)(void *)b.object = a.object;
        heap->free[PAIR_CLASS] = b.object;
        POISON((char *)a.object + sizeof(void *), PAIR_BYTES - sizeof(void *));
        POISON((char *)b.object + sizeof(void *), PAIR_BYTES - sizeof(void *));
        return;
    }
    leave_pair(heap, a, a_kept, a_plain);
    leave_pair(heap, b, b_kept, b_plain);
}

/* Walks: loops that leave one pair after another of a list (translate/emit/walks.py). `walk`: the pair at which the loop
 * has begun to count nothing, since others refer to it; the loop has a reference to it, in place of one to the pair that it
 * has reached. NULL: all are counted. */
INLINE void walk_on(Heap *heap, Object **walk, Value pair, unsigned kept, unsigned plain) {
    if (*walk) return;
    if (pair.object->count > 1)
        *walk = pair.object;
    else
        leave_pair(heap, pair, kept, plain);
}
static __attribute__((noinline, unused)) Object *walk_ended(Heap *heap, Object *walk, Value pair) {
    keep(pair);
    if (--walk->count == 0) release(heap, walk);
    return NULL;
}

/* Returns the rest of a list that a turn of a loop reaches from a pair. distance: from pair to rest, in bytes, in the turn
 * before. It is mostly the same again, since the pairs of a list are made one after another; so the address is computed,
 * and the processor, which predicts that the comparison holds, need not wait for the one that is loaded. */
INLINE Value rest_from(Value pair, Value rest, uintptr_t *distance) {
    const uintptr_t expected = (uintptr_t)pair.object + *distance;
    uintptr_t address = expected;
    HIDDEN(address);
    if (UNLIKELY(expected != (uintptr_t)rest.object)) {
        *distance = (uintptr_t)rest.object - (uintptr_t)pair.object;
        address = (uintptr_t)rest.object;
        HIDDEN(address);
    }
    return (Value){.tag = rest.tag, .object = (Object *)address};
}

/* Pairs that are made one after another: pairs_begin counts all of them, next_pair makes one, whose cells are filled at
 * once, and pairs_end follows the last one. Nothing else uses the heap meanwhile.
 * free: the list, in a variable. later: how many pairs follow. */
INLINE void *pairs_begin(Heap *heap, uint32_t count) {
    heap_count(heap, count * PAIR_BYTES);
    return heap->free[PAIR_CLASS];
}
static __attribute__((noinline, unused)) void *pair_block(Heap *heap, uint32_t later) {
    heap->free[PAIR_CLASS] = NULL;
    heap->bytes -= later * PAIR_BYTES; /* should memory be exhausted now */
    void *block = heap_block(heap, PAIR_CLASS);
    heap->bytes += later * PAIR_BYTES;
    return block;
}
INLINE Value *next_pair(Heap *heap, void **free, uint32_t later, int64_t birth, Value *made) {
    void *block = *free;
    if (UNLIKELY(!block)) {
        block = pair_block(heap, later);
    } else {
        *free = *(void **)block;
        UNPOISON(block, PAIR_BYTES);
    }
    Cells *cells = (Cells *)block;
    object_begin(&cells->head, PAIR, 2, (uint64_t)birth & LARGEST_BIRTH, PAIR_CLASS);
    *made = of_object(PAIR, cells);
    return cells->cells;
}
INLINE void pairs_end(Heap *heap, void *free) { heap->free[PAIR_CLASS] = free; }

#endif
