/* The driver: see driver.h. A directive that takes long is left in its middle, and gone on with by the next call.
 *
 * The machine runs in slices of one size from its start on, whatever was done before in the same call: where a
 * tape is found too large then depends on the state alone that it was taped from (checkpoint/driver/engine.py).
 */
#include "driver.h"

#include "bridge.h"

/* PER_RUN: as many steps as take as long as to begin and end a run. */
enum { SLICE = 1000000, PER_RUN = 200, FIRST_KEPT = 8, FIRST_LOG = 64 };

/* What is held */

static void drop_state(Sweep *s, State **state) {
    State *dropped = *state;
    *state = NULL;
    if (dropped) state_release(s->heap, dropped);
}

static void drop_tape(Sweep *s) {
    Tape *tape = s->tape;
    s->tape = NULL;
    s->reversing = false;
    s->report.bytes = 0;
    drop_state(s, &s->tape_end);
    if (!tape) return;
    void *lock = python_lock();
    tape_destroy(tape);
    python_unlock(lock);
}

/* The current state is a new reference. */
static void stand_at(Sweep *s, State *state) {
    drop_state(s, &s->current);
    s->current = state;
    s->report.step = state->steps;
    s->report.finished = state->block->end.kind == FINISH || state->steps == s->last;
}

static State *another(State *state) {
    state->count++;
    return state;
}

Sweep *sweep_create(Heap *heap, State *start, int64_t last, int64_t base, size_t bytes, void *peer) {
    Sweep *s = heap_allocate(heap, sizeof(Sweep));
    *s = (Sweep){.heap = heap, .last = last, .follows_own = base > 0, .peer = peer};
    stand_at(s, another(start));
    if (base > 0) bisection_begin(heap, &s->bisection, base, bytes);
    return s;
}

void sweep_destroy(Sweep *s) {
    Heap *heap = s->heap;
    if (s->machine && !s->machine_lost) machine_destroy(s->machine);
    drop_tape(s);
    for (size_t i = 0; i < s->kept_count; i++) state_release(heap, s->kept[i].state);
    drop_state(s, &s->current);
    drop_state(s, &s->end);
    bisection_end(heap, &s->bisection);
    heap_free(heap, s->kept, s->kept_room * sizeof(Kept));
    heap_free(heap, s->log, s->log_room * sizeof(Directive));
    heap_free(heap, s, sizeof(Sweep));
}

void sweep_lose(Sweep *s, bool no_memory) {
    s->machine_lost = s->machine != NULL;
    s->cotangent_lost = no_memory && s->reversing;
}

/* Kept states; what is asked for is mostly among the last. */

static Kept *find_kept(const Sweep *s, int64_t step) {
    for (size_t i = s->kept_count; i-- > 0;)
        if (s->kept[i].step == step) return &s->kept[i];
    return NULL;
}

static SweepOutcome keep_current(Sweep *s) {
    drop_tape(s);
    if (!s->current) return SWEEP_WITHOUT_STATE;
    Kept *found = find_kept(s, s->current->steps);
    if (found) {
        drop_state(s, &found->state);
        found->state = another(s->current);
        return SWEEP_STANDS;
    }
    if (s->kept_count == s->kept_room) {
        const size_t room = s->kept_room ? 2 * s->kept_room : FIRST_KEPT;
        s->kept = heap_resize(s->heap, s->kept, s->kept_room * sizeof(Kept), room * sizeof(Kept));
        s->kept_room = room;
    }
    s->kept[s->kept_count++] = (Kept){.step = s->current->steps, .state = another(s->current)};
    if (s->kept_count > s->counts.most_kept) s->counts.most_kept = s->kept_count;
    return SWEEP_STANDS;
}

static SweepOutcome restore(Sweep *s) {
    const Kept *found = find_kept(s, s->now.step);
    if (!found) return SWEEP_NOT_KEPT;
    stand_at(s, another(found->state));
    return SWEEP_STANDS;
}

static SweepOutcome drop_kept(Sweep *s) {
    Kept *found = find_kept(s, s->now.step);
    if (!found) return SWEEP_NOT_KEPT;
    State *state = found->state;
    s->kept_count--;
    for (; found < s->kept + s->kept_count; found++) *found = found[1];
    state_release(s->heap, state);
    return SWEEP_STANDS;
}

/* Runs */

/* The machine takes the current state's place: what it alone had may then be changed where it is. */
static SweepOutcome start_machine(Sweep *s, bool taped) {
    drop_tape(s);
    if (!s->current) return SWEEP_WITHOUT_STATE;
    if (taped) s->tape = tape_create(s->heap);
    Machine *machine = machine_create(s->heap, s->current, s->tape, s->peer);
    if (taped) machine->tape_limit = s->now.bytes;
    s->machine = machine;
    s->from = machine->steps;
    s->run = (SweepRun){.run = machine->run, .taped = taped};
    drop_state(s, &s->current);
    return SWEEP_STANDS;
}

