/* The fields of dictionaries' keys. */
#ifndef CK_KEYS_H
#define CK_KEYS_H

#include "containers/mutable.h"

/* KEYS_OF_PROGRAMS: those that a program may use (checkpoint/prims/python/support.py, key_of). ALL_KEYS: also those of
 * dictionaries that come in. */
typedef enum Accepted { KEYS_OF_PROGRAMS, ALL_KEYS } Accepted;

/* Returns the field of a key; NO_FIELD for what is not accepted (Python raises the error). Borrows the key. */
int64_t key_field(Heap *heap, Value key, Accepted accepted);

#endif
