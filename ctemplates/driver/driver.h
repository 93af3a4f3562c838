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

#include "driver/bisection.h"
#include "driver/leaves.h"
#include "driver/segment.h"
#include "arrays/array_memory.h"
#include "arrays/storage_table.h"
#include "state/cotangent.h"

typedef struct Kept {
    int64_t step;
    State *state;
} Kept;

typedef struct Sweep {
    Heap *heap;
    Kept *kept;
    size_t kept_count, kept_room;
    State *current; /* NULL: there is none, or a machine has replaced it */
    State *end;     /* of the run, once that is known */
    Segment last_taped; /* while it is being taped its tape only grows; the rest is filled in at its end */
    Segments held;
    Segment reversing; /* some of its tape may have been used up */
    Machine *machine;
    Cotangent *cotangent; /* owned by the caller */
    ArrayMemory *arrays;  /* counts the arrays made during the sweep; NULL: it does not count them */
    StorageTable *storages; /* likewise, those that have storages */
    size_t results;       /* the bytes of the arrays that it returns as cotangents */
    size_t entered;       /* the bytes that Python holds for the arguments as they have entered, without arrays */
    Leaves leaves;        /* empty unless they are watched */
    int64_t last;         /* the step at which the run is assumed to end */
    int64_t from;         /* where the running machine started */
    int64_t reversed_to;  /* everything after it has been reversed */
    int64_t pace;         /* the approximate number of steps of one call; the caller may change it */
    int64_t left;         /* of these, the number left in this call */
    int64_t check_after;  /* steps until what it holds is next compared with its bound */
    Directive now;
    Report report;
    SweepRun run;
    SweepCounts counts;
    Bisection bisection;
    bool follows_own, busy;
    bool machine_lost, cotangent_lost; /* they may be inconsistent; a tape never is */
    bool logs;
    Directive *log;
    size_t log_count, log_room;
    void *helper; /* of its machines (machine.h) */
} Sweep;

/* Returns a sweep at a state. base: of its own bisection; 0: it gets directives. It refers to the helper while it
 * lives. */
Sweep *sweep_create(Heap *heap, State *start, int64_t last, int64_t base, size_t bytes, void *helper);
void sweep_destroy(Sweep *sweep);

/* Between these two calls, in one thread, the bytes of arrays count as held, except for accumulators of up to `results`
 * bytes; and so do `entered` bytes that Python holds for the arguments. given: the identities, a set or a dictionary, of
 * what holds the elements of the arguments' arrays; or NULL. bound: the bytes that may be held, if known; else 0. */
void sweep_weigh_arrays(Sweep *sweep, size_t results, void *given, size_t bound, size_t entered);
void sweep_leave_arrays(Sweep *sweep);

/* Before the run begins: watches the arrays among its arguments. sweep_weigh fills in the sizes of the report again, for
 * a caller that has taken cotangents away. */
void sweep_watch_leaves(Sweep *sweep);
void sweep_weigh(Sweep *sweep);

/* Executes `now`, or its own schedule until that ends. quiet: warnings are suppressed; the call only reverses the
 * tape. */
SweepOutcome sweep_continue(Sweep *sweep, bool quiet);

/* After SWEEP_FAILED and SWEEP_NO_MEMORY, and if memory ran out: marks what may be inconsistent. */
void sweep_lose(Sweep *sweep, bool no_memory);

#endif
