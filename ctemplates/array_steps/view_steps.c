/* Steps that set the elements at an index: see view_steps.h. */
#include "array_steps/view_steps.h"

#include "array_steps/applied.h"
#include "array_steps/operand_forms.h"
#include "array_steps/written.h"
#include "arrays/accumulators.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "numpy/scattering.h"

/* Indices */

/* Returns whether an index has lists or arrays, so that it makes a copy of the elements that it names. */
static bool selects(PyObject *index) {
    if (PyList_CheckExact(index) || is_numpy(index)) return true;
    bool found = false;
    for (Py_ssize_t i = 0; !found && PyTuple_CheckExact(index) && i < PyTuple_GET_SIZE(index); i++)
        found = selects(PyTuple_GET_ITEM(index, i));
    return found;
}

/* Returns whether an index that selects names no element of an array twice, as far as that is seen at once. */
static bool selects_each_once(PyObject *array, PyObject *index) {
    if (is_numpy(index)) return dtype_of(index)->kind == 'b' || names_each_once(index, numpy_of(array)->shape[0]);
    if (!PyTuple_CheckExact(index)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
        PyObject *part = PyTuple_GET_ITEM(index, i);
        if (!is_of_view(part) && !(is_numpy(part) && dtype_of(part)->kind == 'b')) return false;
    }
    return true;
}

/* Setting */

static int content_position(const Application *a) { return (int)a->natives->count - 1; }

/* Stores the index of the elements that a step on a tape overwrites, and these, in the task; false, maybe with an exception:
 * they are no array of doubles, or what is written is no number and no such array. */
static bool find_elements(const Application *a) {
    PyObject *writes = *slot_of(a->plan, a->c->plan_writes), *const *items = a->natives->items + 1;
    PyObject *content = items[content_position(a)];
    double real;
    if (writes == Py_None || (!double_of(content, &real) && !is_array_of_doubles(content))) return false;
    PyObject *index = a->task->saved = PyObject_Vectorcall(writes, items, a->natives->count, NULL);
    if (!index || !(is_of_view(index) || selects(index))) return false;
    PyObject *elements = a->task->made = PyObject_GetItem(items[WRITTEN_ARRAY], index);
    return elements && is_array_of_doubles(elements);
}

bool sets_view(const Application *a) {
    if (!(a->flags & CHANGES) || !is_taped(a) || !is_array_of_doubles(a->natives->items[1 + WRITTEN_ARRAY])) return false;
    if (!(numpy_of(a->natives->items[1 + WRITTEN_ARRAY])->flags & WRITEABLE) || !(is_own(a) || may_copy(a))) return false;
    if (find_elements(a)) return true;
    forget_exception();
    Py_CLEAR(a->task->saved);
    Py_CLEAR(a->task->made);
    return false;
}

/* Returns the operands of the step as its rules take them: without the elements of the array and of what is written. NULL with
 * an exception. */
static PyObject *outlines(const Application *a) {
    PyObject *made = PyTuple_New(a->natives->count);
    for (uint32_t i = 0; made && i < a->natives->count; i++) {
        PyObject *native = a->natives->items[1 + i];
        const bool is_read = i != WRITTEN_ARRAY && i + 1 != a->natives->count;
        PyObject *part = !is_read && is_numpy(native) ? outline(a->c, a->plan, i, a->natives) : Py_NewRef(native);
        if (!part) Py_CLEAR(made);
        else PyTuple_SET_ITEM(made, i, part);
    }
    return made;
}

/* Returns the origin of the step, before the elements are set; NULL with an exception. in_place: whether they are put back. */
static PyObject *origin_of_view(const Application *a, bool in_place) {
    const ArrayClasses *c = a->c;
    PyObject *elements = a->task->made, *made = new_untracked(c->written_view), *kept = NULL;
    if (made) kept = !in_place ? Py_NewRef(Py_None) : numpy_of(elements)->base ? PyNumber_Positive(elements) : Py_NewRef(elements);
    PyObject *natives = kept ? outlines(a) : NULL;
    if (!natives) {
        Py_XDECREF(kept);
        Py_XDECREF(made);
        return NULL;
    }
    fill_origin(a, made, a->task->saved, kept, content_position(a));
    *slot_of(made, c->written_view_plan) = Py_NewRef(a->plan);
    *slot_of(made, c->written_view_natives) = natives;
    return made;
}

