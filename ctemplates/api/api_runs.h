/* Entry points for states with deep stacks (checkpoint/ctarget/states.py); the rules of api.h apply.
 *
 * The frames of a state are divided into *runs*, from the bottom: a plain one has frames of one return point and one
 * call. Each of the values that they save is, in all of them, a real, or an integer, or the very value that the frame below
 * the run saves, which is one of the same point; all between two of these is another run. So a stack that a million calls of
 * one function have made is copied as columns of numbers, at the speed of memory.
 */
#ifndef CK_API_RUNS_H
#define CK_API_RUNS_H

#include "api/api.h"

typedef struct FrameRun {
    uintptr_t point, call; /* of a plain one: the ReturnPoint, and the Block of the call, or 0 */
    size_t frames;
    bool plain;
} FrameRun;

/* Lists at most `room` runs; returns how many there are. */
size_t ck_state_runs(const Held *state, FrameRun *runs, size_t room);

/* Copies the saved values of the plain ones among all `count` runs: for each run, the first first, its columns, each from
 * its lowest frame on; eight bytes for each. kinds: for each column of each of them, 'd' for reals, 'q' for integers, 'c' for what
 * the frame below has. */
void ck_state_columns(const Held *state, const FrameRun *runs, size_t count, uint64_t *columns, char *kinds);

/* Returns the state without the frames of plain runs; NULL: no memory. */
Held *ck_state_without_runs(const Held *state, const FrameRun *runs, size_t count);

/* Returns the reverse: the state with the frames of plain runs among its own, from their columns. NULL: no memory. */
Held *ck_state_with_runs(const Held *state, const FrameRun *runs, size_t count, const uint64_t *columns,
                         const char *kinds);

/* Lists the return points of a stack, each once, the top frame's first, at most `room`; returns how many there are. */
size_t ck_state_points(const Held *state, uintptr_t *points, size_t room);

/* Returns the fingerprint of a stack: begins with `found`, and for each frame from the top multiplies by `base` and adds the term
 * of its return point, all modulo `prime`, which is below 2^61. points: all that there are. */
uint64_t ck_state_place(const Held *state, uint64_t found, uint64_t base, uint64_t prime, const uintptr_t *points,
                        const uint64_t *terms, size_t count);

#endif
