/* Predicates on values that need more than their kinds. */
#ifndef CK_CLASSIFY_H
#define CK_CLASSIFY_H

#include "memory/heap.h"

/* Returns whether the value is a tuple, named or not. */
bool is_tuple(Heap *heap, Value v);

/* Returns whether the value may have a cotangent: a real, a dual, or a Python object that is neither a string nor an
 * integer. */
bool may_be_number(Value v);

#endif
