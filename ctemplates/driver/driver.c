/* The driver: see driver.h. A directive that takes long is suspended, and continued by the next call.
 *
 * The machine runs in slices. Where it stops depends on them only if what the sweep holds is bounded. A tape is
 * compared with its bound at the start of each block, so where it is found too large depends only on the state that it
 * was taped from (checkpoint/driver/engine.py).
 */
#include "driver/driver.h"

#include "driver/abreast.h"
#include "machine/clock.h"
#include "machine/vm.h"
#include "memory/free_order.h"
#include "reversal/reverse.h"

/* PER_RUN: the number of steps that take as long as to begin and end a run. FIRST_CHECK, LAST_CHECK: after how many
 * steps what is held is compared with its bound, at first and at most. FREE_BYTES: of those that are free,
 * so many for each step until then. */
enum { PER_RUN = 200, FIRST_LOG = 64 };
enum { FIRST_CHECK = 64, LAST_CHECK = 4096, MOST_CHECK = 65536, FREE_BYTES = 1024 };
enum { LEAF_SLICE = 32 }; /* the steps between two looks at the leaves that have been touched */

static void drop_tape(Sweep *s) { segment_drop(s->heap, &s->last_taped); }

/* Makes a state the current one; consumes the reference. */
static void move_to(Sweep *s, State *state) {
    drop_state(s, &s->current);
    s->current = state;
    s->report.step = state->steps;
    s->report.finished = state->block->end.kind == FINISH || state->steps == s->last;
    if (s->report.finished) s->counts.end = state->steps;
}

Sweep *sweep_create(Heap *heap, State *start, int64_t last, int64_t base, size_t bytes, void *helper) {
    Sweep *s = heap_allocate(heap, sizeof(Sweep));
    *s = (Sweep){.heap = heap, .last = last, .pace = SLICE, .slice = SLICE, .follows_own = base > 0, .helper = helper};
    s->counts.end = s->counts.reversed_to = -1;
    move_to(s, shared_state(start));
    sweep_weigh(s);
    if (base > 0) bisection_begin(heap, &s->bisection, base, bytes);
    return s;
}

void sweep_watch_leaves(Sweep *s) { leaves_begin(s->heap, &s->leaves); }

void sweep_destroy(Sweep *s) {
    Heap *heap = s->heap;
    sweep_leave_arrays(s);
    if (s->machine && !s->machine_lost) machine_destroy(s->machine);
    abreast_end(s);
    drop_tape(s);
    segment_drop(heap, &s->reversing);
    segments_drop(heap, &s->held);
    for (size_t i = 0; i < s->kept_count; i++) state_release(heap, s->kept[i].state);
    drop_state(s, &s->current);
    drop_state(s, &s->end);
    bisection_end(heap, &s->bisection);
    leaves_end(heap, &s->leaves);
    heap_free(heap, s->kept, s->kept_room * sizeof(Kept));
    heap_free(heap, s->log, s->log_room * sizeof(Directive));
    heap_free(heap, s, sizeof(Sweep));
}

void sweep_lose(Sweep *s, bool no_memory) {
    s->abreast.runs |= no_memory;
    s->machine_lost = s->machine != NULL;
    s->cotangent_lost = no_memory && s->reversing.tape;
}

/* Kept states */

static SweepOutcome keep_current(Sweep *s) {
    drop_tape(s);
    if (!s->current) return SWEEP_WITHOUT_STATE;
    sweep_put(s, s->current);
    return SWEEP_FOLLOWED;
}

static SweepOutcome restore(Sweep *s) {
    const Kept *found = kept_at(s, s->now.step);
    if (!found) return SWEEP_NOT_KEPT;
    drop_tape(s);
    move_to(s, shared_state(found->state));
    free_order(s->heap, PAIR_CLASS); /* what the run was at has just been freed, and is taken next */
    return SWEEP_FOLLOWED;
}

static SweepOutcome drop_kept(Sweep *s) {
    Kept *found = kept_at(s, s->now.step);
    if (!found) return SWEEP_NOT_KEPT;
    State *state = found->state;
    s->kept_count--;
    for (; found < s->kept + s->kept_count; found++) *found = found[1];
    state_release(s->heap, state);
    return SWEEP_FOLLOWED;
}

/* Runs */

/* Returns whether this call goes on: it has steps left, and, if these are many, time. */
static bool goes_on(Sweep *s) {
    if (s->left <= 0 || s->pace <= SLICE) return s->left > 0;
    s->looked = clock_microseconds();
    return s->looked < s->until;
}

/* Makes slices longer while they are short in time: each interrupts what runs in translated code. */
static void note_slice(Sweep *s) {
    if (s->pace <= SLICE) return;
    const int64_t took = clock_microseconds() - s->looked;
    if (took > CALL_MICROSECONDS / 2) s->slice = SLICE;
    else if (took < CALL_MICROSECONDS / 8 && s->slice < LONG_SLICE) s->slice *= 2;
}

