/* Since when a run has not read the arrays among its arguments: their cotangents are complete, and final, as soon as the
 * run has been reversed down to that step.
 *
 * In: the handles of arrays in the heap of a run that has not begun, and the steps that it reaches, going forward. Out: for
 * each handle a step before which nothing has read it that could contribute to its cotangent.
 *
 * An array is untouched at a step if no operation has had it as an operand before (foreign_touch), and only what held it at
 * first holds it then: what had read it and may still use it would hold it, too. This is asked at a sample of the steps,
 * more often the fewer arrays are left, so that in all it takes time in proportion to their number.
 */
#ifndef CK_LEAVES_H
#define CK_LEAVES_H

#include "memory/heap.h"

#define NEVER_READ INT64_MAX

typedef struct Leaf {
    Foreign *foreign;
    uint64_t count; /* of references, at first */
    int64_t untouched; /* until this step; of the first `active` ones that of the last sample */
} Leaf;

typedef struct Leaves {
    Leaf *all; /* those that are untouched come first */
    size_t total, active;
    int64_t step; /* of the last sample */
} Leaves;

void leaves_begin(Heap *heap, Leaves *leaves); /* of all handles in the heap */
void leaves_end(Heap *heap, Leaves *leaves);

/* The run has reached a step for the first time; finished: it is the last. */
void leaves_reach(Heap *heap, Leaves *leaves, int64_t step, bool finished);

#endif
