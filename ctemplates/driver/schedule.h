/* Directives to a sweep (driver.h), and its reports. (Also read by cffi.)
 *
 * They are the actions and reports of checkpoint/driver/schedule.py:
 *
 *     DO_KEEP      keep the current state, under its step
 *     DO_RESTORE   make the state that is kept at `step` the current one
 *     DO_DROP      forget the state that is kept at `step`
 *     DO_ADVANCE   run to `step`, or to the end of the run; stop early, after at least one step, if the sweep is found to
 *                  hold more than `bytes`, or where the function with the number `calls` has just been called, or
 *                  after a step of Python's where one more like the largest of these might have it hold more than `most`
 *     DO_TAPE      run, recorded; stop early, after at least one step, if the tape is larger than `bytes`, or by `most`
 *     DO_HOLD      set the last tape aside, under the step that it starts from
 *     DO_RELEASE   forget the tape that is held from `step`
 *     DO_REVERSE   reverse the tape that is held from `step`, or the last one; if it `keeps` that, it is held then
 *     DO_AGAIN     forget the cotangent: the run is to be reversed again, from its end
 *
 * and, many of these at once (checkpoint/driver/series.py):
 *
 *     DO_STRIDE    `count` times: run on by `step` steps, as DO_ADVANCE with the bound `held` does, and keep the state; it
 *                  ends where a run stops early, or at the end of the run, with that state not kept, and with a kept state
 *                  with which the sweep holds more than `bytes`
 *     DO_UNWIND    `count` times: restore the last of the kept states, tape from there to where the run has been reversed
 *                  to, reverse the tape, drop the state; it ends with a tape that is larger than `bytes`, or with which
 *                  the sweep holds more than `held`
 */
#ifndef CK_SCHEDULE_H
#define CK_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DirectiveKind {
    DO_KEEP,
    DO_RESTORE,
    DO_DROP,
    DO_ADVANCE,
    DO_TAPE,
    DO_HOLD,
    DO_RELEASE,
    DO_REVERSE,
    DO_AGAIN,
    DO_STRIDE,
    DO_UNWIND
} DirectiveKind;

enum { LAST_TAPE = -1 }; /* the `step` of DO_REVERSE that denotes the last tape */

#define TO_THE_END INT64_MAX /* a step */
#define UNBOUNDED SIZE_MAX    /* bytes */

typedef struct Directive {
    DirectiveKind kind;
    int64_t step;
    size_t bytes;
    int64_t calls; /* of DO_ADVANCE: the number of the function at whose calls it stops; 0: none */
    bool keeps;    /* of DO_REVERSE; of DO_RELEASE: it need not be held */
    int64_t count; /* of a series */
    size_t held; /* of a series; of DO_ADVANCE and DO_TAPE it is `most`, or 0: nothing is asked */
} Directive;

/* The state of a sweep: the current state's step, whether that is the end, the size of the last tape (0 without one).
 * held: all bytes that the sweep's heap has, and the arrays of Python in it, but not the results: accumulators, up to
 * the bytes of the cotangents that the sweep returns. Of these, tapes: the last one and those
 * that are held; cotangent: its own storage; fixed: the part of that which depends on the code alone.
 * faulting: the seconds that this thread has spent on new memory (pages.h). strips: whether units ran that run many lanes
 * at once. passing: the bytes of arrays that were there at once since the last run began, beyond those that are there now.
 * largest: those that one of Python's steps took at once in the last run with a bound `most`, at most, as far as is known. */
typedef struct Report {
    int64_t step;
    bool finished;
    size_t bytes, held, tapes, cotangent, fixed, spare, results;
    double faulting;
    bool strips;
    size_t passing, largest;
} Report;

typedef enum SweepOutcome {
    SWEEP_FOLLOWED,        /* the directive has been followed */
    SWEEP_ENDS,          /* its own schedule has nothing left to do */
    SWEEP_SLICED,        /* the slice of one call is done: call again */
    SWEEP_WANTS_CODE,    /* as a machine does */
    SWEEP_WANTS_SEED,    /* the end of the run is known, and its cotangent is wanted */
    SWEEP_WANTS_QUIET,   /* the next reversal calls Python: call again with warnings suppressed */
    SWEEP_WITHOUT_TAPE,  /* to be reversed or held; here the schedule is wrong, as in the next four */
    SWEEP_WITHOUT_STATE, /* to be kept, or run on from */
    SWEEP_NOT_KEPT,      /* what is to be restored or dropped */
    SWEEP_NOT_HELD,      /* the tape that is to be reversed or released */
    SWEEP_OUT_OF_ORDER,  /* the tape does not end at the step reversed to */
    SWEEP_FAILED,        /* the helper, of the machine or of the cotangent, has the exception */
    SWEEP_NO_MEMORY
} SweepOutcome;

/* Steps run without and with a tape, the most states kept at once. called: about how many steps the last call took. end: where the run ends; reversed_to: everything
 * after it has been reversed; both -1 until that is known. */
typedef struct SweepCounts {
    int64_t advanced, taped;
    size_t most_kept;
    int64_t called;
    int64_t end, reversed_to;
} SweepCounts;

/* The current run, for the machine's helper, and whether it is recorded. */
typedef struct SweepRun {
    uint64_t run;
    bool taped;
} SweepRun;

#endif
