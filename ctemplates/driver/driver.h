/* The driver: a Sweep reverses one run. It follows its own bisection, or directives given one by one.
 *
 * In: a state, directives (schedule.h), and once the cotangent of the end of the run. Out: reports; the end of the
 * run; the cotangent, which finally is that of the state that the run started from. A sweep holds what the executor in
 * Python holds (checkpoint/driver/execute.py): the kept states, a current one, the last tape and the held ones. Each
 * is released as soon as no directive can ask for it.
 *
 * What always holds: while a directive is being executed (`busy`) it is `now`; between two there is no machine, and
 * nothing is being reversed. After a final outcome a sweep only waits for its release; what may be inconsistent then is
 * freed with the heap.
 */
#ifndef CK_DRIVER_H
#define CK_DRIVER_H

#include "driver/kept.h"

/* Returns a sweep at a state. base: of its own bisection; 0: it gets directives. It refers to the helper while it
 * lives. */
Sweep *sweep_create(Heap *heap, State *start, int64_t last, int64_t base, size_t bytes, void *helper);
void sweep_destroy(Sweep *sweep);

void sweep_watch_leaves(Sweep *sweep); /* before the run begins: watches the arrays among its arguments */

/* Makes a directive, or a series of them, the next one to be executed. */
void sweep_begin(Sweep *sweep, const Directive *directive);

/* Executes what has begun, or its own schedule until that ends. quiet: warnings are suppressed; the call only reverses the
 * tape. */
SweepOutcome sweep_continue(Sweep *sweep, bool quiet);

/* After SWEEP_FAILED and SWEEP_NO_MEMORY, and if memory ran out: marks what may be inconsistent. */
void sweep_lose(Sweep *sweep, bool no_memory);

#endif
