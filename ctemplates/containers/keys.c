/* The fields of keys: one number for all keys that are equal in Python.
 *
 * An integer of usual size is its own field, True is 1 and False 0. Every other key is interned: its field is
 * FIRST_INTERNED + n, if it is the n-th new key of the heap. A tuple is interned as a chain: its length, then one link
 * for the field of each item. A member of an enumeration of strings is interned as its text. What always holds: a
 * field is never forgotten.
 */
#include "containers/keys.h"

#include <string.h>

#include "containers/classify.h"
#include "containers/peek.h"

typedef enum LinkKind { NULL_KEY, WIDE_KEY, OTHER_KEY, TEXT_KEY, OPEN_KEY, ITEM_KEY } LinkKind;

typedef struct Link {
    LinkKind kind;
    int64_t before; /* of ITEM_KEY: the field of the chain so far */
    int64_t token;  /* the item's field; the length; the integer; the hash of a text or large integer */
    Value held;     /* the text or large integer */
} Link;

typedef struct Keys {
    size_t count, room, slot_count;
    Link *links;
    uint32_t *slots; /* 1 + an index of links; 0: empty */
} Keys;

enum { FIRST_ROOM = 16 };

static size_t hash_of(const Link *link) {
    uint64_t x = (uint64_t)link->token * UINT64_C(0x9e3779b97f4a7c15);
    x ^= ((uint64_t)link->before + (uint64_t)link->kind) * UINT64_C(0xc2b2ae3d27d4eb4f);
    x ^= x >> 32;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x ^ x >> 29);
}

static bool is_same(const Link *a, const Link *b) {
    if (a->kind != b->kind || a->token != b->token || a->before != b->before) return false;
    if (a->kind == TEXT_KEY) return texts_equal(a->held, b->held);
    return a->kind != OTHER_KEY || objects_equal(a->held, b->held);
}

static Keys *keys_of(Heap *heap) {
    if (heap->keys) return heap->keys;
    Keys *keys = heap_allocate(heap, sizeof(Keys));
    *keys = (Keys){0};
    return heap->keys = keys;
}

static void enter(Keys *keys, size_t index) {
    const size_t mask = keys->slot_count - 1;
    size_t at = hash_of(&keys->links[index]) & mask;
    while (keys->slots[at]) at = (at + 1) & mask;
    keys->slots[at] = (uint32_t)index + 1;
}

static void grow(Heap *heap, Keys *keys) {
    const size_t room = keys->room ? 2 * keys->room : FIRST_ROOM, slots = 2 * room;
    Link *links = heap_allocate(heap, room * sizeof(Link));
    uint32_t *table = heap_allocate(heap, slots * sizeof(uint32_t));
    memset(table, 0, slots * sizeof(uint32_t));
    if (keys->room) {
        memcpy(links, keys->links, keys->count * sizeof(Link));
        heap_free(heap, keys->links, keys->room * sizeof(Link));
        heap_free(heap, keys->slots, keys->slot_count * sizeof(uint32_t));
    }
    keys->links = links;
    keys->slots = table;
    keys->room = room;
    keys->slot_count = slots;
    for (size_t i = 0; i < keys->count; i++) enter(keys, i);
}

static int64_t interned(Heap *heap, Link link) {
    Keys *keys = keys_of(heap);
    if (keys->room) {
        const size_t mask = keys->slot_count - 1;
        for (size_t at = hash_of(&link) & mask; keys->slots[at]; at = (at + 1) & mask)
            if (is_same(&keys->links[keys->slots[at] - 1], &link))
                return FIRST_INTERNED + (int64_t)(keys->slots[at] - 1);
    }
    if (keys->count == keys->room) grow(heap, keys);
    keys->links[keys->count] = link;
    keep(link.held);
    enter(keys, keys->count);
    return FIRST_INTERNED + (int64_t)keys->count++;
}

