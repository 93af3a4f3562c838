/* Strings, symbols and failures, and the constants of a program: see things.h. */
#include "alone/things.h"

#include <stdlib.h>
#include <string.h>

#include "memory/memo.h"

/* Things */

static void release_failure(void *failure) {
    free((void *)(uintptr_t)((Thing *)failure)->text);
    free(failure);
}

Value new_failure(Heap *heap, char *text) {
    Thing *made = malloc(sizeof *made);
    if (!made) {
        free(text);
        heap_exhausted(heap);
    }
    *made = (Thing){FAILURE, text, release_failure};
    return new_foreign(heap, made, false);
}

void thing_release(void *thing) {
    const Thing *released = thing;
    if (released->release) released->release(thing);
}

static bool is_of(Value v, ThingKind kind) { return kind_of(v) == FOREIGN && thing_in(v)->kind == kind; }

bool is_text(Value v) { return is_of(v, TEXT); }
bool is_any_text(Value v) { return is_of(v, TEXT) || is_of(v, SYMBOL); }
bool is_foreign_atom(Value v) { return kind_of(v) == FOREIGN; }
size_t text_length(Value v) { return strlen(thing_in(v)->text); }
bool texts_equal(Value a, Value b) { return strcmp(thing_in(a)->text, thing_in(b)->text) == 0; }
bool same_python_type(Value a, Value b) { return thing_in(a)->kind == thing_in(b)->kind; }

uint64_t text_hash(Value v) {
    uint64_t hash = 0;
    for (const char *at = thing_in(v)->text; *at; at++) hash = hash * 31 + (unsigned char)*at;
    return hash;
}

/* There are no objects of Python's, and no layouts. */

bool is_large_integer(Value v) {
    (void)v;
    return false;
}

bool objects_equal(Value a, Value b) {
    (void)a, (void)b;
    return false;
}

bool object_hash(Value v, uint64_t *hash) {
    (void)v, (void)hash;
    return false;
}

bool whole_of(Value v, int64_t *whole) {
    (void)v, (void)whole;
    return false;
}

bool like_text(Value v) {
    (void)v;
    return false;
}

int32_t instance_of(Heap *heap, Value v, Value types) {
    (void)heap, (void)v, (void)types;
    return -1;
}

int32_t of_class(Heap *heap, Value v, Value types) {
    (void)heap, (void)v, (void)types;
    return -1;
}

int32_t layout_position(Heap *heap, void *layout, void *name) {
    (void)heap, (void)layout, (void)name;
    return -1;
}

bool layout_is_tuple(Heap *heap, void *layout) {
    (void)heap, (void)layout;
    return false;
}

bool layout_is_overloads(Heap *heap, void *layout) {
    (void)heap, (void)layout;
    return false;
}

int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity) {
    (void)heap, (void)layout, (void)arity;
    return -1;
}

Value layout_with_name(Heap *heap, Value layout, Value name) {
    (void)heap, (void)layout, (void)name;
    return nothing();
}

Value layout_value(Heap *heap, void *layout) {
    (void)heap, (void)layout;
    return nothing();
}

void layouts_destroy(Heap *heap) { (void)heap; }

/* Constants */

/* Returns a constant as a new value; what it is made of has birth 0, as what no run has made. Recursion is as deep as
 * constants are nested, without the last part of each. */
static Value made_of(Heap *heap, const Constant *constant) {
    Value first = nothing(), *to = &first;
    for (; constant->parts; constant = &constant->parts[1]) {
        Cells *pair = new_cells(heap, PAIR, 2);
        store(to, of_object(PAIR, pair));
        store(&pair->cells[0], nothing());
        store(&pair->cells[1], nothing());
        store(&pair->cells[0], made_of(heap, &constant->parts[0]));
        to = &pair->cells[1];
    }
    const Thing *thing = constant->thing;
    store(to, thing ? new_foreign(heap, (void *)(uintptr_t)thing, true) : constant->value);
    return first;
}

Value constant_value(Heap *heap, const Block *block, uint32_t index) {
    const Constant *constant = block->counted_constants[index];
    Value value;
    if (heap_recall(heap, constant, &value)) return value;
    value = made_of(heap, constant);
    heap_remember(heap, constant, value);
    return value;
}
