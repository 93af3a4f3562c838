/* The reversal of steps on arrays, without Python code but for the rules of records that need it. */
#ifndef CK_PULLS_H
#define CK_PULLS_H

#include "arrays/operators.h"
#include "foreign/applied.h"
#include "state/cotangent.h"

/* NOT_HERE: nothing has been done; REFUSED: an exception is set. */
typedef enum Pulling { PULLED, NOT_HERE, REFUSED } Pulling;

/* A reversal at work; all 0 at first. What is owned is released by pull_end: memory may run out at any time. */
typedef struct Pull {
    const ArrayClasses *c;
    Heap *heap;
    Cotangent *cotangent;
    const Applied *applied;
    PyObject *g, *rules, *given, *made; /* owned: the cotangent, the rules or their results, one's result, an accumulator */
    PyObject *form, *form_given; /* of g, owned; of `given`, borrowed: Likes; NULL: not known */
    Forms forms;
    bool is_own; /* g is the sweep's own array, and the accumulator that had it is used up */
    bool is_new; /* `given` is of an operator, and nobody else has its elements */
    Value *received; /* the accumulator of the result */
    const Operand *operands;
    Value *accumulators;
    uint32_t count;
} Pull;

/* Adds to the accumulators of a step's operands, from the cotangent of its result, which may be used up. An origin that
 * is not an Applied, and accumulators of duals, are left to the helper. */
Pulling array_reverse(Pull *pull, Cotangent *cotangent, const Step *step, PyObject *origin, Value *received,
                      Value *accumulators, uint32_t count);
void pull_end(Pull *pull); /* releases its references */

#endif
