/* The reversal of a step on arrays at work: what pulls.c, element_steps.c and scalar_pulls.c share. */
#ifndef CK_PULL_H
#define CK_PULL_H

#include "array_steps/applied.h"
#include "arrays/operators.h"
#include "state/cotangent.h"

/* NOT_HERE: nothing has been done; REFUSED: an exception is set. */
typedef enum Pulling { PULLED, NOT_HERE, REFUSED } Pulling;

/* A reversal at work; all 0 at first. What is owned is released by pull_end: memory may run out at any time. */
typedef struct Pull {
    const ArrayClasses *c;
    Heap *heap;
    Cotangent *cotangent;
    const Applied *applied;
    PyObject *g, *rules, *given, *made; /* owned: the cotangent, or a tuple of several; the rules or their results, one's result, an
                                           accumulator */
    PyObject *form, *form_given; /* of g, owned; of `given`, borrowed: Likes; NULL: not known */
    Forms forms;
    bool is_own; /* g is the sweep's own array, and the accumulator that had it is used up */
    bool is_new; /* `given` is of an operator, and nobody else has its elements */
    Value *received; /* the accumulator of the result */
    const Operand *operands;
    Value *accumulators;
    uint32_t count;
} Pull;

/* Returns whether nothing else refers to the elements of a rule's result. */
bool is_new(const Pull *p, PyObject *given);

/* Returns a new Accumulator with p->given; NULL with an exception. */
PyObject *accumulator_of_given(const Pull *p, bool is_owned);

/* Returns the object of Python in a value, borrowed; NULL: it is none. */
PyObject *python_in(Value v);

/* Adds p->given to an accumulator; an array, an Accumulator or a Scattered as Python does. false: an exception is set. */
bool add_contribution(Pull *p, Value *accumulator, bool is_owned);
bool add_by_python(Pull *p, Value *accumulator, PyObject *contribution);

void pull_end(Pull *p); /* releases its references */

#endif
