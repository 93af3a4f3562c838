/* Lists, dictionaries, records and ranges, and the steps on them that the machine does itself (natives).
 *
 * A LIST or DICTIONARY is a handle on items that several handles may share. An update gives a new handle, and
 * leaves the old one stale from its step on: checkpoint/ad/containers.py says when that may be in place. Here
 * `owner` is the machine's `run`, NOBODY, or FROZEN. Looking at a stale handle, changing a frozen one, and
 * whatever else fails is left to Python.
 */
#ifndef CK_CONTAINERS_H
#define CK_CONTAINERS_H

#include "state/machine.h"

enum { NOBODY = 0, FROZEN = 1 };
#define NEVER INT64_MAX
#define NO_FIELD INT64_MIN

typedef struct Items {
    uint32_t handles; /* how many share them */
    size_t length, room;
    Value *values;
} Items;

typedef struct List {
    Object head;
    int64_t stale; /* from this many steps on; NEVER: it is not */
    uint64_t owner;
    Items *items;
} List;

/* Keys in their order of insertion, as Python has it. A key is an INTEGER, BOOLEAN, NOTHING, a FOREIGN
 * string or large integer, or a RECORD that is a tuple of such. Each has a *field* (keys.c), equal for
 * equal keys: what the cotangents of dictionaries are kept under. A removed entry has the field NO_FIELD
 * until they are packed. */
typedef struct DictionaryEntry {
    int64_t field;
    Value key, value;
} DictionaryEntry;

typedef struct Entries {
    uint32_t handles;         /* how many share them */
    size_t length, end, room; /* length: entries that are not removed; end: the removed ones too */
    size_t slot_count;        /* a power of 2 */
    uint32_t *slots;          /* by a hash of the field: 1 + an index of `all`; 0: empty */
    DictionaryEntry *all;
} Entries;

typedef struct Dictionary {
    Object head;
    int64_t stale;
    uint64_t owner;
    Entries *entries;
} Dictionary;

/* New ones, of birth 0. The caller fills items->values[0..length) at once. */
Value new_list(Heap *heap, size_t length, uint64_t owner);
Value new_dictionary(Heap *heap, uint64_t owner);
void list_destroy(Heap *heap, List *list); /* for release(): drops its items */
void dictionary_destroy(Heap *heap, Dictionary *dictionary);

/* The field of a key; NO_FIELD for what cannot be one here (Python says why). Borrows the key. */
int64_t key_field(Heap *heap, Value key);

/* Of entries that one handle has: writes, consuming key and value (an old entry keeps its key). */
void entries_set(Heap *heap, Entries *entries, int64_t field, Value key, Value value);
DictionaryEntry *entries_find(const Entries *entries, int64_t field); /* NULL: there is none */
void entries_remove(Heap *heap, Entries *entries, DictionaryEntry *entry);

/* Where `layout` (a Python Layout) has the field `name` (a str); -1: nowhere. And whether its class is a
 * subclass of tuple, or stands for a function of several arities. They take the GIL where it was not asked
 * before. */
int32_t layout_position(Heap *heap, void *layout, void *name);
bool layout_is_tuple(Heap *heap, void *layout);
bool layout_is_overloads(Heap *heap, void *layout);
int32_t layout_position_of_arity(Heap *heap, void *layout, int64_t arity);
void layouts_destroy(Heap *heap); /* for heap_destroy, which holds the GIL */

/* What a native step tells of itself, to be recorded on a tape: of a step that makes an object its birth,
 * of Select and Update the birth of the container and the field. birth 0: there is no cotangent to give.
 *
 * Of a Rearrange: the field i of the new object `made` is a copy of the field `field` + i of the object
 * `birth`, for i below `count`; all other fields hold no number. Where that cannot say it, Python does the
 * step. */
typedef struct Note {
    int64_t birth;
    int64_t field;
    int64_t made;
    int64_t count;
} Note;

/* A step, on borrowed operands; false: not for me, Python does it. `steps` is what records call now.steps.
 * The note is filled where it succeeds. */
typedef bool (*Native)(Machine *machine, int64_t steps, const Value *operands, uint32_t count, Value *result,
                       Note *note);
typedef struct NativeStep {
    const char *name; /* the record's */
    Native run;
    bool copies; /* a Rearrange that notes where fields were copied from (4 words) */
} NativeStep;
extern const NativeStep NATIVES[];
extern const uint16_t NATIVE_COUNT;
#define NO_NATIVE UINT16_MAX
uint16_t native_number(const char *name); /* the place of a record's in NATIVES; NO_NATIVE: there is none */

#endif
