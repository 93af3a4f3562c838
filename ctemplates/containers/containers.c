/* Elements of lists, tuples and ranges; new tuples. */
#include "containers/containers.h"

#include "containers/classify.h"

bool elements_of(Machine *m, Value x, Elements *elements) {
    if (kind_of(x) == LIST) {
        const List *list = list_in(x);
        *elements = (Elements){list->values, list->length, (int64_t)x.object->birth};
        return true;
    }
    if (!is_tuple(m->heap, x)) return false;
    *elements = (Elements){cells_of(x) + 1, x.object->length - 1, (int64_t)x.object->birth};
    return true;
}

size_t range_length(const Value *range) {
    const int64_t start = range[0].integer, stop = range[1].integer, step = range[2].integer;
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const uint64_t distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    const uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    return (size_t)((distance - 1) / stride + 1);
}

int64_t range_item(const Value *range, size_t i) {
    return (int64_t)((uint64_t)range[0].integer + (uint64_t)i * (uint64_t)range[2].integer);
}

bool element_at(const Elements *elements, Value index, size_t *place) {
    const int64_t length = (int64_t)elements->length;
    int64_t i = index.integer;
    if (i < 0) i += length;
    if (i < 0 || i >= length) return false;
    *place = (size_t)i;
    return true;
}

Value born_tuple(Machine *m, size_t length) {
    Cells *record = new_cells(m->heap, RECORD, (uint32_t)length + 1);
    record->cells[0] = nothing();
    return born(m, of_object(RECORD, record));
}
