/* Sums of accumulators that are not reals: see accumulators.h. */
#include "arrays/accumulators.h"

#include "arrays/forms.h"
#include "arrays/storage_table.h"
#include "bridge/guard.h"
#include "bridge/passage_export.h"
#include "bridge/passage_import.h"
#include "numpy/kernels.h"

PyObject *form_of_accumulator(const ArrayClasses *c, PyObject *accumulator) {
    PyObject *form = *slot_of(accumulator, c->accumulator_form);
    return form && Py_IS_TYPE(form, c->like) ? form : NULL;
}

bool add_to_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *accumulator, PyObject *array,
                        const PyObject *form) {
    PyObject **sum = slot_of(accumulator, c->accumulator_array), **is_owned = slot_of(accumulator, c->accumulator_owned);
    PyObject *made = *is_owned == Py_True ? sum_in_place(*sum, array) : sum_of(*sum, array);
    if (!made) return false;
    Py_SETREF(*sum, made);
    if (*is_owned == Py_True) return true;
    if (form_of_accumulator(c, accumulator) != form) Py_CLEAR(*slot_of(accumulator, c->accumulator_form));
    note_array(c, heap, made);
    const Py_ssize_t axes = axes_of(c, made);
    Py_SETREF(*is_owned, Py_NewRef(axes > 0 ? Py_True : Py_False));
    return axes >= 0;
}

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
    PyObject *contribution = ((Foreign *)sum->operands[1].object)->python;
    sum->done = add_to_accumulator(c, sum->heap, into, *slot_of(contribution, c->accumulator_array),
                                   form_of_accumulator(c, contribution));
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