/* The machine replaces the current state: containers that only that state had can then be changed in place. */
static SweepOutcome start_machine(Sweep *s, bool taped) {
    drop_tape(s);
    if (!s->current) return SWEEP_WITHOUT_STATE;
    Machine *machine;
    array_memory_begin_peak(s->arrays);
    if (taped) {
        sweep_make_room_for_tape(s);
        machine = abreast_machine(s);
        machine->tape_limit = machine->tape->bound = s->now.bytes;
    } else {
        heap_clear_shelf(s->heap, FOR_TAPES); /* the objects of the run may need the room */
        machine = machine_create(s->heap, s->current, NULL, s->helper);
        machine->calls = s->now.calls;
    }
    if (s->weighs && s->now.held) sweep_watch_steps(s, machine);
    s->machine = machine;
    s->from = s->current->steps;
    s->left -= machine->steps - s->from;
    s->check_after = FIRST_CHECK;
    s->run = (SweepRun){.run = machine->writer.epoch, .taped = taped};
    drop_state(s, &s->current);
    return SWEEP_FOLLOWED;
}

static void end_machine(Sweep *s, bool taped) {
    Machine *machine = s->machine;
    move_to(s, machine_state(machine));
    s->machine = NULL;
    machine_destroy(machine);
    s->left -= PER_RUN;
    *(taped ? &s->counts.taped : &s->counts.advanced) += s->report.step - s->from;
    if (!taped) return;
    Segment *made = &s->last_taped;
    made->from = s->from;
    made->to = s->report.step;
    made->finishes = s->report.finished;
    if (made->finishes && !s->end) made->end = shared_state(s->current);
}

/* Runs one slice without a tape, after which the bytes held are compared with their bound: the faster they grow, the
 * more often. */
static Outcome run_and_check(Sweep *s, int64_t to) {
    Machine *machine = s->machine;
    const size_t before = sweep_held(s), bound = s->now.bytes;
    machine->inner = s->check_after < s->left;
    const Outcome outcome = machine_run(machine, to, machine->inner ? s->check_after : s->left);
    machine->inner = false;
    if (outcome != SLICED) return outcome;
    const size_t now = sweep_held(s);
    if (now > bound) return STOPPED; /* a slice makes at least one step */
    if (now > before && now - before > (bound - now) / 8)
        s->check_after = s->check_after > 1 ? s->check_after / 2 : 1;
    else if (s->check_after < LAST_CHECK ||
             (s->check_after < MOST_CHECK && (size_t)s->check_after < (bound - now) / FREE_BYTES))
        s->check_after *= 2;
    return SLICED;
}

/* Runs one slice of a run whose first reads are watched until its end is known. */
static Outcome run_slice(Sweep *s, int64_t to, bool checks) {
    const bool watches = s->leaves.active && s->counts.end < 0;
    const int64_t left = s->left, most = watches ? LEAF_SLICE : s->slice;
    if (left > most) s->left = most;
    const Outcome outcome = checks ? run_and_check(s, to) : machine_run(s->machine, to, s->left);
    s->left = left;
    if (s->machine->paused) abreast_begin(s, to);
    if (watches && (outcome == SLICED || outcome == STOPPED || outcome == FINISHED || outcome == TAPE_FULL))
        leaves_reach(s->heap, &s->leaves, s->machine->steps, outcome == FINISHED || s->machine->steps == s->last);
    return outcome;
}

static SweepOutcome run_on(Sweep *s, bool taped) {
    if (!s->machine) {
        const SweepOutcome started = start_machine(s, taped);
        if (started != SWEEP_FOLLOWED) return started;
    }
    const int64_t to = s->now.step < s->last ? s->now.step : s->last;
    const bool checks = !taped && s->now.bytes < UNBOUNDED;
    while (goes_on(s)) {
        const int64_t before = s->machine->steps;
        const Outcome outcome = run_slice(s, to, checks);
        s->left -= s->machine->steps - before;
        switch (outcome) {
        case SLICED:
            note_slice(s);
            free_order(s->heap, PAIR_CLASS); /* of the list that it is amid, what had been rebuilt is made again */
            break;
        case WANTS_CODE: return SWEEP_WANTS_CODE;
        case FAILED: return SWEEP_FAILED;
        case NO_MEMORY: return SWEEP_NO_MEMORY;
        case STOPPED:
        case FINISHED:
        case TAPE_FULL: end_machine(s, taped); return SWEEP_FOLLOWED;
        }
    }
    return SWEEP_SLICED;
}

/* Reversal */

/* Returns whether the reversal calls Python for more than partials of reals: its libraries may warn. */
static bool needs_quiet(const Sweep *s) {
    if (s->cotangent->mixed) return true;
    for (const Part *part = s->reversing.tape->parts; part; part = part->previous) {
        if (part->resumed) return true;
        for (uint32_t k = 0; k < part->origin_count; k++)
            if (part->origins[k].python) return true;
    }
    return false;
}

/* Takes the last tape, or the held one, for reversal. */
static SweepOutcome take_tape(Sweep *s) {
    if (s->now.step != LAST_TAPE) {
        const bool found = segments_take(&s->held, s->now.step, &s->reversing);
        return found ? SWEEP_FOLLOWED : SWEEP_NOT_HELD;
    }
    if (!s->last_taped.tape) return SWEEP_WITHOUT_TAPE;
    s->reversing = s->last_taped;
    s->last_taped = (Segment){.tape = NULL};
    return SWEEP_FOLLOWED;
}

