/* The plans of steps that Python does: which function does one (checkpoint/ctarget/plans.py). */
#ifndef CK_PLANS_H
#define CK_PLANS_H

#include "arrays/array_classes.h"
#include "tasks/plan_flags.h"
#include "tasks/task.h"

/* The Python machine of the run, borrowed; NULL: an exception is set. */
PyObject *machine_of(Machine *m);

/* Returns the plan of a step, borrowed; NULL: only the helper can do the step. */
PyObject *plan_of_step(const ArrayClasses *c, const Task *task);

/* Returns the built-in function of a library that does for its arrays what the record's does, borrowed; NULL: it has none. */
PyObject *builtin_of_plan(const ArrayClasses *c, PyObject *plan, PyObject *functions);

/* Returns the function of a record that saves what its `pull` reuses, borrowed; tape: of the machine, or None. */
PyObject *saves_of_plan(const ArrayClasses *c, PyObject *plan, PyObject *tape);

/* Makes the current Python exception the step's failure, by the helper. */
void refuse_step(Task *task, const Step *step);

#endif
