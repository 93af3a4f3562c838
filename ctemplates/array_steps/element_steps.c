/* Steps that set elements of an array: see element_steps.h.
 *
 * The accumulator of the old handle takes over that of the new one, without the element: nobody reads the old handle
 * after this step, so it has received nothing as yet.
 */
#include "array_steps/element_steps.h"

#include "array_steps/applied.h"
#include "array_steps/operand_forms.h"
#include "array_steps/scalar_pulls.h"
#include "arrays/accumulators.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "numpy/elements.h"

/* The operands of np.setitem, as positions. */
enum { ARRAY, INDEX, CONTENT, SET_OPERANDS };

/* Setting */

/* Returns whether it is the number of np.setitem's operator. */
static bool is_setting(int64_t operator) {
    static int64_t known;
    if (UNLIKELY(!known)) known = operator_named("set-element");
    return operator == known;
}

/* Returns whether the first operand is an array that the run may change a copy of, which C makes: NumPy's would be laid out
 * in the same way. */
static bool may_copy(const Application *a) {
    PyObject *first = a->natives->handles & 1 ? a->natives->objects[0] : NULL;
    if (!first || *slot_of(a->plan, a->c->plan_in_place) == Py_None) return false;
    return !is_fixed(a->c, first) && is_plain_row(a->natives->items[1 + ARRAY]);
}

bool sets_element(const Application *a) {
    PyObject *const *items = a->natives->items + 1;
    double content;
    if (!(a->flags & CHANGES) || a->step->count != SET_OPERANDS) return false;
    if (!is_setting(PyLong_AsLongLong(*slot_of(a->plan, a->c->plan_operator)))) return false;
    return array_element(items[ARRAY], items[INDEX]) && (numpy_of(items[ARRAY])->flags & WRITEABLE) &&
           double_of(items[CONTENT], &content) && (is_own(a) || may_copy(a));
}

/* Takes a copy in the place of the first operand's elements, which a state of the run may hold; false: an exception is set. */
static bool take_copy(Application *a) {
    PyObject **place = &a->natives->items[1 + ARRAY];
    PyObject *made = copy_of_plain_row(*place);
    if (!made) return false;
    Py_SETREF(*place, made);
    return true;
}

static PyObject *name_at(const Application *a, int position) {
    const bool is_wanted = wanted_bits(a->c, a->plan, a->natives) >> position & 1;
    return Py_NewRef(is_wanted ? PyTuple_GET_ITEM(*slot_of(a->plan, a->c->plan_names), position) : Py_None);
}

