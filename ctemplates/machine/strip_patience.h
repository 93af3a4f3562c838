/* When strips are tried, of how many chunks, and by whom; part of strips.h. A strip may run beyond the end of a slice, as far as
 * the run may go.
 */
#ifndef CK_STRIP_PATIENCE_H
#define CK_STRIP_PATIENCE_H

#define MOST_BEYOND (INT64_C(1) << 22)
INLINE int64_t beyond(const Machine *m, int64_t stop) {
    const int64_t most = m->limit - stop;
    return most < MOST_BEYOND ? most : MOST_BEYOND;
}

enum { WANTED = 1 << 16 }; /* words of a tape that a run with strips begins with where there are plenty */
/* A turn of a vector, however wide, takes as long as 1.6 lanes one by one; two fifths of two lanes are less. */
#define FIFTHS_OF_A_TURN (WIDTH < 4 ? 2 * WIDTH : 8)
INLINE StripOutcome outcome_of(int64_t turns, int64_t lanes) {
    return lanes * 5 < turns * FIFTHS_OF_A_TURN ? SPARSE : lanes * 2 < turns * WIDTH ? THIN : RAN;
}
INLINE bool has_run(StripOutcome outcome) { return outcome <= SPARSE; }
INLINE bool has_paid(StripOutcome outcome) { return outcome < SPARSE; }

/* alone: how many lanes are still to run one by one. After a strip was left these are those that might be in it; and more
 * and more if no strip has run since, in any call of the unit; so it is after a sparse one, too, which took longer than
 * its lanes one by one. Not so after one for which steps or room were lacking: that says nothing of the next call. chunks:
 * of the next strip, 0 for the usual number. lanes, steps, words: of strips that ran one after another since the last that
 * was left. Threads share it all, and may lose counts of it. */
typedef struct {
    int64_t alone, next, chunks, lanes, steps, words;
} Patience;
#define MOST_ALONE (INT64_C(1) << 16)
INLINE int64_t relaxed(const int64_t *x) { return __atomic_load_n(x, __ATOMIC_RELAXED); }
INLINE void set_relaxed(int64_t *x, int64_t to) { __atomic_store_n(x, to, __ATOMIC_RELAXED); }
INLINE bool is_alone(Patience *shared, int64_t *alone, bool ran) {
    if (!*alone) return false;
    --*alone;
    if (!ran && relaxed(&shared->alone)) set_relaxed(&shared->alone, *alone);
    return true;
}
INLINE void forget_strips(Patience *shared) {
    set_relaxed(&shared->steps, 0);
    set_relaxed(&shared->words, 0);
    set_relaxed(&shared->lanes, 0);
}
INLINE void note_strip(Patience *shared, int64_t chunks, int64_t steps, int64_t words) {
    set_relaxed(&shared->steps, relaxed(&shared->steps) + steps);
    set_relaxed(&shared->words, relaxed(&shared->words) + words);
    set_relaxed(&shared->lanes, relaxed(&shared->lanes) + chunks * WIDTH);
}

/* How many chunks a strip has. Where lanes end at different turns the longest of them may be alone at last: the more lanes
 * take turns in slots, the less it matters, and the less it costs to begin. But a strip is what fits in a slice's excess and on
 * the tape, and what is run again if one lane leaves it, or if the rest of a tape has no room for it. */
#define MANY_STEPS (INT64_C(1) << 20)
#define MANY_WORDS (INT64_C(1) << 12)
#define MANY_WORDS_OF_THIN (INT64_C(1) << 15) /* where half of the lanes had ended, more of them are worth more than a near cache */
INLINE int64_t usual_chunks(const Patience *shared) {
    const int64_t chunks = relaxed(&shared->chunks);
    return chunks ? chunks : USUAL_CHUNKS;
}
/* Chunks of the next strip, 0: none. coming: lanes, INT64_MAX where it is not known how many. */
INLINE int64_t chunks_of(const Patience *shared, int64_t coming) {
    const int64_t most = coming < INT64_MAX ? coming / WIDTH : USUAL_CHUNKS, chunks = usual_chunks(shared);
    return chunks < most ? chunks : most;
}
/* As many chunks, of so many, as have room in words of a tape, if each lane takes what lanes took before and an eighth more. */
INLINE int64_t chunks_within(const Patience *shared, int64_t chunks, ptrdiff_t words) {
    const int64_t lanes = relaxed(&shared->lanes), taken = relaxed(&shared->words);
    if (!lanes) return chunks;
    const int64_t fit = words / (taken * WIDTH / lanes * 9 / 8 + 1);
    return fit < chunks ? fit : chunks;
}
INLINE void set_chunks(Patience *shared, int64_t chunks) {
    chunks = chunks < CHUNKS ? chunks : CHUNKS;
    set_relaxed(&shared->chunks, chunks > USUAL_CHUNKS ? chunks : USUAL_CHUNKS);
}
/* After a strip that ran; returns whether the next one has more chunks. */
INLINE bool widen(Patience *shared, StripOutcome outcome, int64_t chunks, int64_t steps, int64_t words) {
    const int64_t before = usual_chunks(shared), many = outcome == RAN ? MANY_WORDS : MANY_WORDS_OF_THIN;
    const bool is_large = steps > MANY_STEPS || words > many;
    if (chunks == before) set_chunks(shared, is_large ? chunks / 2 : 2 * chunks);
    return usual_chunks(shared) > before;
}
/* Notes what a strip took; returns whether the next one has more chunks, of lanes that are there. */
INLINE bool note_ran(Patience *shared, StripOutcome outcome, int64_t chunks, int64_t coming, int64_t steps, int64_t words) {
    if (!has_run(outcome)) return false;
    if (has_paid(outcome)) note_strip(shared, chunks, steps, words);
    return widen(shared, outcome, chunks, steps, words) && coming < INT64_MAX && coming / WIDTH >= 3 * chunks;
}
/* chunks: of the strip; wider: whether the next one has more. */
INLINE void note_outcome(Patience *shared, StripOutcome outcome, int64_t chunks, bool wider, int64_t *alone, bool *ran) {
    const int64_t others = chunks * WIDTH - 1;
    if (outcome == SPARSE && wider) return;
    if (outcome == LEFT || outcome == SPARSE) forget_strips(shared);
    if (has_paid(outcome)) {
        *ran = true;
        set_relaxed(&shared->next, 0);
    } else if ((outcome == FULL || outcome == SHORT) && chunks > USUAL_CHUNKS) {
        set_chunks(shared, chunks / 2);
    } else if (outcome == FULL || outcome == SHORT || (outcome == LEFT && *ran)) {
        *alone = others;
    } else if (outcome == LEFT || outcome == SPARSE) {
        const int64_t next = 2 * relaxed(&shared->next) + others;
        *alone = next < MOST_ALONE ? next : MOST_ALONE;
        set_relaxed(&shared->next, *alone);
        set_relaxed(&shared->alone, *alone);
    }
    if (outcome == LEFT) set_chunks(shared, USUAL_CHUNKS);
}

