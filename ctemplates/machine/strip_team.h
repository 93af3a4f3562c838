/* Strips of lanes by several threads (threads/team.h, translate/strips).
 *
 * The lanes of a strip read what all lanes share, and change nothing but a structure and the tape. So strips run side by
 * side, and the thread that has the heap closes them in order: what it cannot undo is done then, and steps and births
 * are counted. A strip that is left, or that would make more steps than there may be, is discarded with all after it. On
 * the tape, strips that one thread runs one after another are a run (fast.h) in a chunk of their own, which then moves
 * as a whole to the rest of the chunk before it, if it fits there. Reversed, the strips of a run are divided the same way, the last one first.
 */
#ifndef CK_STRIP_TEAM_H
#define CK_STRIP_TEAM_H

#include "state/cotangent.h"
#include "state/machine.h"

/* RAN; THIN: it ran, but half of its vectors' lanes had ended before others; SPARSE: nearly all had; LEFT: a lane left the strip, of
 * which nothing is done; FULL: so it is for lack of room on the tape, and a run that has had strips ends, for the next
 * one to begin with more; SHORT: for lack of steps; EARLY: what lanes share is not yet the same. */
typedef enum { RAN, THIN, SPARSE, LEFT, FULL, SHORT, EARLY } StripOutcome;

/* The functions of a unit's loop over lanes. given: what its lanes share; strip: what one leaves for its end, `bytes` of
 * them, steps first; part_steps: about how many steps a thread is to make at a time. */
typedef struct StripJob {
    size_t bytes;
    int64_t part_steps;
    StripOutcome (*lanes)(const void *given, int64_t number, void *strip, int64_t most, Word **up, uint8_t **ways);
    void (*close)(void *given, void *strip);
    Word *(*begin)(const void *given, Word *start); /* of a run: returns the place behind its header */
    void (*end)(const void *given, Word *start, Word *up, uint8_t *ways, Word *end);
} StripJob;

/* In: how many strips are to come at most; how many ran before, and how many steps and words they took; the steps that may be
 * made at most. Out: how many strips are done, their steps, and how it ended. */
typedef struct StripTask {
    const StripJob *job;
    void *given;
    int64_t coming;
    int64_t strips, steps, words;
    int64_t most;
    int64_t done, used;
    StripOutcome outcome;
} StripTask;

/* Returns how many threads there are, if others are most likely there, else 0: whoever asks them has ended its run on the tape. */
int64_t strips_may_join(const Machine *machine);

/* Runs the strips that follow. false: it would not pay, or other threads are not there; nothing was done. */
bool strips_together(Machine *machine, StripTask *task);

/* The functions that reverse a strip, in this order. strip: what they share, `bytes` of them; part_records: about how many
 * records of the tape a thread is to reverse at a time. */
typedef struct StripBack {
    size_t bytes;
    int64_t part_records;
    void (*first)(Cotangent *c, void *strip, const Word *up, const uint8_t *ways);
    void (*lanes)(void *strip);
    void (*last)(Cotangent *c, void *strip);
} StripBack;

/* Reverses the strips at the top of the last run of the tape, as far as one follows another: their ways begin with `mark`; and
 * those of the runs below that have no others, and end by `exit` (-1: none do). false: it would not pay, or other threads are
 * not there; nothing was done. */
bool strips_reversed(Cotangent *c, const StripBack *back, uint8_t mark, int64_t exit, const Word **up, const uint8_t **ways,
                     const uint8_t *last);

uint64_t strips_by_helpers(void); /* how many strips other threads have run or reversed in this process */

#endif
