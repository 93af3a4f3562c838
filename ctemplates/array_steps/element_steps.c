/* Steps that set one element of an array: see element_steps.h.
 *
 * The accumulator of the old handle takes over that of the new one, without the element: nobody reads the old handle
 * after this step, so it has received nothing as yet.
 */
#include "array_steps/element_steps.h"

#include "array_steps/scalar_pulls.h"
#include "array_steps/view_steps.h"
#include "array_steps/written.h"
#include "arrays/handles.h"
#include "numpy/elements.h"

/* The operands of np.setitem, as positions. */
enum { ARRAY = WRITTEN_ARRAY, INDEX, CONTENT, SET_OPERANDS };

/* Setting */

bool sets_element(const Application *a) {
    PyObject *const *items = a->natives->items + 1;
    double content;
    if (!(a->flags & CHANGES) || a->step->count != SET_OPERANDS) return false;
    if (PyLong_AsLongLong(*slot_of(a->plan, a->c->plan_operator)) != SET_OPERATOR) return false;
    return array_element(items[ARRAY], items[INDEX]) && (numpy_of(items[ARRAY])->flags & WRITEABLE) &&
           double_of(items[CONTENT], &content) && (is_own(a) || may_copy(a));
}

/* Returns the origin of the step, before the element is set; NULL with an exception. old: where the element is, NULL in a
 * copy, in which nothing is put back. */
static PyObject *origin_of_element(const Application *a, const double *old) {
    const ArrayClasses *c = a->c;
    PyObject *made = new_untracked(c->written), *kept = NULL;
    if (made) kept = old ? PyFloat_FromDouble(*old) : Py_NewRef(Py_None);
    if (!kept) {
        Py_XDECREF(made);
        return NULL;
    }
    PyObject *const *items = a->natives->items + 1;
    fill_origin(a, made, items[INDEX], kept, CONTENT);
    *slot_of(made, c->written_is_real) = Py_NewRef(is_scalar(items[CONTENT]) ? Py_False : Py_True);
    return made;
}

bool set_element(Application *a) {
    Task *task = a->task;
    PyObject *const *items = a->natives->items + 1;
    const bool in_place = is_own(a);
    if (!in_place && !take_copy(a)) return false;
    double *element = array_element(items[ARRAY], items[INDEX]), content = 0.0;
    double_of(items[CONTENT], &content);
    task->origin = is_taped(a) ? origin_of_element(a, in_place ? element : NULL) : NULL;
    if (!task->origin && is_taped(a)) return false;
    task->answer = changed(a);
    if (!task->answer) return false;
    if (task->origin) {
        make_transient(a, in_place);
        add_origin(task, task->origin, Py_TYPE(task->origin)->tp_basicsize + (Py_ssize_t)sizeof(PyFloatObject), (int32_t)task->step);
    }
    *element = content;
    take_handle(task);
    task->outcome = STOPPED;
    return true;
}

/* Reversing */

/* Adds to the accumulator of what was written; false: an exception is set. */
static bool give_element(Pull *p, PyObject *origin, double cotangent, Value *accumulator) {
    if (*slot_of(origin, p->c->written_is_real) == Py_True) {
        accumulator->real += cotangent;
        return true;
    }
    return add_scalar(p, accumulator, cotangent);
}

/* Returns whether C can add to the accumulators of the operands. */
static bool can_add(const Pull *p, PyObject *origin, const Value *accumulators) {
    const ArrayClasses *c = p->c;
    const bool to_array = *slot_of(origin, c->written_name) != Py_None;
    if (to_array && (accumulators[ARRAY].tag != REAL || accumulators[ARRAY].real != 0.0)) return false;
    if (*slot_of(origin, c->written_place) == Py_None) return true;
    if (p->operands[ARRAY].at == p->operands[CONTENT].at) return false;
    if (*slot_of(origin, c->written_is_real) == Py_True) return accumulators[CONTENT].tag == REAL;
    return takes_scalar(p, &accumulators[CONTENT]);
}

Pulling element_reverse(Pull *p, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators,
                        uint32_t count) {
    const ArrayClasses *c = p->c;
    if (Py_IS_TYPE(origin, c->written_view)) return view_reverse(p, cotangent, origin, received, accumulators);
    if (!Py_IS_TYPE(origin, c->written) || count != SET_OPERANDS || is_kept(c, cotangent)) return NOT_HERE;
    PyObject *data = *slot_of(origin, c->written_data), *index = *slot_of(origin, c->written_index);
    double *element = array_element(data, index);
    const bool is_idle = received->tag == REAL;
    PyObject *array = is_idle ? NULL : own_array(c, received);
    double *cotangents = array ? array_element(array, index) : NULL;
    if (!element || (!is_idle && !cotangents) || !can_add(p, origin, accumulators)) return NOT_HERE;
    PyObject *old = *slot_of(origin, c->written_old);
    if (old != Py_None) *element = PyFloat_AS_DOUBLE(old);
    if (is_idle) return PULLED;
    const bool is_wanted = *slot_of(origin, c->written_place) != Py_None;
    if (is_wanted && !give_element(p, origin, *cotangents, &accumulators[CONTENT])) return REFUSED;
    *cotangents = 0.0;
    if (*slot_of(origin, c->written_name) == Py_None) return PULLED;
    accumulators[ARRAY] = *received;
    *received = of_real(0.0);
    return PULLED;
}