/* Strips may be run by several threads far beyond the end of a slice, whose length is that of one thread. */
enum { MOST_OF_TEAM = 1 << 26, STRIPS_OF_THREAD = 4 };
/* The lanes between a counter of lanes and the end of the loop. */
INLINE int64_t lanes_up_to(int64_t end, int64_t lane) {
    return end > lane ? (int64_t)(((uint64_t)end - (uint64_t)lane) & INT64_MAX) : 0;
}
/* Whether other threads are to be asked: so many steps of strips have been run, and about as many more are to come at
 * least, as far as it is known how many lanes there are. If so, strips get few enough chunks for each thread to have some. */
INLINE bool wants_team(const Patience *shared, int64_t steps, int64_t coming, const Machine *m, int64_t *chunks) {
    const int64_t before = relaxed(&shared->steps), lanes = relaxed(&shared->lanes);
    if (before < steps || !lanes || coming <= steps / (before / lanes + 1)) return false;
    const int64_t threads = services->strips_may_join(m);
    if (!threads) return false;
    const int64_t most = coming / (WIDTH * STRIPS_OF_THREAD * threads), fewer = most > USUAL_CHUNKS ? most : USUAL_CHUNKS;
    if (*chunks > fewer) *chunks = fewer;
    return true;
}
INLINE StripTask team_task(const StripJob *job, void *given, const Patience *shared, int64_t chunks, int64_t coming,
                           const Machine *m, int64_t stop, int64_t left) {
    const int64_t behind = m->limit - stop < MOST_OF_TEAM ? m->limit - stop : MOST_OF_TEAM, each = chunks * WIDTH;
    const int64_t lanes = relaxed(&shared->lanes), steps = relaxed(&shared->steps), words = relaxed(&shared->words);
    const int64_t strips = lanes / each + 1; /* as many as would have at least these lanes */
    return (StripTask){.job = job,
                       .given = given,
                       .coming = coming < INT64_MAX ? coming / each : INT64_MAX,
                       .strips = strips,
                       .steps = steps / (lanes + 1) * each * strips,
                       .words = (words * each / (lanes + 1) + 1) * strips,
                       .most = left + behind};
}
/* Notes that no other threads have run strips, and that strips run one by one again: while this call of the unit takes, where
 * it is on a tape, which has little room left; else as many as at first. */
INLINE void note_no_team(Patience *shared, const Machine *m, bool *asks) {
    if (m->tape) *asks = false;
    else forget_strips(shared);
}
INLINE void note_team(Patience *shared, const StripTask *task, int64_t chunks, const Machine *m, int64_t *alone, bool *ran,
                      bool *asks) {
    if (!task->done && task->outcome == RAN) { /* fewer steps are left than a part takes, or less room */
        note_no_team(shared, m, asks);
        return;
    }
    if (!task->done && task->outcome == FULL) { /* no strip fits in a chunk for such as ran before: as it would the next time */
        forget_strips(shared);
        return;
    }
    if (task->used >= 2 * task->job->part_steps) { /* later strips are expected to take what these took */
        const double words = (double)task->words / (double)task->steps;
        set_relaxed(&shared->lanes, task->done * chunks * WIDTH);
        set_relaxed(&shared->steps, task->used);
        set_relaxed(&shared->words, (int64_t)(words * (double)task->used));
    }
    if (task->done && has_run(task->outcome)) {
        const int64_t words = task->words / task->strips;
        (void)widen(shared, task->outcome, chunks, task->used / task->done, words);
    }
    *ran = *ran || task->done;
    if (task->outcome != FULL) note_outcome(shared, task->outcome, chunks, false, alone, ran);
}

#endif
