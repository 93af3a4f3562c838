/* Entry points for sweeps: see api_driver.h. */
#include "api/api_driver.h"

#include <string.h>

typedef struct SweepCreation {
    const Held *state;
    int64_t last, base;
    size_t bytes;
    void *helper;
    Held *result;
} SweepCreation;

static void create_sweep(void *arguments) {
    SweepCreation *given = arguments;
    given->result = held_new(given->state, HELD_SWEEP);
    given->result->sweep = sweep_create(
        given->state->heap, given->state->state, given->last, given->base, given->bytes, given->helper);
}

Held *ck_sweep_create(const Held *state, int64_t last, int64_t base, size_t bytes, uintptr_t helper) {
    SweepCreation given = {.state = state, .last = last, .base = base, .bytes = bytes, .helper = (void *)helper};
    if (held_run(state, create_sweep, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

typedef struct SweepCall {
    Sweep *sweep;
    bool quiet;
    SweepOutcome outcome;
} SweepCall;

static void continue_sweep(void *arguments) {
    SweepCall *given = arguments;
    given->outcome = sweep_continue(given->sweep, given->quiet);
}

SweepOutcome ck_sweep_run(Held *held, Held *cotangent, const Directive *directive, bool quiet) {
    Sweep *sweep = held->sweep;
    SweepCall given = {.sweep = sweep, .quiet = quiet, .outcome = SWEEP_NO_MEMORY};
    if (cotangent) sweep->cotangent = cotangent->cotangent;
    if (directive) sweep_begin(sweep, directive);
    if (!held_run(held, continue_sweep, &given)) given.outcome = SWEEP_NO_MEMORY;
    if (given.outcome == SWEEP_FAILED || given.outcome == SWEEP_NO_MEMORY) {
        sweep_lose(sweep, given.outcome == SWEEP_NO_MEMORY);
        if (sweep->cotangent_lost && cotangent) cotangent->abandoned = true;
    }
    return given.outcome;
}

void ck_sweep_weigh_arrays(const Held *sweep, size_t results, uintptr_t given, size_t bound, size_t entered) {
    sweep_weigh_arrays(sweep->sweep, results, (void *)given, bound, entered);
}
void ck_sweep_leave_arrays(const Held *sweep) { sweep_leave_arrays(sweep->sweep); }
void ck_sweep_suspend_arrays(const Held *sweep) { array_memory_suspend(sweep->sweep->arrays); }
void ck_sweep_resume_arrays(const Held *sweep) { array_memory_resume(sweep->sweep->arrays); }

static void watch_leaves(void *sweep) { sweep_watch_leaves(sweep); }

void ck_sweep_watch_leaves(const Held *held) { held_run(held, watch_leaves, held->sweep); }

size_t ck_sweep_leaves(const Held *held, uintptr_t *handles, int64_t *untouched, size_t room) {
    const Leaves *leaves = &held->sweep->leaves;
    for (size_t i = 0; i < leaves->total && i < room; i++) {
        handles[i] = (uintptr_t)leaves->all[i].foreign->python;
        untouched[i] = i < leaves->active && leaves->all[i].untouched != NEVER_READ ? leaves->step
                                                                                    : leaves->all[i].untouched;
    }
    return leaves->total;
}

void ck_sweep_weigh(const Held *held) { sweep_weigh(held->sweep); }

void ck_sweep_pace(const Held *sweep, int64_t steps) { sweep->sweep->pace = steps; }

const Report *ck_sweep_report(const Held *sweep) { return &sweep->sweep->report; }
SweepCounts ck_sweep_counts(const Held *sweep) { return sweep->sweep->counts; }
const SweepRun *ck_sweep_at_work(const Held *sweep) { return &sweep->sweep->run; }

typedef struct Taking {
    const Held *sweep;
    State *state;
    Held *result;
} Taking;

static void take_state(void *arguments) {
    Taking *given = arguments;
    given->result = held_new(given->sweep, HELD_STATE);
    given->result->state = given->state;
    given->state->count++;
}

static Held *taken(const Held *sweep, State *state) {
    Taking given = {.sweep = sweep, .state = state};
    if (!state || !held_run(sweep, take_state, &given)) return NULL;
    return given.result;
}

Held *ck_sweep_end(const Held *sweep) { return taken(sweep, sweep->sweep->end); }

Held *ck_sweep_kept_until(const Held *sweep, int64_t step) {
    return taken(sweep, sweep_kept_until(sweep->sweep, step));
}

typedef struct Putting {
    Sweep *sweep;
    State *state;
} Putting;

static void put_state(void *arguments) {
    const Putting *given = arguments;
    sweep_put(given->sweep, given->state);
}

bool ck_sweep_put(const Held *sweep, const Held *state) {
    Putting given = {.sweep = sweep->sweep, .state = state->state};
    return held_run(sweep, put_state, &given);
}
Held *ck_sweep_state(const Held *sweep, int64_t step) { return taken(sweep, sweep_state(sweep->sweep, step)); }

void ck_sweep_begin_log(const Held *sweep) { sweep->sweep->logs = true; }

size_t ck_sweep_log(const Held *held, Directive *log, size_t room) {
    const Sweep *sweep = held->sweep;
    const size_t count = room < sweep->log_count ? room : sweep->log_count;
    if (count) memcpy(log, sweep->log, count * sizeof *log);
    return sweep->log_count;
}

typedef struct Asking {
    Sweep *sweep;
    Report reached;
    Directive *next;
    bool answered;
} Asking;

static void ask_schedule(void *arguments) {
    Asking *given = arguments;
    given->answered =
        bisection_next(given->sweep->heap, &given->sweep->bisection, given->reached, given->next);
}

bool ck_sweep_ask(const Held *held, Report reached, Directive *next) {
    Asking given = {.sweep = held->sweep, .reached = reached, .next = next};
    return held_run(held, ask_schedule, &given) && given.answered;
}
