/* What steps that set elements have in common: see written.h. */
#include "array_steps/written.h"

#include "array_steps/applied.h"
#include "arrays/accumulators.h"
#include "arrays/handles.h"
#include "numpy/elements.h"

/* Setting */

bool may_copy(const Application *a) {
    PyObject *first = a->natives->handles & 1 ? a->natives->objects[0] : NULL;
    if (!first || *slot_of(a->plan, a->c->plan_in_place) == Py_None) return false;
    return !is_fixed(a->c, first) && is_plain_row(a->natives->items[1 + WRITTEN_ARRAY]);
}

bool take_copy(Application *a) {
    PyObject **place = &a->natives->items[1 + WRITTEN_ARRAY];
    PyObject *made = copy_of_plain_row(*place);
    if (!made) return false;
    Py_SETREF(*place, made);
    return true;
}

static PyObject *name_at(const Application *a, int position) {
    const bool is_wanted = wanted_bits(a->c, a->plan, a->natives) >> position & 1;
    return Py_NewRef(is_wanted ? PyTuple_GET_ITEM(*slot_of(a->plan, a->c->plan_names), position) : Py_None);
}

void fill_origin(const Application *a, PyObject *made, PyObject *index, PyObject *old, int content) {
    const ArrayClasses *c = a->c;
    *slot_of(made, c->written_old) = old;
    *slot_of(made, c->written_data) = Py_NewRef(a->natives->items[1 + WRITTEN_ARRAY]);
    *slot_of(made, c->written_index) = Py_NewRef(index);
    *slot_of(made, c->written_name) = name_at(a, WRITTEN_ARRAY);
    *slot_of(made, c->written_place) = name_at(a, content);
}

void make_transient(const Application *a, bool in_place) {
    PyObject **const before = slot_of(memory_of(a->c, a->natives->objects[0]), a->c->memory_transient);
    PyObject **const after = slot_of(memory_of(a->c, a->task->answer), a->c->memory_transient);
    Py_SETREF(*after, Py_NewRef(in_place ? Py_True : *before));
}

/* Reversing */

bool is_kept(const ArrayClasses *c, const Cotangent *cotangent) {
    PyObject *helper = cotangent->helper;
    if (!Py_IS_TYPE(helper, c->reverser)) return true;
    PyObject *python = *slot_of(helper, c->reverser_cotangent);
    return !python || !Py_IS_TYPE(python, c->pulled) || *slot_of(python, c->pulled_undone) != Py_None;
}

PyObject *own_array(const ArrayClasses *c, const Value *accumulator) {
    PyObject *python = accumulator_in(c, *accumulator);
    if (!python || accumulator->object->count != 1 || Py_REFCNT(python) != 1) return NULL;
    PyObject *array = *slot_of(python, c->accumulator_array);
    return array && *slot_of(python, c->accumulator_owned) == Py_True && Py_REFCNT(array) == 1 ? array : NULL;
}
