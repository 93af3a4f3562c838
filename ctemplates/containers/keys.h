/* The fields of dictionaries' keys. */
#ifndef CK_KEYS_H
#define CK_KEYS_H

#include "containers/mutable.h"

/* Returns the field of a key; NO_FIELD for what cannot be a key here (Python raises the error). Borrows the key. */
int64_t key_field(Heap *heap, Value key);

#endif
