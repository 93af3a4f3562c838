/* One call of Python for a machine: shared by steps.c, ends.c and raised.c.
 *
 * In: a machine, and a method of its helper (checkpoint/ctarget/foreign.py). Out: the method's answer, stored in the
 * machine: value, births, tags, and on a tape the origin. If Python fails, the machine is unchanged.
 */
#ifndef CK_TASK_H
#define CK_TASK_H

#include "bridge/guard.h"
#include "state/machine.h"
#include "tasks/plan_flags.h"

/* The operands of a step on arrays as the library's function takes them, after its namespace. */
typedef struct Natives {
    PyObject *items[MOST_OPERANDS + 1]; /* the namespace is borrowed, the others are owned */
    PyObject *objects[MOST_OPERANDS]; /* the handles of those that are arrays; borrowed */
    PyObject *form, *result_form; /* that of all arrays among them; of the result; borrowed. NULL: not known (note_forms) */
    uint32_t count;
    uint64_t numbers; /* which of them are numbers that may have a cotangent */
    uint64_t active;  /* which of them are, or hold, such numbers */
    uint64_t handles; /* which of them are arrays */
    uint64_t parts;   /* which of them have a number or an array within a tuple or list */
    uint64_t born;    /* which of these have `births` (array_steps/operand_parts.h) */
    uint32_t births_from[MOST_OPERANDS], birth_count; /* where those of an operand begin; how many there are */
    uint64_t births[MOST_BIRTHS];
    uint64_t result_birth; /* of a tuple or list of arrays that is the result; 0: it is none */
} Natives;

typedef struct Task {
    Machine *m;
    uint32_t step; /* step_count: the end */
    Passage x;
    Call call; /* the call of a method, while it is prepared */
    PyObject *answer;
    PyObject *made, *saved, *origin; /* of a step on arrays: what the library has made, and what is to be recorded */
    Natives natives;
    Value value;   /* its result, or the raised value */
    bool raised;
    Value *raised_value;
    Outcome outcome;
    const void *extra; /* a pointer that the method returned */
} Task;

void task_begin(Task *task, Machine *m, uint32_t step);
bool task_open(Task *task); /* called first in the guarded work; false: the helper has the error, or there is none */
void clean_task(void *arguments);
void clean_natives(Task *task); /* releases the operands and results of the library's function */

/* Begins a call with the operands that most methods share: the block, the steps made, the next birth and tag. */
void begin_call(Task *task);

/* Calls the method, and takes its answer; the origin is kept under `key`. */
void ask(Task *task, PyObject *name, int32_t key);

/* After Python has done a step: gives the container that it has changed its content (of an update: its first operand;
 * false: Python has failed); adds the origin, if it is not None. */
bool take_content(Task *task);
void add_origin(Task *task, PyObject *origin, int64_t bytes, int32_t key);

#endif
