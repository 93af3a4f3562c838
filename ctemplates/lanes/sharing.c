/* Constants that lanes share: see sharing.h. Where a copy is not found at the place of what it was made of, it is left as
 * it is, which is never wrong.
 */
#include "lanes/sharing.h"

#include "containers/containers.h"

enum { DEEPEST = 16, DEEPEST_CAPTURED = 4 };
enum { LANES_FUNCTION = 2, LANES_ARGUMENTS = 4 }; /* their cells in the value of the step, a plain tuple */

static void mark(Value from, Value to, int depth);

static void mark_all(const Value *from, const Value *to, size_t count, int depth) {
    for (size_t i = 0; i < count; i++) mark(from[i], to[i], depth);
}

/* Marks the copy of what a function has captured; functions may have captured each other. */
static void mark_captured(const Object *from, Object *to, int depth) {
    if (from->length != to->length || to->constant) return;
    to->constant = from->constant;
    const int left = depth < DEEPEST_CAPTURED || from->constant ? depth - 1 : DEEPEST_CAPTURED;
    mark_all(((const Cells *)from)->cells, ((const Cells *)to)->cells, from->length, left);
}

/* Marks the copy of a value, and what it consists of. */
static void mark(Value from, Value to, int depth) {
    if (!depth || kind_of(from) != kind_of(to)) return;
    if (kind_of(from) == RECORD && from.object->length == to.object->length) {
        to.object->constant = from.object->constant;
        mark_all(cells_of(from) + 1, cells_of(to) + 1, from.object->length - 1, depth - 1);
    } else if (kind_of(from) == LIST && list_in(from)->length == list_in(to)->length) {
        mark_all(list_in(from)->values, list_in(to)->values, list_in(from)->length, depth - 1);
    } else if (kind_of(from) == ENVIRONMENT || (kind_of(from) == CLOSURE && from.tag == to.tag)) {
        mark_captured(from.object, to.object, depth);
    }
}

void share_constants(const Value *operands, Value lanes) {
    if (kind_of(lanes) != RECORD || lanes.object->length <= LANES_ARGUMENTS) return;
    const Value *cells = cells_of(lanes);
    mark(operands[0], cells[LANES_FUNCTION], DEEPEST);
    const Value from = operands[1], to = cells[LANES_ARGUMENTS];
    if (kind_of(from) != RECORD || kind_of(to) != RECORD) return;
    const size_t mine = from.object->length, others = to.object->length; /* behind them may be those passed by name */
    mark_all(cells_of(from) + 1, cells_of(to) + 1, (mine < others ? mine : others) - 1, DEEPEST);
}
