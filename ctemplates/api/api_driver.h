/* Entry points for sweeps (checkpoint/ctarget/sweep.py, driver.h); the rules of api.h apply. */
#ifndef CK_API_DRIVER_H
#define CK_API_DRIVER_H

#include "api/api.h"

/* Returns a sweep that starts at the state, of a run that is assumed to end at the step `last`. base, bytes: bounds of
 * its own bisection; a base of 0: it follows directives. The helper, and what it refers to, must outlive the sweep. */
Held *ck_sweep_create(const Held *state, int64_t last, int64_t base, size_t bytes, uintptr_t helper);

/* Continues the sweep, with the directive if there is one. cotangent: the one that SWEEP_WANTS_SEED requested, from
 * then on each time; else NULL. After SWEEP_FAILED and SWEEP_NO_MEMORY only the position of its machine may be
 * read. */
SweepOutcome ck_sweep_run(Held *sweep, Held *cotangent, const Directive *directive, bool quiet);

/* Between these two calls, in one thread, reports include the memory of arrays. results, given, bound: as in driver.h;
 * given is the address of a set of Python's. */
void ck_sweep_weigh_arrays(const Held *sweep, size_t results, uintptr_t given, size_t bound, size_t entered);
void ck_sweep_leave_arrays(const Held *sweep);
void ck_sweep_suspend_arrays(const Held *sweep); /* what is made from here on does not count, ... */
void ck_sweep_resume_arrays(const Held *sweep);  /* ... until here, which may be in another thread */

/* Before the run begins: watches the arrays among its arguments. Later ck_sweep_leaves copies at most `room` of them, the
 * address of each handle's Python object with the step until which it is untouched (leaves.h); returns how many there
 * are. */
void ck_sweep_watch_leaves(const Held *sweep);
size_t ck_sweep_leaves(const Held *sweep, uintptr_t *handles, int64_t *untouched, size_t room);

void ck_sweep_weigh(const Held *sweep); /* fills in the sizes of the report again */

/* Sets the approximate number of steps per call. Results do not depend on it, except where a run stops because of the
 * bytes that the sweep holds. */
void ck_sweep_pace(const Held *sweep, int64_t steps);

const Report *ck_sweep_report(const Held *sweep); /* valid as long as the sweep; the state after the last directive */
SweepCounts ck_sweep_counts(const Held *sweep);
const SweepRun *ck_sweep_at_work(const Held *sweep); /* as long as the sweep lives */
Held *ck_sweep_end(const Held *sweep);               /* the state at the end of the run, once it is known */

/* Return the last state that is kept at a step or before it, or NULL; and keep another state of the same run (false: no
 * memory). */
Held *ck_sweep_kept_until(const Held *sweep, int64_t step);
bool ck_sweep_put(const Held *sweep, const Held *state);
/* Between two directives: the state that is kept at a step, or for a negative one the current state; NULL without one. */
Held *ck_sweep_state(const Held *sweep, int64_t step);

/* Copies at most `room` of the directives that the sweep's own schedule has issued since the log was begun; returns
 * how many there are. */
void ck_sweep_begin_log(const Held *sweep);
size_t ck_sweep_log(const Held *sweep, Directive *log, size_t room);

/* Asks its own schedule for its next directive after this report; nothing is executed. false: memory ran out, or
 * the schedule ended. */
bool ck_sweep_ask(const Held *sweep, Report reached, Directive *next);

#endif
