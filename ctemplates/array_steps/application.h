/* The application of a function of arrays by a step: what array_steps.c and element_steps.c share. */
#ifndef CK_APPLICATION_H
#define CK_APPLICATION_H

#include "arrays/array_classes.h"
#include "containers/lists.h"
#include "tasks/task.h"

typedef struct Application {
    Task *task;
    const ArrayClasses *c;
    const Step *step;
    PyObject *plan, *machine, *owner; /* borrowed */
    int64_t flags, operator;
    uint32_t position; /* of the operand that is taken */
    const List *joined; /* the list of reals that is joined as a row; NULL: there is none */
    Natives *natives; /* the task's: it releases them */
    PyTypeObject *handle; /* the class of the result's handle; NULL: it is no array of numbers */
} Application;

/* Takes the operands of the step as the library's function takes them; false, maybe with an exception: C does not handle
 * them. */
bool take_operands(Application *a);

/* Returns the elements of a handle at a step's moment, a new reference; NULL, without an exception: they have changed
 * since. */
PyObject *data_of_handle(const ArrayClasses *c, const Machine *m, PyObject *handle);

/* Returns whether a value is a handle of an array. */
bool is_handle(const ArrayClasses *c, Value v);

/* Returns the memory of a function's result, a new reference: that of an operand, if the result is a view of it; NULL
 * with an exception. */
PyObject *memory_for(const Application *a, PyObject *data);

/* Returns whether the step is one of a tape. */
bool is_taped(const Application *a);

/* Makes the task's handle the step's value. */
void take_handle(Task *task);

/* Returns whether the first operand is an array that may be changed in place: whether it is this run's own. */
bool is_own(const Application *a);

/* Returns whether no run may change what a handle shows. */
bool is_fixed(const ArrayClasses *c, PyObject *handle);

/* Makes the first operand stale from the next step on; false: an exception is set. */
bool make_stale(const Application *a);

/* Returns the new handle after a change of the first operand in place, which makes the old one stale; NULL with an
 * exception. */
PyObject *changed(const Application *a);

#endif
