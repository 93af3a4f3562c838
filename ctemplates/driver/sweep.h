/* A sweep, and what it holds in bytes: driver.h says what it does. */
#ifndef CK_SWEEP_H
#define CK_SWEEP_H

#include "driver/ahead.h"
#include "driver/bisection.h"
#include "driver/leaves.h"
#include "driver/segment.h"
#include "driver/series.h"
#include "arrays/array_memory.h"
#include "arrays/storage_table.h"
#include "state/cotangent.h"

typedef struct Kept {
    int64_t step;
    State *state;
} Kept;

/* What Python's steps of a run have taken. held, arrays: the bytes of the sweep, and of NumPy's arrays, after the last one;
 * largest: those that one had at once beyond what was held before it, at most; expected: the same of the run
 * before, or half of what was expected there. */
typedef struct StepsWeighed {
    size_t held, largest, expected;
    int64_t arrays;
} StepsWeighed;

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
    bool weighs;          /* the bytes of arrays count: those of a run within a step are its caller's */
    ArrayMemory *arrays;  /* counts the arrays made during the sweep; NULL: it does not count them */
    StorageTable *storages; /* likewise, those that have storages */
    Resident resident;    /* that of `storages` */
    int64_t resident_most; /* what may be resident of the process, if that is known */
    size_t results;       /* the bytes of the arrays that it returns as cotangents */
    size_t entered;       /* the bytes that Python holds for the arguments as they have entered, without arrays */
    Leaves leaves;        /* empty unless they are watched */
    int64_t last;         /* the step at which the run is assumed to end */
    int64_t from;         /* where the running machine started */
    int64_t reversed_to;  /* everything after it has been reversed */
    int64_t pace;         /* the approximate number of steps of one call; the caller may change it */
    int64_t left;         /* of these, the number left in this call */
    int64_t slice;        /* after so many the clock is read, or a call ends */
    int64_t looked;       /* when the clock was read before the last slice */
    int64_t until;        /* when a call of many steps ends at the latest (clock.h) */
    StepsWeighed steps;   /* of the running machine, if it is watched */
    int64_t check_after;  /* steps until what it holds is next compared with its bound */
    Directive now;
    Report report;
    SweepRun run;
    SweepCounts counts;
    Bisection bisection;
    Series series; /* while it is active, `now` is one of its directives */
    Abreast abreast;
    bool follows_own, busy;
    bool machine_lost, cotangent_lost; /* they may be inconsistent; a tape never is */
    bool logs;
    Directive *log;
    size_t log_count, log_room;
    void *helper; /* of its machines (machine.h) */
} Sweep;

/* Between these two calls, in one thread, the bytes of arrays count as held, except for accumulators of up to `results`
 * bytes; and so do `entered` bytes that Python holds for the arguments. given: the identities, a set or a dictionary, of
 * what holds the elements of the arguments' arrays; or NULL. bound: the bytes that may be held, if known; else 0. */
void sweep_weigh_arrays(Sweep *sweep, size_t results, void *given, size_t bound, size_t entered);
void sweep_leave_arrays(Sweep *sweep);

/* Before a tape is begun, which may be large: what malloc has free goes to the system where the process might else hold more than
 * the sweep may. Large arrays that are gone are free memory of malloc's, which tapes cannot use. */
void sweep_make_room_for_tape(const Sweep *sweep);

/* Has a machine end its run after a step of Python's with which the sweep holds so much that one more like the largest of
 * them would have it hold more than `now.held`. */
void sweep_watch_steps(Sweep *sweep, Machine *machine);

void sweep_weigh(Sweep *sweep); /* fills in the sizes of the report; again, for who has taken cotangents away */
size_t sweep_held(const Sweep *sweep); /* all bytes held but results */

#endif
