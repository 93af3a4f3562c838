/* Copies of values: see copying.h. */
#include "derivatives/copying.h"

static Value empty_list_like(Copying *c, Value v) {
    const bool is_frozen = c->freezes || (!c->tangent && list_in(v)->storage.owner == FROZEN);
    const Value made = new_list(c->heap, list_in(v)->length, is_frozen ? FROZEN : NOBODY);
    made.object->birth = (uint64_t)c->births++ & LARGEST_BIRTH;
    for (size_t i = 0; i < list_in(made)->length; i++) list_in(made)->values[i] = nothing();
    return made;
}

/* Returns a new object for `v`, whose parts are null, except for its layout. */
static Value empty_like(Copying *c, Value v) {
    if (kind_of(v) == LIST) return empty_list_like(c, v);
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

/* Returns the tangent of a procedure. */
static Value tangent_of_procedure(Copying *c, Value v) {
    const uint32_t count = kind_of(v) == CLOSURE ? numbers_held(c->heap, v) : 0;
    Cells *made = new_born_cells(c->heap, RECORD, count + 1, c->births++);
    store(&made->cells[0], opaque_layout());
    for (uint32_t i = 1; i <= count; i++) store(&made->cells[i], *c->numbers++);
    return of_object(RECORD, made);
}

/* Returns the copy of a closure that is in a tree: it shares nothing with others, and preserves its inner sharing. */
static Value closure_in_tree(Copying *c, Value v) {
    Copying inner = {
        .heap = c->heap, .births = c->births, .numbers = c->numbers, .sharing = AS_GRAPH, .freezes = c->freezes};
    const Value made = copy_of(&inner, v);
    c->births = inner.births;
    c->numbers = inner.numbers;
    return made;
}

/* Copies a procedure within data, where that is no copy like others. */
static bool copy_procedure(Copying *c, Value v, Value *to) {
    bool is_old = false;
    if (!c->tangent) {
        if (kind_of(v) != CLOSURE || c->sharing != AS_TREE) return false;
        *to = closure_in_tree(c, v);
        return true;
    }
    Met *met = kind_of(v) == CLOSURE && c->sharing != AS_TREE ? seen_at(&c->seen, v.object, &is_old) : NULL;
    *to = is_old ? copied(met->value) : tangent_of_procedure(c, v);
    if (met) met->value = *to;
    return true;
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
        if ((kind == PROCEDURE || kind == CLOSURE) && copy_procedure(c, v, to)) return;
        const Value *parts = all_parts_of(v, &count);
        if (!parts) {
            *to = c->tangent ? nothing() : copied(v);
            return;
        }
        *to = object_for(c, v, &is_old);
        if (is_old || !count) return;
        Value *made = (Value *)(uintptr_t)all_parts_of(*to, &count);
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
