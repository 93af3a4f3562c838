/* Callbacks of reversal: see reversing.h. A method returns None if it has stored an exception. */
#include "foreign/reversing.h"

#include "array_steps/pulls.h"
#include "bridge/classes.h"
#include "bridge/passage_export.h"
#include "bridge/passage_import.h"
#include "memory/exceptions.h"

typedef struct Reversing {
    Passage *x; /* begun when it is needed */
    bool converts;
    Cotangent *c;
    const Block *block;
    const Origin *origin;
    Value *received, *accumulators;
    uint32_t count;
    Outcome outcome;
    Call call;
    PyObject *answer;
    Pull pull;
} Reversing;

static void clean_reversing(void *arguments) {
    Reversing *r = arguments;
    call_end(&r->call);
    Py_CLEAR(r->answer);
    pull_end(&r->pull);
    if (r->converts) passage_end(r->x);
}

/* The call owns the tuple before it is filled: memory may run out in between. */
static void add_accumulators(Reversing *r) {
    PyObject *given = PyTuple_New(r->count), **const place = &r->call.operands[r->call.count];
    call_add(&r->call, given);
    for (uint32_t i = 0; *place && i < r->count; i++) {
        PyObject *accumulator = export_value(r->x, r->accumulators[i], false);
        PyTuple_SET_ITEM(given, i, accumulator);
        if (!accumulator) Py_CLEAR(*place);
    }
    if (*place && !export_rest(r->x)) Py_CLEAR(*place);
}

/* Takes the new accumulators: a sequence as long as the old one, with None where there was none. */
static bool take_accumulators(Reversing *r) {
    PyObject *items = PySequence_Fast(r->answer, "accumulators are a sequence");
    if (!items) return false;
    Py_SETREF(r->answer, items);
    if (PySequence_Fast_GET_SIZE(items) != r->count) {
        PyErr_SetString(PyExc_SystemError, "a reversed step in Python has answered wrongly");
        return false;
    }
    Value *taken = heap_allocate(r->c->heap, (r->count + 1) * sizeof *taken);
    r->x->done = r->x->count;
    for (uint32_t i = 0; i < r->count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        taken[i] = item == Py_None ? nothing() : import_value(r->x, item);
    }
    const bool whole = import_rest(r->x);
    for (uint32_t i = 0; i < r->count; i++) {
        drop(r->c->heap, whole ? r->accumulators[i] : taken[i]);
        if (whole) r->accumulators[i] = taken[i];
    }
    heap_free(r->c->heap, taken, (r->count + 1) * sizeof *taken);
    return whole;
}

static PyObject *origin_in_python(PyObject *origin) {
    if (!is_applied(origin)) return Py_NewRef(origin);
    return python_origin(array_classes(), (const Applied *)origin);
}

static void reverse_in_python(void *arguments) {
    Reversing *r = arguments;
    if (r->origin->key >= 0) {
        const Step *step = &r->block->steps[r->origin->key];
        const Pulling done =
            array_reverse(&r->pull, r->c, step, r->origin->python, r->received, r->accumulators, r->count);
        if (done == PULLED) r->outcome = STOPPED;
        if (done == REFUSED) report_error(r->c->helper);
        if (done != NOT_HERE) return;
    }
    if (!classes()) {
        report_error(r->c->helper);
        return;
    }
    passage_begin(r->x, r->c->heap, NULL);
    r->x->cotangents = r->converts = true;
    call_begin(&r->call, r->c->helper);
    call_add(&r->call, Py_NewRef((PyObject *)r->block->python));
    call_add_integer(&r->call, r->origin->key);
    call_add(&r->call, origin_in_python(r->origin->python));
    call_add(&r->call, export_value(r->x, *r->received, false));
    add_accumulators(r);
    r->answer = call_do(&r->call, classes()->reverse);
    if (r->answer == Py_None) return; /* the helper has the error */
    if (r->answer && take_accumulators(r))
        r->outcome = STOPPED;
    else
        report_error(r->c->helper);
}

Outcome foreign_reverse_on(Cotangent *c, const Block *block, const Origin *origin, Value *received,
                           Value *accumulators, uint32_t count) {
    Passage x;
    Reversing reversing = {.x = &x, .c = c, .block = block, .origin = origin, .received = received,
                           .accumulators = accumulators, .count = count, .outcome = FAILED};
    if (!c->helper) return FAILED;
    guarded(c->heap, reverse_in_python, clean_reversing, &reversing);
    return reversing.outcome;
}

/* The origin of a step on whole values */