/* Takes what the origins of elements and of views have in common. old: what is put back, used up. */
static void fill_origin(const Application *a, PyObject *made, PyObject *index, PyObject *old, int content) {
    const ArrayClasses *c = a->c;
    *slot_of(made, c->written_old) = old;
    *slot_of(made, c->written_data) = Py_NewRef(a->natives->items[1 + ARRAY]);
    *slot_of(made, c->written_index) = Py_NewRef(index);
    *slot_of(made, c->written_name) = name_at(a, ARRAY);
    *slot_of(made, c->written_place) = name_at(a, content);
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

/* Notes whether the reversal of the tape will put elements back. */
static void make_transient(const Application *a, bool in_place) {
    PyObject **const before = slot_of(memory_of(a->c, a->natives->objects[0]), a->c->memory_transient);
    PyObject **const after = slot_of(memory_of(a->c, a->task->answer), a->c->memory_transient);
    Py_SETREF(*after, Py_NewRef(in_place ? Py_True : *before));
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

/* Views */

static int content_position(const Application *a) { return (int)a->natives->count - 1; }

/* Returns the index of the elements that a step on a tape overwrites, a new reference; NULL, maybe with an exception: they
 * are not those of a view of an array of doubles, or what is written is no number and no such array. */
static PyObject *index_of_view(const Application *a) {
    PyObject *writes = *slot_of(a->plan, a->c->plan_writes), *const *items = a->natives->items + 1;
    PyObject *content = items[content_position(a)];
    double real;
    if (writes == Py_None || !is_array_of_doubles(items[ARRAY])) return NULL;
    if (!double_of(content, &real) && !is_array_of_doubles(content)) return NULL;
    PyObject *index = PyObject_Vectorcall(writes, items, a->natives->count, NULL);
    if (index && !is_of_view(index)) Py_CLEAR(index);
    return index;
}

bool sets_view(const Application *a) {
    if (!(a->flags & CHANGES) || !is_taped(a) || !is_array_of_doubles(a->natives->items[1 + ARRAY])) return false;
    if (!(numpy_of(a->natives->items[1 + ARRAY])->flags & WRITEABLE) || !(is_own(a) || may_copy(a))) return false;
    PyObject *index = index_of_view(a), *view = index ? PyObject_GetItem(a->natives->items[1 + ARRAY], index) : NULL;
    const bool is_view = view && is_array_of_doubles(view);
    Py_XDECREF(view);
    Py_XDECREF(index);
    return is_view;
}

/* Returns the operands of the step as its rules take them: without the elements of arrays. NULL with an exception. */
static PyObject *outlines(const Application *a) {
    PyObject *made = PyTuple_New(a->natives->count);
    for (uint32_t i = 0; made && i < a->natives->count; i++) {
        PyObject *native = a->natives->items[1 + i];
        PyObject *part = is_numpy(native) ? outline(a->c, a->plan, i, a->natives) : Py_NewRef(native);
        if (!part) Py_CLEAR(made);
        else PyTuple_SET_ITEM(made, i, part);
    }
    return made;
}

/* Returns the origin of the step, before the elements are set; NULL with an exception. in_place: whether they are put back. */
static PyObject *origin_of_view(const Application *a, PyObject *index, bool in_place) {
    const ArrayClasses *c = a->c;
    PyObject *made = new_untracked(c->written_view), *kept = NULL;
    if (made && in_place) {
        PyObject *view = PyObject_GetItem(a->natives->items[1 + ARRAY], index);
        kept = view ? PyNumber_Positive(view) : NULL;
        Py_XDECREF(view);
    } else if (made) {
        kept = Py_NewRef(Py_None);
    }
    PyObject *natives = kept ? outlines(a) : NULL;
    if (!natives) {
        Py_XDECREF(kept);
        Py_XDECREF(made);
        return NULL;
    }
    fill_origin(a, made, index, kept, content_position(a));
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
    PyObject *const *items = a->natives->items + 1, *index = index_of_view(a);
    task->origin = index ? origin_of_view(a, index, in_place) : NULL;
    const bool written = task->origin && PyObject_SetItem(items[ARRAY], index, items[content_position(a)]) == 0;
    Py_XDECREF(index);
    task->answer = written ? changed(a) : NULL;
    if (!task->answer) return false;
    make_transient(a, in_place);
    add_origin(task, task->origin, bytes_of_view(a, task->origin), (int32_t)task->step);
    take_handle(task);
    task->outcome = STOPPED;
    return true;
}

/* Reversing */

/* Returns whether the tape is kept, so that what is put back must be set again later. */
static bool is_kept(const ArrayClasses *c, const Cotangent *cotangent) {
    PyObject *helper = cotangent->helper;
    if (!Py_IS_TYPE(helper, c->reverser)) return true;
    PyObject *python = *slot_of(helper, c->reverser_cotangent);
    return !python || !Py_IS_TYPE(python, c->pulled) || *slot_of(python, c->pulled_undone) != Py_None;
}

/* Returns the array of an accumulator, if it belongs to the sweep alone; borrowed. */
static PyObject *own_array(const ArrayClasses *c, const Value *accumulator) {
    PyObject *python = accumulator_in(c, *accumulator);
    if (!python || accumulator->object->count != 1 || Py_REFCNT(python) != 1) return NULL;
    PyObject *array = *slot_of(python, c->accumulator_array);
    return array && *slot_of(python, c->accumulator_owned) == Py_True && Py_REFCNT(array) == 1 ? array : NULL;
}

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

/* Returns a copy of the elements of the result's cotangent that were written, if they are all of what was: an array of this
 * form. NULL, maybe with an exception: Python must reverse the step. */
static PyObject *received_by_view(const Pull *p, PyObject *array, PyObject *index, PyObject *content) {
    if (!Py_IS_TYPE(content, p->c->like)) return NULL;
    PyObject *view = PyObject_GetItem(array, index);
    PyObject *found = view && is_array_of_doubles(view) && same_form(p->c, view, content) ? PyNumber_Positive(view) : NULL;
    Py_XDECREF(view);
    return found;
}

/* Returns whether C can add to the accumulators of the operands. */
static bool can_add_view(const Pull *p, PyObject *origin, const Value *accumulators, uint32_t content) {
    const bool to_array = *slot_of(origin, p->c->written_name) != Py_None;
    if (to_array && (accumulators[ARRAY].tag != REAL || accumulators[ARRAY].real != 0.0)) return false;
    if (*slot_of(origin, p->c->written_place) == Py_None) return true;
    if (p->operands[ARRAY].at == p->operands[content].at) return false;
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
    accumulators[ARRAY] = *received;
    *received = of_real(0.0);
    return PULLED;
}

static Pulling view_reverse(Pull *p, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators) {
    if (is_kept(p->c, cotangent)) return NOT_HERE;
    if (received->tag == REAL) return put_elements_back(p->c, origin) ? PULLED : REFUSED;
    PyObject *array = own_array(p->c, received);
    return array ? give_view(p, origin, array, received, accumulators) : NOT_HERE;
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
