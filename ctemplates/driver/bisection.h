/* The schedule Bisection of checkpoint/driver/schedule.py, action for action.
 *
 * In: reports. Out: directives, one at a time. What remains to be done is on a stack, the next on top: nothing
 * recurses, and the stack has a few entries for each halving and each cut by bytes.
 *
 * Why it is written a second time: asking Python for each action takes longer than small base cases do. The gradient of
 * a run of 20,000 turns of a loop takes 11 ms so, and 190 ms with actions from Python, in base cases of 100 steps; 3.4
 * and 4.8 ms in those of 10,000 (medians of 9, translation off). tests/ctarget/test_driver.py compares the actions.
 */
#ifndef CK_BISECTION_H
#define CK_BISECTION_H

#include "memory/heap.h"
#include "driver/schedule.h"

typedef struct Pending Pending;

/* most, bytes: the bounds of a base case. steps: how many to tape at once, as learnt so far. */
typedef struct Bisection {
    int64_t most, steps;
    size_t bytes;
    Pending *pending;
    size_t count, room;
} Bisection;

void bisection_begin(Heap *heap, Bisection *bisection, int64_t base, size_t bytes);
void bisection_end(Heap *heap, Bisection *bisection);

/* Stores the next directive, after a report on the last one; the first directive needs no report. false: all is
 * done. */
bool bisection_next(Heap *heap, Bisection *bisection, Report reached, Directive *next);

#endif