typedef struct Wanted {
    Passage x;
    Call call;
    Cotangent *c;
    const Block *block;
    int32_t key;
    const Whole *whole;
    PyObject *origin;
} Wanted;

static PyObject *whole_operands(Wanted *w) {
    PyObject *given = PyTuple_New(MOST_WHOLE);
    for (int i = 0; given && i < MOST_WHOLE; i++) {
        PyObject *operand = export_value(&w->x, w->whole->operands[i], false);
        PyTuple_SET_ITEM(given, i, operand);
        if (!operand) Py_CLEAR(given);
    }
    if (given && !export_rest(&w->x)) Py_CLEAR(given);
    return given;
}

static void find_origin(void *arguments) {
    Wanted *w = arguments;
    passage_begin(&w->x, w->c->heap, NULL);
    if (!classes()) {
        report_error(w->c->helper);
        return;
    }
    call_begin(&w->call, w->c->helper);
    call_add(&w->call, Py_NewRef((PyObject *)w->block->python));
    call_add_integer(&w->call, w->key);
    call_add(&w->call, whole_operands(w));
    call_add_integer(&w->call, (int64_t)w->whole->result.object->birth);
    call_add_integer(&w->call, w->whole->tag);
    w->origin = call_do(&w->call, classes()->again);
    if (!w->origin) report_error(w->c->helper);
    if (w->origin == Py_None) Py_CLEAR(w->origin); /* the helper has the error */
}

static void clean_origin(void *arguments) {
    Wanted *w = arguments;
    call_end(&w->call);
    passage_end(&w->x);
}

void *foreign_origin_of(Cotangent *c, const Block *block, int32_t key, const Whole *whole) {
    Wanted w = {.c = c, .block = block, .key = key, .whole = whole};
    if (c->helper) guarded(c->heap, find_origin, clean_origin, &w);
    return w.origin;
}

static PyObject *number_of(Value v) {
    switch (kind_of(v)) {
    case REAL: return PyFloat_FromDouble(v.real);
    case INTEGER: return PyLong_FromLongLong(v.integer);
    case BOOLEAN: return PyBool_FromLong(v.integer != 0);
    case FOREIGN: return PyLong_FromDouble(v.real); /* a larger integer: see Part */
    default: Py_RETURN_NONE;
    }
}

static PyObject *tuple_of_numbers(const Value *values, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *item = number_of(values[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *tuple_of_reals(const double *reals, int count) {
    Value values[3];
    for (int i = 0; i < count; i++) values[i] = of_real(reals[i]);
    return tuple_of_numbers(values, count);
}

/* Returns the outcome of a method from its result, which is released. */
static Outcome outcome_of(PyObject *answer) {
    if (!answer) forget_exception(); /* only if memory ran out before the method began */
    const Outcome outcome = !answer ? NO_MEMORY : answer == Py_None ? FAILED : STOPPED;
    Py_XDECREF(answer);
    return outcome;
}

static Outcome read_reals(PyObject *answer, double *reals, int count) {
    if (answer && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == count)
        for (int i = 0; i < count; i++) reals[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(answer, i));
    return outcome_of(answer);
}

Outcome foreign_scale(Cotangent *c, const Block *block, const Action *action, const Value *values, Value result,
                      double *cotangents) {
    if (!c->helper) return FAILED;
    const PyGILState_STATE lock = PyGILState_Ensure();
    const int count = action->count;
    PyObject *operands = tuple_of_numbers(values, count), *accumulators = tuple_of_reals(cotangents, count);
    PyObject *answer = NULL, *z = number_of(result);
    if (operands && accumulators && z)
        answer = PyObject_CallMethod(c->helper, "scale", "OIOOdO", (PyObject *)block->python, action->step, operands, z,
                                     c->window[action->source].real, accumulators);
    Py_XDECREF(operands);
    Py_XDECREF(accumulators);
    Py_XDECREF(z);
    const Outcome outcome = read_reals(answer, cotangents, count);
    PyGILState_Release(lock);
    return outcome;
}

Outcome foreign_resumed(Cotangent *c, void *capsule) {
    if (!c->helper) return FAILED;
    const PyGILState_STATE lock = PyGILState_Ensure();
    const Outcome outcome = outcome_of(PyObject_CallMethod(c->helper, "resumed", "O", (PyObject *)capsule));
    PyGILState_Release(lock);
    return outcome;
}

void foreign_run_stays(Cotangent *c) {
    if (!c->helper) return;
    const PyGILState_STATE lock = PyGILState_Ensure();
    outcome_of(PyObject_CallMethod(c->helper, "run_stays", NULL));
    PyGILState_Release(lock);
}
