/* The reversal of a step on arrays at work: see pull.h. */
#include "array_steps/pull.h"

#include "arrays/forms.h"
#include "arrays/handles.h"

bool is_new(const Pull *p, PyObject *given) {
    const Applied *applied = p->applied;
    if (given == p->g || given == applied->result || is_view(p->c, given)) return false;
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

void pull_end(Pull *p) {
    forms_end(&p->forms);
    Py_CLEAR(p->g);
    Py_CLEAR(p->form);
    Py_CLEAR(p->rules);
    Py_CLEAR(p->given);
    Py_CLEAR(p->made);
}