/* Begins a reversal: from here on there is no current state, until one is restored. */
static SweepOutcome begin_reversal(Sweep *s) {
    const SweepOutcome taken = take_tape(s);
    if (taken != SWEEP_FOLLOWED) return taken;
    Segment *taped = &s->reversing;
    if (s->now.keeps) tape_keep(taped->tape);
    if (s->end ? taped->to != s->reversed_to : !taped->finishes) return SWEEP_OUT_OF_ORDER;
    if (!s->end) {
        s->end = taped->end;
        taped->end = NULL;
    }
    drop_state(s, &s->current);
    return SWEEP_FOLLOWED;
}

static SweepOutcome reverse(Sweep *s, bool quiet) {
    if (!s->reversing.tape) {
        const SweepOutcome begun = begin_reversal(s);
        if (begun != SWEEP_FOLLOWED) return begun;
    }
    if (!s->cotangent) return SWEEP_WANTS_SEED;
    if (!quiet && needs_quiet(s)) return SWEEP_WANTS_QUIET;
    const Outcome outcome = reverse_tape(s->reversing.tape, s->cotangent);
    if (outcome == FAILED) return SWEEP_FAILED;
    if (outcome == NO_MEMORY) return SWEEP_NO_MEMORY;
    if (outcome == SLICED) return SWEEP_SLICED;
    s->reversed_to = s->counts.reversed_to = s->reversing.from;
    s->left -= s->reversing.to - s->reversing.from;
    if (s->now.keeps) {
        tape_rewind(s->reversing.tape);
        segments_add(s->heap, &s->held, &s->reversing);
    } else {
        segment_drop(s->heap, &s->reversing);
    }
    return SWEEP_FOLLOWED;
}

/* Begins another reversal: whoever asked for the first one has its cotangent. */
static SweepOutcome begin_again(Sweep *s) {
    s->cotangent = NULL;
    s->reversed_to = s->counts.reversed_to = s->counts.end;
    return SWEEP_FOLLOWED;
}

static SweepOutcome hold(Sweep *s) {
    if (!s->last_taped.tape) return SWEEP_WITHOUT_TAPE;
    segments_add(s->heap, &s->held, &s->last_taped);
    return SWEEP_FOLLOWED;
}

static SweepOutcome release_tape(Sweep *s) {
    Segment taken;
    if (!segments_take(&s->held, s->now.step, &taken)) return s->now.keeps ? SWEEP_FOLLOWED : SWEEP_NOT_HELD;
    segment_drop(s->heap, &taken);
    return SWEEP_FOLLOWED;
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
    switch (s->now.kind) {
    case DO_KEEP: return keep_current(s);
    case DO_RESTORE: return restore(s);
    case DO_DROP: return drop_kept(s);
    case DO_ADVANCE: return run_on(s, false);
    case DO_TAPE: return run_on(s, true);
    case DO_HOLD: return hold(s);
    case DO_RELEASE: return release_tape(s);
    case DO_REVERSE: return reverse(s, quiet);
    case DO_AGAIN: return begin_again(s);
    case DO_STRIDE:
    case DO_UNWIND: break; /* never `now` */
    }
    return SWEEP_OUT_OF_ORDER;
}

void sweep_begin(Sweep *s, const Directive *directive) {
    if (is_series(directive->kind)) {
        series_begin(&s->series, *directive);
        return;
    }
    s->now = *directive;
    s->busy = true;
}

/* Stores the next directive of the series, or of its own schedule; false: there is none. */
static bool find_next(Sweep *s) {
    const int64_t last_kept = s->kept_count ? s->kept[s->kept_count - 1].step : -1;
    if (series_next(&s->series, &s->report, last_kept, s->counts.reversed_to, &s->now)) return true;
    abreast_end(s);
    if (!s->follows_own || !bisection_next(s->heap, &s->bisection, s->report, &s->now)) return false;
    if (s->logs) log_directive(s);
    return true;
}

static SweepOutcome continue_call(Sweep *s, bool quiet) {
    while (goes_on(s)) {
        if (!s->busy && !find_next(s)) return s->follows_own ? SWEEP_ENDS : SWEEP_FOLLOWED;
        s->busy = true;
        const SweepOutcome outcome = follow(s, quiet);
        if (outcome != SWEEP_FOLLOWED) return outcome;
        sweep_weigh(s);
        s->busy = false;
        if (quiet && s->follows_own) return s->bisection.count ? SWEEP_SLICED : SWEEP_ENDS;
        if (quiet) break;
    }
    return s->busy || s->follows_own || s->series.active ? SWEEP_SLICED : SWEEP_FOLLOWED;
}

SweepOutcome sweep_continue(Sweep *s, bool quiet) {
    s->left = s->pace;
    s->until = s->pace > SLICE ? clock_microseconds() + CALL_MICROSECONDS : 0;
    const SweepOutcome outcome = continue_call(s, quiet);
    s->counts.called = s->pace - s->left;
    return outcome;
}
