/* The plans of steps that Python does: see plans.h. */
#include "tasks/plans.h"

#include "memory/exceptions.h"

/* Returns the helper's Python machine of this run, cached in the machine. */
PyObject *machine_of(Machine *m) {
    if (!m->python) {
        PyObject *found = PyObject_GetAttr(m->helper, classes()->machine);
        Py_XDECREF(found); /* the helper owns it */
        m->python = found;
    }
    return m->python;
}

PyObject *plan_of_step(const ArrayClasses *c, const Task *task) {
    const Machine *m = task->m;
    void **const place = &m->block->plans[task->step];
    if (!PyObject_TypeCheck((PyObject *)m->helper, c->helper)) return NULL;
    if (!*place) {
        PyObject *at = PyLong_FromUnsignedLong(task->step);
        PyObject *plan = at ? PyObject_CallFunctionObjArgs(c->plan_of, (PyObject *)m->block->python, at, NULL) : NULL;
        Py_XDECREF(at);
        if (!plan) return NULL;
        *place = plan;
        Py_DECREF(plan); /* the block's peer owns it */
    }
    return Py_IS_TYPE((PyObject *)*place, c->plan) ? *place : NULL;
}

void refuse_step(Task *task, const Step *step) {
    PyObject *exception = take_exception();
    Py_CLEAR(task->answer);
    begin_call(task);
    call_add_integer(&task->call, task->step);
    call_add_operands(&task->call, &task->x, task->m->registers, step->operands, step->count);
    call_add(&task->call, exception);
    ask(task, array_classes()->refused, (int32_t)task->step);
}

PyObject *builtin_of_plan(const ArrayClasses *c, PyObject *plan, PyObject *functions) {
    PyObject *known = *slot_of(plan, c->plan_builtins);
    return PyDict_GET_SIZE(known) ? PyDict_GetItemWithError(known, functions) : NULL;
}

PyObject *saves_of_plan(const ArrayClasses *c, PyObject *plan, PyObject *tape) {
    const bool counts = tape == Py_None || *slot_of(tape, c->tape_counts) != Py_False;
    return *slot_of(plan, counts ? c->plan_saves : c->plan_saves_uncounted);
}