/* The bytes of the origin of a view, with those of the elements that it puts back. */
static Py_ssize_t bytes_of_view(const Application *a, PyObject *origin) {
    PyObject *old = *slot_of(origin, a->c->written_old);
    const Py_ssize_t elements = old == Py_None ? 0 : count_of(old) * (Py_ssize_t)sizeof(double);
    return elements + Py_TYPE(origin)->tp_basicsize + (Py_ssize_t)(a->natives->count * sizeof(PyObject *));
}

bool set_view(Application *a) {
    Task *task = a->task;
    const bool in_place = is_own(a);
    if (!in_place && !take_copy(a)) return false;
    PyObject *const *items = a->natives->items + 1;
    task->origin = origin_of_view(a, in_place);
    const bool written = task->origin && PyObject_SetItem(items[WRITTEN_ARRAY], task->saved, items[content_position(a)]) == 0;
    task->answer = written ? changed(a) : NULL;
    if (!task->answer) return false;
    make_transient(a, in_place);
    add_origin(task, task->origin, bytes_of_view(a, task->origin), (int32_t)task->step);
    take_handle(task);
    task->outcome = STOPPED;
    return true;
}

/* Reversing */

/* Returns a copy of the elements of the result's cotangent that were written, if they are all of what was: an array of this
 * form, of which no element was written over. NULL, maybe with an exception: Python must reverse the step. */
static PyObject *received_by_view(const Pull *p, PyObject *array, PyObject *index, PyObject *content) {
    if (!Py_IS_TYPE(content, p->c->like) || (selects(index) && !selects_each_once(array, index))) return NULL;
    PyObject *view = PyObject_GetItem(array, index);
    PyObject *found = view && is_array_of_doubles(view) && same_form(p->c, view, content) ? PyNumber_Positive(view) : NULL;
    Py_XDECREF(view);
    return found;
}

/* Returns whether C can add to the accumulators of the operands. */
static bool can_add_view(const Pull *p, PyObject *origin, const Value *accumulators, uint32_t content) {
    const bool to_array = *slot_of(origin, p->c->written_name) != Py_None;
    if (to_array && (accumulators[WRITTEN_ARRAY].tag != REAL || accumulators[WRITTEN_ARRAY].real != 0.0)) return false;
    if (*slot_of(origin, p->c->written_place) == Py_None) return true;
    if (p->operands[WRITTEN_ARRAY].at == p->operands[content].at) return false;
    return accumulators[content].tag == REAL || accumulator_in(p->c, accumulators[content]);
}

/* Puts a number in the place of elements. */
static bool set_at(PyObject *array, PyObject *index, double real) {
    PyObject *number = PyFloat_FromDouble(real);
    const bool done = number && PyObject_SetItem(array, index, number) == 0;
    Py_XDECREF(number);
    return done;
}

/* Puts the elements back, where a copy has not been changed; false: an exception is set. */
static bool put_elements_back(const ArrayClasses *c, PyObject *origin) {
    PyObject *old = *slot_of(origin, c->written_old);
    return old == Py_None || PyObject_SetItem(*slot_of(origin, c->written_data), *slot_of(origin, c->written_index), old) == 0;
}

/* Reverses a step whose result has received an array that is the sweep's own. */
static Pulling give_view(Pull *p, PyObject *origin, PyObject *array, Value *received, Value *accumulators) {
    const ArrayClasses *c = p->c;
    PyObject *natives = *slot_of(origin, c->written_view_natives), *index = *slot_of(origin, c->written_index);
    const uint32_t content = (uint32_t)PyTuple_GET_SIZE(natives) - 1;
    const bool is_wanted = *slot_of(origin, c->written_place) != Py_None;
    if (!is_array_of_doubles(array) || !can_add_view(p, origin, accumulators, content)) return NOT_HERE;
    if (is_wanted) {
        p->given = received_by_view(p, array, index, PyTuple_GET_ITEM(natives, content));
        if (!p->given) return PyErr_Occurred() ? REFUSED : NOT_HERE;
    }
    if (!put_elements_back(c, origin)) return REFUSED;
    if (is_wanted && !add_contribution(p, &accumulators[content], true)) return REFUSED;
    Py_CLEAR(p->given);
    if (!set_at(array, index, 0.0)) return REFUSED;
    if (*slot_of(origin, c->written_name) == Py_None) return PULLED;
    accumulators[WRITTEN_ARRAY] = *received;
    *received = of_real(0.0);
    return PULLED;
}

Pulling view_reverse(Pull *p, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators) {
    if (is_kept(p->c, cotangent)) return NOT_HERE;
    if (received->tag == REAL) return put_elements_back(p->c, origin) ? PULLED : REFUSED;
    PyObject *array = own_array(p->c, received);
    return array ? give_view(p, origin, array, received, accumulators) : NOT_HERE;
}

