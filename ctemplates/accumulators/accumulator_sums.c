/* Sums of accumulators: see accumulator_sums.h. Sums of duals nest; they wait in a list instead of on the stack of C. */
#include "accumulators/accumulator_sums.h"

#include <string.h>

enum { FIRST_SUMS = 32 };

typedef struct Sum { /* to be stored in `to`; the terms are borrowed from values that are dropped at the end */
    Value *to;
    Value a, b;
} Sum;

typedef struct Sums {
    Heap *heap;
    Sum *waiting, first[FIRST_SUMS];
    size_t count, room;
} Sums;

static void add_sum(Sums *sums, Value *to, Value a, Value b) {
    if (sums->count == sums->room) {
        const size_t bytes = sums->room * sizeof(Sum);
        Sum *more = heap_allocate(sums->heap, 2 * bytes);
        memcpy(more, sums->waiting, bytes);
        if (sums->waiting != sums->first) heap_free(sums->heap, sums->waiting, bytes);
        sums->waiting = more;
        sums->room *= 2;
    }
    sums->waiting[sums->count++] = (Sum){to, a, b};
}

/* Adds by components, a 0 on the left to each of them, as in checkpoint.interp.hybrid.cotangent.Both. */
static void add_duals(Sums *sums, Sum sum) {
    Cells *result = new_cells(sums->heap, DUAL, 2);
    const Value zero = of_real(0.0);
    const bool both = kind_of(sum.a) == DUAL;
    result->head.birth = sum.b.object->birth;
    for (int i = 0; i < 2; i++) result->cells[i] = of_real(0.0);
    *sum.to = of_object(DUAL, result);
    for (int i = 1; i >= 0; i--)
        add_sum(sums, &result->cells[i], both ? cells_of(sum.a)[i] : zero, cells_of(sum.b)[i]);
}

Value accumulator_sum(Heap *heap, Value a, Value b) {
    if (a.tag == REAL && kind_of(b) == FOREIGN) return b; /* an array's accumulator that has received nothing is 0 */
    if (b.tag == REAL && kind_of(a) == FOREIGN) return a;
    Value result = of_real(0.0);
    Sums sums = {.heap = heap, .room = FIRST_SUMS};
    sums.waiting = sums.first;
    add_sum(&sums, &result, a, b);
    while (sums.count) {
        const Sum sum = sums.waiting[--sums.count];
        if ((sum.a.tag | sum.b.tag) == REAL)
            *sum.to = of_real(sum.a.real + sum.b.real);
        else if (kind_of(sum.a) == FOREIGN || kind_of(sum.b) == FOREIGN)
            *sum.to = heap->hooks->add_foreign(heap, copied(sum.a), copied(sum.b));
        else if (kind_of(sum.b) == DUAL)
            add_duals(&sums, sum);
        else
            *sum.to = copied(sum.a);
    }
    if (sums.waiting != sums.first) heap_free(heap, sums.waiting, sums.room * sizeof(Sum));
    drop(heap, a);
    drop(heap, b);
    return result;
}
