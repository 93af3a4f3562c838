/* Capsules: the rests of runs as values, in programs that take no derivatives of them.
 *
 * A capsule is a state in the heap of the program, which never changes. Without derivatives it has no locations of its own, so
 * it is shared by all that hold it.
 */
#ifndef CK_CAPSULES_H
#define CK_CAPSULES_H

#include "alone/things.h"

/* Runs a procedure at an argument, or, where that is the primitive `resume`, a capsule, for at most `limit` steps: stores how
 * many it has made, and, unless `made` is NULL, the capsule of what is left, if there were so many. false: the run has
 * failed, or cannot begin. */
bool run_apart(Machine *m, const Value *operands, int64_t limit, int64_t *steps, Value *made);

/* Returns whether a procedure is the primitive `resume`, used as a value. */
bool is_resume(Value procedure);

#endif
