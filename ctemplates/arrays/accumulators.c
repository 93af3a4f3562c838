/* Sums of accumulators that C cannot add, by Python. */
#include "arrays/accumulators.h"

#include "arrays/operators.h"
#include "bridge/guard.h"
#include "bridge/passage_export.h"
#include "bridge/passage_import.h"

typedef struct Sum {
    Passage x;
    Heap *heap;
    Value operands[2], value;
    PyObject *result;
    bool done;
} Sum;

static void clean_sum(void *arguments) {
    Sum *sum = arguments;
    Py_CLEAR(sum->result);
    passage_end(&sum->x);
}

/* Adds one array's accumulator to another's, which stays; returns false if they are others, or the sum fails. */
static bool add_in_place(Sum *sum) {
    const ArrayClasses *c = array_classes();
    for (int i = 0; i < 2; i++)
        if (!c || kind_of(sum->operands[i]) != FOREIGN ||
            !Py_IS_TYPE(((Foreign *)sum->operands[i].object)->python, c->accumulator))
            return false;
    PyObject *into = ((Foreign *)sum->operands[0].object)->python;
    sum->done = add_accumulator(c, sum->heap, into, ((Foreign *)sum->operands[1].object)->python);
    if (sum->done)
        sum->value = copied(sum->operands[0]);
    else
        PyErr_Clear();
    return sum->done;
}

static void add(void *arguments) {
    Sum *sum = arguments;
    Passage *x = &sum->x;
    passage_begin(x, sum->heap, NULL);
    x->cotangents = true;
    if (!classes() || add_in_place(sum)) return;
    PyObject *a = export_value(x, sum->operands[0], false), *b = export_value(x, sum->operands[1], false);
    sum->result = a && b && export_rest(x) ? PyNumber_Add(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    if (!sum->result) return;
    x->done = x->count;
    sum->value = import_value(x, sum->result);
    sum->done = import_rest(x);
}

/* Accumulators of one location have the same type and shape, so the sum can fail only for lack of memory. */
Value foreign_sum(Heap *heap, Value a, Value b) {
    Sum sum = {.heap = heap, .operands = {a, b}, .value = nothing()};
    guarded(heap, add, clean_sum, &sum);
    drop(heap, a);
    drop(heap, b);
    if (!sum.done) heap_exhausted(heap);
    return sum.value;
}
