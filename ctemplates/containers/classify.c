/* Predicates on values that need more than their kinds. */
#include "containers/classify.h"

#include "containers/peek.h"

bool is_tuple(Heap *heap, Value v) {
    if (kind_of(v) != RECORD) return false;
    const Value layout = cells_of(v)[0];
    return kind_of(layout) == NOTHING || layout_is_tuple(heap, ((Foreign *)layout.object)->python);
}

bool may_be_number(Value v) {
    const Kind kind = kind_of(v);
    return kind == REAL || kind == DUAL || (kind == FOREIGN && !is_text(v) && !is_large_integer(v));
}