static Link plain_link(LinkKind kind, int64_t before, int64_t token) {
    return (Link){.kind = kind, .before = before, .token = token, .held = nothing()};
}

static int64_t field_of_integer(Heap *heap, int64_t i) {
    if (i >= -FIRST_INTERNED && i < FIRST_INTERNED) return i;
    return interned(heap, plain_link(WIDE_KEY, 0, i));
}

static int64_t field_of_foreign(Heap *heap, Value key, Accepted accepted) {
    Foreign *foreign = (Foreign *)key.object;
    bool text = is_text(key);
    if (accepted == KEYS_OF_PROGRAMS && !text && !is_large_integer(key)) return NO_FIELD;
    if (foreign->field) return foreign->field;
    text = text || like_text(key);
    uint64_t hash;
    int64_t whole;
    if (!text && whole_of(key, &whole)) return foreign->field = field_of_integer(heap, whole);
    if (text)
        hash = text_hash(key);
    else if (!object_hash(key, &hash))
        return NO_FIELD;
    const Link link = {.kind = text ? TEXT_KEY : OTHER_KEY, .token = (int64_t)hash, .held = key};
    return foreign->field = interned(heap, link);
}

/* Returns the field of a key that is not a tuple. */
static int64_t field_of_atom(Heap *heap, Value key, Accepted accepted) {
    switch (kind_of(key)) {
    case INTEGER:
    case BOOLEAN: return field_of_integer(heap, key.integer);
    case NOTHING: return interned(heap, plain_link(NULL_KEY, 0, 0));
    case FOREIGN: return field_of_foreign(heap, key, accepted);
    default: return NO_FIELD;
    }
}

/* A tuple being interned, tuples in tuples outermost first: its next item, and the chain so far. */
typedef struct OpenTuple {
    const Object *tuple;
    uint32_t next;
    int64_t chain;
} OpenTuple;

typedef struct Opened {
    OpenTuple few[8];
    OpenTuple *all;
    size_t depth, room;
} Opened;

static void open_tuple(Heap *heap, Opened *opened, Value tuple) {
    if (opened->depth == opened->room) {
        const size_t size = opened->room * sizeof(OpenTuple);
        OpenTuple *more = heap_allocate(heap, 2 * size);
        memcpy(more, opened->all, size);
        if (opened->all != opened->few) heap_free(heap, opened->all, size);
        opened->all = more;
        opened->room *= 2;
    }
    const int64_t length = (int64_t)tuple.object->length - 1;
    const int64_t chain = interned(heap, plain_link(OPEN_KEY, 0, length));
    opened->all[opened->depth++] = (OpenTuple){.tuple = tuple.object, .next = 1, .chain = chain};
}

static int64_t field_of_tuple(Heap *heap, Value key, Accepted accepted) {
    Opened opened = {.room = sizeof opened.few / sizeof *opened.few};
    opened.all = opened.few;
    open_tuple(heap, &opened, key);
    int64_t field = NO_FIELD;
    while (opened.depth) {
        OpenTuple *top = &opened.all[opened.depth - 1];
        if (top->next == top->tuple->length) {
            field = top->chain;
            if (--opened.depth == 0) break;
            top--;
        } else {
            const Value item = ((const Cells *)top->tuple)->cells[top->next++];
            if (is_tuple(heap, item)) {
                open_tuple(heap, &opened, item);
                continue;
            }
            field = field_of_atom(heap, item, accepted);
            if (field == NO_FIELD) break;
        }
        top->chain = interned(heap, plain_link(ITEM_KEY, top->chain, field));
    }
    if (opened.all != opened.few) heap_free(heap, opened.all, opened.room * sizeof(OpenTuple));
    return field;
}

int64_t key_field(Heap *heap, Value key, Accepted accepted) {
    return is_tuple(heap, key) ? field_of_tuple(heap, key, accepted) : field_of_atom(heap, key, accepted);
}
