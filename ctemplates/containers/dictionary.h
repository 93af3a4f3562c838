/* Dictionaries: entries in the order of insertion, found by the fields of their keys. */
#ifndef CK_DICTIONARY_H
#define CK_DICTIONARY_H

#include "containers/mutable.h"

/* Keys in their order of insertion, as Python has it. A key is an INTEGER, BOOLEAN, NOTHING, a FOREIGN
 * string or large integer, or a RECORD that is a tuple of such. Each has a *field* (keys.c), equal for
 * equal keys: the key of its accumulator in a cotangent. A removed entry has the field NO_FIELD
 * until they are packed. */
typedef struct DictionaryEntry {
    int64_t field;
    Value key, value;
} DictionaryEntry;

typedef struct Entries {
    size_t length, end, room; /* length: entries that are not removed; end: the removed ones too */
    size_t slot_count;        /* a power of 2 */
    uint32_t *slots;          /* by a hash of the field: 1 + an index of `all`; 0: empty */
    DictionaryEntry *all;
} Entries;

typedef struct Dictionary {
    Storage storage;
    Entries entries;
} Dictionary;

static inline Dictionary *dictionary_in(Value v) { return (Dictionary *)v.object; }

static inline Entries *entries_in(Value v) { return &dictionary_in(v)->entries; }

/* Returns a new dictionary, of birth 0: an empty one, or with the same entries. */
Value new_dictionary(Heap *heap, uint64_t owner);
Value copied_dictionary(Heap *heap, const Entries *entries, uint64_t owner);
Value born_dictionary(Machine *m); /* of the machine's run, with its next birth */
void dictionary_destroy(Heap *heap, Dictionary *dictionary); /* frees its content, but not the object itself */

/* entries_set consumes key and value; an old entry keeps its key. */
void entries_set(Heap *heap, Entries *entries, int64_t field, Value key, Value value);
DictionaryEntry *entries_find(const Entries *entries, int64_t field); /* NULL: there is none */
void entries_remove(Heap *heap, Entries *entries, DictionaryEntry *entry);
void entries_free(Heap *heap, Entries *entries); /* drops all of them */

/* Prepares a change: the old content is saved. false: the dictionary is FROZEN. */
bool change_dictionary(Machine *m, Dictionary *dictionary);

#endif
