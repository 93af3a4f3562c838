/* Origins of steps on arrays, and their reversal without Python code. */
#ifndef CK_PULLS_H
#define CK_PULLS_H

#include "arrays/operators.h"
#include "foreign/task.h"

/* Returns the origin of an application, a new reference, and stores the bytes that it adds to the tape; NULL: an
 * exception is set. */
PyObject *array_origin(const ArrayClasses *c, PyObject *plan, const Natives *natives, PyObject *result, bool is_number,
                       PyObject *tape, int64_t *bytes);

/* NOT_HERE: nothing has been done; REFUSED: an exception is set. */
typedef enum Pulling { PULLED, NOT_HERE, REFUSED } Pulling;

/* A reversal at work; all 0 at first. */
typedef struct Pull {
    const ArrayClasses *c;
    Heap *heap;
    PyObject *record, *natives, *result;             /* borrowed */
    PyObject *g, *rules, *given, *contribution, *sum;   /* owned: memory may run out at any time */
    const Operand *operands;
    Value *accumulators;
    uint32_t count;
    Operator operator;
} Pull;

/* Adds to the accumulators of a step's operands, from the cotangent of its result. An origin that is not a Pulled of
 * one number, and accumulators of duals, are left to the helper. */
Pulling array_reverse(Pull *pull, Heap *heap, const Step *step, PyObject *origin, Value received,
                      Value *accumulators, uint32_t count);
void pull_end(Pull *pull); /* releases its references */

#endif
