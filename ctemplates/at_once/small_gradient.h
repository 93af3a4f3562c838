/* Entry point of small gradients (checkpoint/functions/small.py): a whole gradient in one call; the rules of api.h
 * apply. (Also read by cffi.)
 *
 * In: the procedure of a program, its arguments as the caller has them, a tuple of trees (bridge/trees.h). Out: its value
 * and the cotangents of the arguments at some positions, where the run succeeds without a step of Python's, its value is
 * a real, and its tape stays within a bound. Anything else is refused: then nothing has been done that anybody can see,
 * and whoever asked has the gradient taken action by action. So this has no message, and no rare case.
 *
 * What is done is what the schedule `Budget` does of a run that fits in its first tape: the first state is kept, the run
 * is taped, and the tape is reversed.
 */
#ifndef CK_SMALL_GRADIENT_H
#define CK_SMALL_GRADIENT_H

#include "api/api.h"

/* entry: the block at which runs begin, `halt` the return point at which they end. tape, held, steps: how large a tape, the
 * heap, how long a run may be. */
typedef struct SmallGradient {
    const Block *entry;
    const ReturnPoint *halt;
    const Procedure *procedure; /* its first */
    size_t tape, held;
    int64_t steps;
} SmallGradient;

/* Returns the steps of the run; -1: it is refused. closure: the address of a Closure without capsules, or 0 where the
 * procedure captures nothing. births: the first birth of the arguments. arguments: the address of a tuple. positions: of a
 * tuple of ints. seed: the cotangent of the value. found: of a list, which receives the value and the cotangents. */
int64_t ck_small_gradient(const SmallGradient *call, uintptr_t closure, int64_t births, uintptr_t arguments,
                          uintptr_t positions, double seed, uintptr_t found);

#endif
