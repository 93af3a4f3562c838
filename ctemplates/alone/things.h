/* Strings, symbols and failures, and the constants of a program: what is Python's otherwise.
 *
 * Implements containers/peek.h and bridge/constants.h.
 */
#ifndef CK_THINGS_H
#define CK_THINGS_H

#include "alone/program.h"
#include "bridge/constants.h"
#include "containers/peek.h"

static inline const Thing *thing_in(Value v) { return python_in(v); }

typedef struct Capsule { /* capsules.h */
    Thing thing;
    Heap *heap;
    State *state; /* owned */
} Capsule;

/* A value of a sum is a tuple of its tag and itself. */
static inline bool is_tagged(Value v) { return kind_of(v) == RECORD && kind_of(cells_of(v)[0]) == NOTHING; }

/* Returns the capsule that a value is; NULL: it is none. */
static inline const Capsule *capsule_in(Value v) {
    return kind_of(v) == FOREIGN && thing_in(v)->kind == CAPSULE ? (const Capsule *)python_in(v) : NULL;
}

Value new_failure(Heap *heap, char *text); /* takes the text, which malloc has made */

void thing_release(void *thing); /* of HeapHooks */

#endif
