/* Blocks of lanes: see lane_block.h. */
#include "at_once/lane_block.h"

#include "bridge/guard.h"
#include "bridge/passage_import.h"
#include "containers/bare_row.h"
#include "containers/containers.h"
#include "memory/exceptions.h"

void lanes_begin(Lanes *lanes, const LaneLoop *loop, Heap *heap, uintptr_t closure, int64_t births) {
    *lanes = (Lanes){.loop = loop, .heap = heap, .python = (PyObject *)closure, .births = births};
    heap->unhelped = true;
    passage_begin(&lanes->x, heap, NULL);
}

static void import_closure(void *arguments) {
    Lanes *lanes = arguments;
    lanes->closure = import_value(&lanes->x, lanes->python);
    lanes->imported = import_rest(&lanes->x);
}

static void clean_import(void *arguments) {
    Lanes *lanes = arguments;
    passage_end(&lanes->x);
    forget_exception();
}

bool lanes_import(Lanes *lanes) {
    if (lanes->taped) lanes->heap->unwanted_before = (uint64_t)lanes->births;
    guarded(lanes->heap, import_closure, clean_import, lanes);
    let_python(lanes->heap);
    return lanes->imported;
}

static Value new_tuple(Lanes *lanes, uint32_t count) {
    Cells *made = new_cells(lanes->heap, RECORD, count + 1);
    made->head.birth = (uint64_t)lanes->births++ & LARGEST_BIRTH;
    made->head.constant = lanes->taped;
    for (uint32_t i = 0; i <= count; i++) store(&made->cells[i], nothing());
    return of_object(RECORD, made);
}

static Value new_columns(Lanes *lanes, const double *const *columns, int64_t first, int64_t count) {
    const Value made = new_tuple(lanes, lanes->column_count);
    for (uint32_t i = 0; i < lanes->column_count; i++) {
        const Value row = new_bare_row(lanes->heap, i, columns[i] + first, count);
        row.object->constant = lanes->taped && !(lanes->wanted >> i & 1);
        store(&cells_of(made)[i + 1], row);
    }
    return made;
}

State *lanes_start(Lanes *lanes, const double *const *columns, int64_t first, int64_t count) {
    const Value argument = new_tuple(lanes, 2);
    store(&cells_of(argument)[1], new_columns(lanes, columns, first, count));
    store(&cells_of(argument)[2], of_integer(count));
    State *start = state_create(lanes->heap, lanes->loop->entry, 0, 2, version_create(lanes->heap));
    lanes->heap->foreseen = (size_t)count; /* in the list of results */
    start->steps = start->tags = 0;
    start->births = lanes->births;
    keep(lanes->closure);
    start->values[0] = lanes->closure;
    start->values[1] = argument;
    stack_push(lanes->heap, &start->stack, lanes->loop->halt, NULL);
    return start;
}

bool lanes_take(Value found, int64_t count, double *results) {
    if (kind_of(found) != LIST || list_in(found)->length != (size_t)count) return false;
    const Value *values = list_in(found)->values;
    uint64_t tags = 0;
    for (int64_t i = 0; i < count; i++) {
        tags |= values[i].tag;
        results[i] = values[i].real;
    }
    return !tags;
}
