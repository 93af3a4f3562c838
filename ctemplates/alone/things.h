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

Value new_failure(Heap *heap, char *text); /* takes the text, which malloc has made */

void thing_release(void *thing); /* of HeapHooks */

#endif
