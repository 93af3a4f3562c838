/* The reversal of a step on arrays at work: see pull.h. */
#include "array_steps/pull.h"

#include "arrays/accumulators.h"
#include "arrays/forms.h"
#include "arrays/handles.h"

bool is_new(const Pull *p, PyObject *given) {
    const Applied *applied = p->applied;
    if (given == p->g || given == applied->result || is_view(p->c, given)) return false;
    for (Py_ssize_t i = 0; PyTuple_CheckExact(p->g) && i < PyTuple_GET_SIZE(p->g); i++)
        if (PyTuple_GET_ITEM(p->g, i) == given) return false;
    for (Py_ssize_t i = 0; i < Py_SIZE(applied); i++)
        if (applied->operands[i] == given) return false;
    PyObject *saved = saved_in(applied);
    for (Py_ssize_t i = 0; saved && i < PyTuple_GET_SIZE(saved); i++)
        if (PyTuple_GET_ITEM(saved, i) == given) return false;
    return axes_of(p->c, given) > 0;
}

PyObject *accumulator_of_given(const Pull *p, bool is_owned) {
    const ArrayClasses *c = p->c;
    PyObject *made = new_handle(c, c->accumulator);
    if (!made) return NULL;
    *slot_of(made, c->accumulator_array) = Py_NewRef(p->given);
    *slot_of(made, c->accumulator_form) = Py_XNewRef(p->form_given);
    *slot_of(made, c->accumulator_owned) = Py_NewRef(is_owned ? Py_True : Py_False);
    return made;
}

PyObject *python_in(Value v) { return kind_of(v) == FOREIGN ? ((Foreign *)v.object)->python : NULL; }

/* Makes an object of Python, p->made, an accumulator's content. */
static void take_made(Pull *p, Value *accumulator) {
    const Value made = new_foreign(p->heap, p->made, false);
    p->made = NULL;
    drop(p->heap, *accumulator);
    *accumulator = made;
}

/* Gives an accumulator its first array. */
static bool begin_accumulator(Pull *p, Value *accumulator, bool is_owned) {
    p->made = accumulator_of_given(p, is_owned);
    if (p->made) take_made(p, accumulator);
    return p->made == NULL && !PyErr_Occurred();
}

bool add_by_python(Pull *p, Value *accumulator, PyObject *contribution) {
    PyObject *old = accumulator->tag == REAL ? PyFloat_FromDouble(accumulator->real) : Py_NewRef(python_in(*accumulator));
    p->made = old ? PyNumber_Add(old, contribution) : NULL;
    const bool same = p->made == old;
    Py_XDECREF(old);
    if (!p->made) return false;
    if (same)
        Py_CLEAR(p->made);
    else
        take_made(p, accumulator);
    return true;
}

bool add_contribution(Pull *p, Value *accumulator, bool is_owned) {
    const ArrayClasses *c = p->c;
    if (accumulator->tag == REAL) return begin_accumulator(p, accumulator, is_owned);
    PyObject *old = python_in(*accumulator);
    if (Py_IS_TYPE(old, c->accumulator) && *slot_of(old, c->accumulator_array))
        return add_to_accumulator(c, p->heap, old, p->given, p->form_given);
    PyObject *contribution = accumulator_of_given(p, is_owned);
    const bool done = contribution && add_by_python(p, accumulator, contribution);
    Py_XDECREF(contribution);
    return done;
}

void pull_end(Pull *p) {
    forms_end(&p->forms);
    Py_CLEAR(p->g);
    Py_CLEAR(p->form);
    Py_CLEAR(p->rules);
    Py_CLEAR(p->given);
    Py_CLEAR(p->made);
}
