/* Checks a heap's bookkeeping: the bytes in free lists, and the consistency of all counts and links. */
#include "memory/heap_check.h"

#include <stdio.h>
#include <stdlib.h>

size_t heap_spare(const Heap *heap) {
    const size_t shelved = heap->shelves[FOR_STACKS].all + heap->shelves[FOR_TAPES].all;
    const size_t small = heap->bytes - heap->reported - (heap->large_bytes - shelved);
    return heap->slab_bytes - (size_t)(heap->fresh_end - heap->fresh) - small;
}

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "checkpoint: heap_check: %s\n", what);
    abort();
}

static size_t check_slabs(const Heap *heap) {
    size_t bytes = 0;
    for (const Slab *slab = heap->slabs; slab; slab = slab->previous) bytes += slab->size;
    require(heap->fresh <= heap->fresh_end, "the newest slab is overrun");
    require(bytes == heap->slab_bytes, "slabs are counted wrongly");
    return bytes - (size_t)(heap->fresh_end - heap->fresh);
}

static size_t check_free(const Heap *heap, size_t in_slabs) {
    size_t bytes = 0;
    for (size_t class = 1; class < CLASSES; class++)
        for (void *const *block = heap->free[class]; block; block = *block) {
            require((uintptr_t)block % CLASS_BYTES == 0, "a free block is not aligned");
            bytes += class * CLASS_BYTES;
            require(bytes <= in_slabs, "free lists are longer than the slabs");
        }
    return bytes;
}

static size_t check_large(const Heap *heap) {
    size_t bytes = 0;
    const Large *previous = NULL;
    for (const Large *large = heap->large; large; large = large->next) {
        require(large->previous == previous, "large blocks are linked wrongly");
        bytes += large->bytes + sizeof(Large);
        previous = large;
    }
    return bytes;
}

static size_t check_shelf(const Shelf *shelf) {
    size_t bytes = 0;
    for (void *const *block = shelf->memory; block; block = *block)
        bytes += large_of((void *)block)->bytes + sizeof(Large);
    require(!shelf->memory || large_of(shelf->memory)->bytes == shelf->bytes, "what is on a shelf has another size");
    require(bytes == shelf->all, "what is on a shelf is counted wrongly");
    return bytes;
}

static void check_foreign(const Heap *heap) {
    const Foreign *previous = NULL;
    size_t count = 0;
    for (const Foreign *foreign = heap->foreign; foreign; foreign = foreign->next, count++) {
        require(foreign->previous == previous, "Python objects are linked wrongly");
        require(foreign->head.kind == FOREIGN, "what is linked is no Python object");
        require(heap->draining || foreign->head.count, "a Python object without references is alive");
        require(foreign->python, "a Python object is missing");
        previous = foreign;
    }
    require(count == heap->foreign_count, "Python objects are counted wrongly");
}

void heap_check(const Heap *heap) {
    require(heap->draining || !heap->dying, "something dead was left");
    require(heap->peak <= heap->limit && heap->bytes <= heap->peak, "more is in use than may be");
    const size_t in_slabs = check_slabs(heap), free_bytes = check_free(heap, in_slabs);
    const size_t shelved = check_shelf(&heap->shelves[FOR_STACKS]) + check_shelf(&heap->shelves[FOR_TAPES]);
    require(heap_spare(heap) == free_bytes, "what is free is counted wrongly");
    const size_t found = in_slabs - free_bytes + check_large(heap) - shelved;
    require(found + heap->reported == heap->bytes, "what is in use is counted wrongly");
    check_foreign(heap);
}
