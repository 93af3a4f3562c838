/* The plans of steps that Python does: which function does one (checkpoint/ctarget/plans.py). */
#ifndef CK_PLANS_H
#define CK_PLANS_H

#include "foreign/array_classes.h"
#include "foreign/plan_flags.h"
#include "foreign/task.h"

/* The Python machine of the run, borrowed; NULL: an exception is set. */
PyObject *machine_of(Machine *m);

/* How a step is done; borrowed; NULL: only the helper can tell. */
PyObject *plan_of_step(const ArrayClasses *c, const Task *task);

/* What a function of Python has raised becomes the step's failure, which the helper makes. */
void refuse_step(Task *task, const Step *step);

#endif