static void end_machine(Sweep *s, bool taped) {
    Machine *machine = s->machine;
    stand_at(s, machine_state(machine));
    s->machine = NULL;
    machine_destroy(machine);
    s->left -= PER_RUN;
    *(taped ? &s->counts.taped : &s->counts.advanced) += s->report.step - s->from;
    if (!taped) return;
    s->report.bytes = s->tape->bytes;
    s->tape_from = s->from;
    s->tape_to = s->report.step;
    s->tape_finishes = s->report.finished;
    if (!s->end) s->tape_end = another(s->current);
}

static SweepOutcome run_on(Sweep *s, bool taped) {
    if (!s->machine) {
        const SweepOutcome started = start_machine(s, taped);
        if (started != SWEEP_STANDS) return started;
    }
    const int64_t to = s->now.step < s->last ? s->now.step : s->last;
    while (s->left > 0) {
        const int64_t before = s->machine->steps;
        const Outcome outcome = machine_run(s->machine, to, SLICE);
        s->left -= s->machine->steps - before;
        switch (outcome) {
        case SLICED: break;
        case WANTS_CODE: return SWEEP_WANTS_CODE;
        case FAILED: return SWEEP_FAILED;
        case NO_MEMORY: return SWEEP_NO_MEMORY;
        case STOPPED:
        case FINISHED:
        case TAPE_FULL: end_machine(s, taped); return SWEEP_STANDS;
        }
    }
    return SWEEP_SLICED;
}

/* Reversal */

/* Whether Python has part in it, beyond the partials of reals: its libraries may warn. */
static bool needs_quiet(const Sweep *s) {
    if (s->cotangent->mixed) return true;
    for (const Part *part = s->tape->parts; part; part = part->previous) {
        if (part->resumed) return true;
        for (uint32_t k = 0; k < part->origin_count; k++)
            if (part->origins[k].python) return true;
    }
    return false;
}

/* After it there is no current state, until one is restored. */
static SweepOutcome begin_reversal(Sweep *s) {
    if (!s->tape) return SWEEP_WITHOUT_TAPE;
    if (s->end ? s->tape_to != s->reversed_to : !s->tape_finishes) return SWEEP_OUT_OF_ORDER;
    if (!s->end) {
        s->end = s->tape_end;
        s->tape_end = NULL;
    }
    drop_state(s, &s->current);
    s->reversing = true;
    return SWEEP_STANDS;
}

static SweepOutcome reverse(Sweep *s, bool quiet) {
    if (!s->reversing) {
        const SweepOutcome begun = begin_reversal(s);
        if (begun != SWEEP_STANDS) return begun;
    }
    if (!s->cotangent) return SWEEP_WANTS_SEED;
    if (!quiet && needs_quiet(s)) return SWEEP_WANTS_QUIET;
    const Outcome outcome = reverse_tape(s->tape, s->cotangent);
    if (outcome == FAILED) return SWEEP_FAILED;
    if (outcome == NO_MEMORY) return SWEEP_NO_MEMORY;
    if (outcome == SLICED) return SWEEP_SLICED;
    s->reversed_to = s->tape_from;
    s->left -= s->tape_to - s->tape_from;
    drop_tape(s);
    return SWEEP_STANDS;
}

/* Directives */

static void log_directive(Sweep *s) {
    if (s->log_count == s->log_room) {
        const size_t room = s->log_room ? 2 * s->log_room : FIRST_LOG;
        s->log = heap_resize(s->heap, s->log, s->log_room * sizeof(Directive), room * sizeof(Directive));
        s->log_room = room;
    }
    s->log[s->log_count++] = s->now;
}

static SweepOutcome follow(Sweep *s, bool quiet) {
    switch (s->now.deed) {
    case DO_KEEP: return keep_current(s);
    case DO_RESTORE: return restore(s);
    case DO_DROP: return drop_kept(s);
    case DO_ADVANCE: return run_on(s, false);
    case DO_TAPE: return run_on(s, true);
    case DO_REVERSE: return reverse(s, quiet);
    }
    return SWEEP_OUT_OF_ORDER;
}

SweepOutcome sweep_go_on(Sweep *s, bool quiet) {
    s->left = SLICE;
    while (s->left > 0) {
        if (!s->busy) {
            if (!s->follows_own) return SWEEP_STANDS;
            if (!bisection_next(s->heap, &s->bisection, s->report, &s->now)) return SWEEP_ENDS;
            s->busy = true;
            if (s->logs) log_directive(s);
        }
        const SweepOutcome outcome = follow(s, quiet);
        if (outcome != SWEEP_STANDS) return outcome;
        s->busy = false;
        if (quiet) return s->follows_own ? SWEEP_SLICED : SWEEP_STANDS;
    }
    return s->busy || s->follows_own ? SWEEP_SLICED : SWEEP_STANDS;
}
