/* Many directives at once: a series (schedule.h) as the single directives that it stands for.
 *
 * In: a series, and after each directive a report. Out: the next directive, the same that
 * checkpoint/driver/series.py yields as actions; tests/ctarget/test_driver.py compares them.
 *
 * Why it is written a second time: asking Python for each action takes 5 us; here the six of a segment take 1.
 */
#ifndef CK_SERIES_H
#define CK_SERIES_H

#include "driver/schedule.h"

/* done: how many of its segments have been run, or reversed. phase: which directive of a segment is next. low, target: where
 * the present segment begins, or is to end. */
typedef struct Series {
    Directive whole;
    bool active;
    int phase;
    int64_t done, low, target;
} Series;

bool is_series(DirectiveKind kind);
void series_begin(Series *series, Directive whole);

/* Stores the next directive, after a report on the last one. last_kept: the greatest step at which a state is kept, -1 if there is none;
 * reversed_to: as in SweepCounts. false: the series is over. */
bool series_next(Series *series, const Report *reached, int64_t last_kept, int64_t reversed_to, Directive *next);

#endif
