/* Copies of values: see copying.h. */
#include "derivatives/copying.h"

/* Returns a new object for `v`, whose parts are null, except for its layout. */
static Value empty_like(Copying *c, Value v) {
    const uint32_t length = v.object->length;
    const Kind kind = (Kind)v.object->kind;
    Cells *made = new_born_cells(c->heap, kind, length, c->births++);
    for (uint32_t i = 0; i < length; i++) made->cells[i] = nothing();
    if (kind == RECORD) made->cells[0] = copied(cells_of(v)[0]);
    return (Value){.tag = v.tag, .object = &made->head};
}

/* Returns the object that the copies of `v` refer to, for a closure with its procedure; `is_old`: it is filled. */
static Value object_for(Copying *c, Value v, bool *is_old) {
    *is_old = false;
    if (c->sharing == AS_TREE) return empty_like(c, v);
    Met *met = seen_at(&c->seen, v.object, is_old);
    if (!*is_old) met->value = empty_like(c, v);
    else met->value.object->count++;
    return (Value){.tag = v.tag, .object = met->value.object};
}

static void copy_to(Copying *c, Value v, Value *to) {
    while (true) {
        const Kind kind = kind_of(v);
        uint32_t count;
        bool is_old;
        if (kind == REAL || kind == DUAL) {
            *to = *c->numbers++;
            return;
        }
        const Value *parts = parts_of(v, &count);
        if (!parts) {
            *to = c->tangent ? nothing() : copied(v);
            return;
        }
        *to = object_for(c, v, &is_old);
        if (is_old || !count) return;
        Value *made = (Value *)parts_of(*to, &count);
        for (uint32_t i = 0; i + 1 < count; i++) copy_to(c, parts[i], &made[i]);
        v = parts[count - 1];
        to = &made[count - 1];
    }
}

Value copy_of(Copying *c, Value value) {
    Value made = nothing();
    if (c->sharing != AS_TREE) seen_begin(&c->seen, c->heap);
    copy_to(c, value, &made);
    if (c->sharing != AS_TREE) seen_end(&c->seen);
    return made;
}
