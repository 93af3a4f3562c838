/* Steps that set one element of an array: see element_steps.h.
 *
 * The accumulator of the old handle takes over that of the new one, without the element: nobody reads the old handle
 * after this step, so it has received nothing as yet.
 */
#include "array_steps/element_steps.h"

#include "array_steps/applied.h"
#include "array_steps/scalar_pulls.h"
#include "arrays/accumulators.h"
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
    *slot_of(made, c->written_old) = kept;
    *slot_of(made, c->written_data) = Py_NewRef(items[ARRAY]);
    *slot_of(made, c->written_index) = Py_NewRef(items[INDEX]);
    *slot_of(made, c->written_name) = name_at(a, ARRAY);
    *slot_of(made, c->written_place) = name_at(a, CONTENT);
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

Pulling element_reverse(Pull *p, Cotangent *cotangent, PyObject *origin, Value *received, Value *accumulators,
                        uint32_t count) {
    const ArrayClasses *c = p->c;
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
