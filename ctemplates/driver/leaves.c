/* Samples which arrays among the arguments are untouched: see leaves.h. */
#include "driver/leaves.h"

#include "arrays/storage_table.h"

enum { SAMPLES = 256 }; /* all are looked at when one in so many of those left has been touched */

void leaves_begin(Heap *heap, Leaves *leaves) {
    const size_t total = arrays_in_heap(heap, NULL);
    if (!total) return;
    Foreign **found = heap_allocate(heap, total * sizeof *found);
    leaves->all = heap_allocate(heap, total * sizeof(Leaf));
    leaves->total = leaves->active = total;
    arrays_in_heap(heap, found);
    for (size_t i = 0; i < total; i++) {
        leaves->all[i] = (Leaf){found[i], found[i]->head.count, 0};
        found[i]->watched = true;
    }
    heap_free(heap, found, total * sizeof *found);
}

void leaves_end(Heap *heap, Leaves *leaves) {
    heap_free(heap, leaves->all, leaves->total * sizeof(Leaf));
    *leaves = (Leaves){.all = NULL};
}

static void retire(Leaves *leaves, size_t i) {
    Leaf retired = leaves->all[i];
    retired.untouched = leaves->step;
    leaves->all[i] = leaves->all[--leaves->active];
    leaves->all[leaves->active] = retired;
}

void leaves_reach(Heap *heap, Leaves *leaves, int64_t step, bool finished) {
    if (step <= leaves->step || (!finished && heap->touched <= leaves->active / SAMPLES)) return;
    heap->touched = 0;
    for (size_t i = leaves->active; i-- > 0;) {
        const Leaf *leaf = &leaves->all[i];
        if (!leaf->foreign->watched || leaf->foreign->head.count != leaf->count) retire(leaves, i);
    }
    leaves->step = step;
    if (finished)
        for (size_t i = 0; i < leaves->active; i++) leaves->all[i].untouched = NEVER_READ;
}
