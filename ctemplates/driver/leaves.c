/* Samples which arrays among the arguments are untouched: see leaves.h. */
#include "driver/leaves.h"

#include "arrays/array_classes.h"
#include "bridge/gil.h"

enum { SAMPLES = 256 }; /* all are looked at when one in so many of those left has been touched */

static bool is_array(const ArrayClasses *c, const Foreign *foreign) {
    return Py_IS_TYPE(foreign->python, c->array) || Py_IS_TYPE(foreign->python, c->discrete);
}

/* Counts the handles of arrays, and stores them if there is room. */
static size_t find_arrays(const ArrayClasses *c, const Heap *heap, Leaf *to) {
    size_t count = 0;
    for (Foreign *foreign = heap->foreign; foreign; foreign = foreign->next) {
        if (!is_array(c, foreign)) continue;
        if (to) to[count] = (Leaf){foreign, foreign->head.count, 0};
        count++;
    }
    return count;
}

void leaves_begin(Heap *heap, Leaves *leaves) {
    void *lock = python_lock();
    const ArrayClasses *c = array_classes();
    if (!c) PyErr_Clear();
    const size_t total = c ? find_arrays(c, heap, NULL) : 0;
    python_unlock(lock);
    if (!total) return;
    leaves->all = heap_allocate(heap, total * sizeof(Leaf));
    leaves->total = leaves->active = total;
    find_arrays(c, heap, leaves->all);
    for (size_t i = 0; i < total; i++) leaves->all[i].foreign->watched = true;
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
