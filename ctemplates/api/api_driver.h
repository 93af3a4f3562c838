/* Entry points for sweeps (checkpoint/ctarget/sweep.py, driver.h); the rules of api.h apply. */
#ifndef CK_API_DRIVER_H
#define CK_API_DRIVER_H

#include "api/api.h"

/* A sweep that starts at the state, of a run taken to end at the step `last`. base, bytes: of its own bisection; a
 * base of 0: it follows directives. The helper, and what it refers to, must outlive the sweep. */
Held *ck_sweep_create(const Held *state, int64_t last, int64_t base, size_t bytes, uintptr_t helper);

/* Goes on, with the directive if there is one. cotangent: what SWEEP_WANTS_SEED asked for, from then on each time;
 * else NULL. After SWEEP_FAILED and SWEEP_NO_MEMORY only the position of its machine may be read. */
SweepOutcome ck_sweep_run(Held *sweep, Held *cotangent, const Directive *directive, bool quiet);

/* From the first to the second, in one thread, reports count arrays of Python's. */
void ck_sweep_weigh_arrays(const Held *sweep);
void ck_sweep_leave_arrays(const Held *sweep);

/* About how many steps a call makes from here on; what is done does not depend on it, but where a run is bounded by
 * what the sweep holds. */
void ck_sweep_pace(const Held *sweep, int64_t steps);

const Report *ck_sweep_report(const Held *sweep); /* as long as the sweep lives; where it stood after a directive */
SweepCounts ck_sweep_counts(const Held *sweep);
const SweepRun *ck_sweep_at_work(const Held *sweep); /* as long as the sweep lives */
Held *ck_sweep_end(const Held *sweep);               /* the state at the end of the run, once that is known */

/* Copies at most `room` of the directives that its own schedule has given since the log was begun; returns how many
 * there are. */
void ck_sweep_begin_log(const Held *sweep);
size_t ck_sweep_log(const Held *sweep, Directive *log, size_t room);

/* Asks its own schedule for its next directive after this report; nothing is done. false: memory, or the schedule,
 * ended. */
bool ck_sweep_ask(const Held *sweep, Report reached, Directive *next);

#endif
