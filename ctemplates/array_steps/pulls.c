/* The reversal of steps on arrays: see pulls.h. The cotangents of operands are added as in checkpoint.ad.accumulators.
 *
 * The array of the result's cotangent belongs to the sweep if its accumulator owns it and nothing else refers to the
 * two. The last operand whose cotangent is computed may then have it, or change it in place.
 */
#include "array_steps/pulls.h"

#include "array_steps/element_steps.h"
#include "array_steps/part_pulls.h"
#include "array_steps/scalar_pulls.h"
#include "arrays/accumulators.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "arrays/storage_table.h"
#include "memory/exceptions.h"
#include "tasks/plan_flags.h"

/* Ownership */

/* Takes the cotangent of the result in the form that rules take; false: of a kind that C does not handle. */
static bool receive(Pull *p) {
    const Value received = *p->received;
    if (received.tag == REAL) {
        p->g = PyFloat_FromDouble(received.real);
        return p->g != NULL;
    }
    PyObject *accumulator = accumulator_in(p->c, received);
    if (!accumulator) return false;
    PyObject **array = slot_of(accumulator, p->c->accumulator_array);
    if (!*array) return false;
    p->is_own = received.object->count == 1 && Py_REFCNT(accumulator) == 1 && Py_REFCNT(*array) == 1 &&
                *slot_of(accumulator, p->c->accumulator_owned) == Py_True;
    p->g = Py_NewRef(*array);
    p->form = Py_XNewRef(form_of_accumulator(p->c, accumulator));
    if (p->form) forms_note(p->c, &p->forms, p->g, p->form);
    return true;
}

/* Several results */

/* Returns the first array among the cotangents of several results, borrowed; NULL: none has received anything. */
static PyObject *first_array(const Pull *p) {
    for (Py_ssize_t i = 0; PyTuple_CheckExact(p->g) && i < PyTuple_GET_SIZE(p->g); i++)
        if (PyTuple_GET_ITEM(p->g, i) && PyTuple_GET_ITEM(p->g, i) != Py_None) return PyTuple_GET_ITEM(p->g, i);
    return NULL;
}

/* Returns whether a result, or its Like, has derivatives. */
static bool has_derivative(const Pull *p, PyObject *like) {
    const Py_UCS4 kind = kind_of_elements(p->c, like);
    return kind == 'f' || kind == 'c';
}

/* Stores what a result has received as its cotangent, or leaves it away if that is nothing; false: of a kind that C does not
 * handle, or an exception is set. */
static bool take_cotangent(const Pull *p, Py_ssize_t i, Value received) {
    if (received.tag == REAL && received.real == 0.0) return true;
    PyObject *accumulator = accumulator_in(p->c, received);
    PyObject *array = accumulator ? PyObject_GetAttrString(accumulator, "array") : NULL;
    PyTuple_SET_ITEM(p->g, i, array);
    return array != NULL;
}

/* Sets zeros as the cotangents of results that have received nothing while others have; false: an exception is set. */
static bool fill_in_zeros(const Pull *p, PyObject *likes) {
    PyObject *beside = first_array(p);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(p->g); i++) {
        if (PyTuple_GET_ITEM(p->g, i)) continue;
        PyObject *like = PySequence_Fast_GET_ITEM(likes, i), *shape = shape_as_tuple(p->c, like);
        PyObject *dtype = shape ? PyObject_GetAttr(like, p->c->dtype) : NULL;
        PyObject *zeros = dtype ? PyObject_CallFunctionObjArgs(p->c->zeros_beside, beside, shape, dtype, NULL) : NULL;
        Py_XDECREF(dtype);
        Py_XDECREF(shape);
        if (!zeros) return false;
        PyTuple_SET_ITEM(p->g, i, zeros);
    }
    return true;
}

/* Takes the cotangents of the fields of a tuple or list of results. PULLED: they are p->g, which is empty if no field has
 * received anything; NOT_HERE: they are left where they were. */
static Pulling receive_several(Pull *p, uint64_t birth) {
    PyObject *likes = p->applied->result;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(likes);
    const size_t room = (size_t)(count + 1) * sizeof(Value);
    p->g = PyTuple_New(count);
    Value *taken = p->g ? heap_allocate(p->heap, room) : NULL;
    bool done = taken != NULL;
    Py_ssize_t reached = 0;
    for (; done && reached < count; reached++) {
        taken[reached] = of_real(0.0);
        if (has_derivative(p, PySequence_Fast_GET_ITEM(likes, reached)))
            taken[reached] = cotangent_take(p->cotangent, birth, reached), done = take_cotangent(p, reached, taken[reached]);
        else
            PyTuple_SET_ITEM(p->g, reached, Py_NewRef(Py_None));
    }
    for (Py_ssize_t i = 0; i < reached; i++) {
        if (done || (taken[i].tag == REAL && taken[i].real == 0.0)) drop(p->heap, taken[i]);
        else cotangent_give(p->cotangent, birth, i, taken[i]);
    }
    if (taken) heap_free(p->heap, taken, room);
    if (!done) return PyErr_Occurred() ? REFUSED : NOT_HERE;
    if (first_array(p)) return fill_in_zeros(p, likes) ? PULLED : REFUSED;
    Py_CLEAR(p->g);
    return PULLED;
}

/* Adding */

static bool add_real(Value *accumulator, PyObject *given) {
    PyObject *real = PyNumber_Float(given);
    if (!real) return false;
    accumulator->real += PyFloat_AS_DOUBLE(real);
    Py_DECREF(real);
    return true;
}

/* Moves the accumulator of the result to an operand that has none yet, with p->given, of the same form, as its array. */
static void move_accumulator(Pull *p, Value *accumulator) {
    PyObject *moved = python_in(*p->received), **form = slot_of(moved, p->c->accumulator_form);
    Py_SETREF(*slot_of(moved, p->c->accumulator_array), Py_NewRef(p->given));
    if (p->form_given != *form) Py_XSETREF(*form, Py_XNewRef(p->form_given));
    note_array(p->c, p->heap, p->given);
    *accumulator = *p->received;
    *p->received = of_real(0.0);
}

/* Returns whether p->given has the form of g, as far as that is seen at once. */
static bool is_formed_as_g(const Pull *p) {
    if (is_numpy(p->given)) return same_form(p->c, p->g, p->given);
    return p->form && p->form == p->form_given;
}

/* Adds a rule's result for an operand. is_last: no further operand's cotangent is computed of g. */
static bool add_given(Pull *p, Value *accumulator, PyObject *like, bool by_rule, bool is_last) {
    if (PyFloat_CheckExact(like)) return add_real(accumulator, p->given);
    if (Py_IS_TYPE(p->given, p->c->scattered)) return add_by_python(p, accumulator, p->given);
    if (by_rule && !same_shape(p->c, p->given, like)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a cotangent of an array has another shape");
        return false;
    }
    if (accumulator->tag != REAL) return add_contribution(p, accumulator, false);
    /* g is referred to by its accumulator, by p->g, and here by p->given */
    const bool hands_over = p->given == p->g && p->is_own && is_last && Py_REFCNT(p->g) == 3;
    const bool is_owned = hands_over || (by_rule ? is_new(p, p->given) : p->is_new);
    if (hands_over || (is_owned && is_last && p->is_own && is_formed_as_g(p))) {
        move_accumulator(p, accumulator);
        return true;
    }
    return add_contribution(p, accumulator, is_owned);
}

/* Rules */

/* Returns the functions of the library whose arrays are reversed, borrowed; NULL with an exception. */
static PyObject *library_functions(const Pull *p) {
    const Applied *applied = p->applied;
    PyObject *array = is_library_array(p->c, p->g) ? p->g : first_array(p);
    PyObject *found = array ? array_namespace(p->c, &array, 1) : array_namespace(p->c, applied->operands, Py_SIZE(applied));
    if (!found) PyErr_SetString(PyExc_SystemError, "arrays of two libraries in one pullback");
    return found;
}

static PyObject *result_of(const Applied *applied) { return applied->result ? applied->result : Py_None; }

/* Returns the rule of an operand, a new reference; NULL with an exception. */
static PyObject *rule_of(Pull *p, Py_ssize_t position) {
    PyObject *plan = p->applied->plan, *record = *slot_of(plan, p->c->plan_record);
    if (PyLong_AsLongLong(*slot_of(plan, p->c->plan_flags)) & VARIADIC) {
        PyObject *number = PyLong_FromSsize_t(position);
        PyObject *found = number ? PyObject_CallMethodOneArg(record, p->c->vjp, number) : NULL;
        Py_XDECREF(number);
        return found;
    }
    if (!p->rules) p->rules = PyObject_GetAttr(record, p->c->vjps);
    return p->rules ? Py_NewRef(PyTuple_GET_ITEM(p->rules, position)) : NULL;
}

/* Calls the rule of an operand. */
static PyObject *called_rule(Pull *p, Py_ssize_t position) {
    const Applied *applied = p->applied;
    const Py_ssize_t count = Py_SIZE(applied);
    PyObject *arguments[MOST_OPERANDS + 3] = {library_functions(p), p->g, result_of(applied)};
    for (Py_ssize_t i = 0; i < count; i++) arguments[i + 3] = applied->operands[i];
    if (!arguments[0]) return NULL;
    PyObject *rule = rule_of(p, position);
    PyObject *found = rule ? PyObject_Vectorcall(rule, arguments, count + 3, NULL) : NULL;
    Py_XDECREF(rule);
    return found;
}

/* Calls the rule of a record that reverses its operands together: stores a tuple or list of their cotangents. */
static bool call_pull(Pull *p) {
    const Applied *applied = p->applied;
    const Py_ssize_t count = Py_SIZE(applied);
    PyObject *wanted = wanted_of(applied), *saved = saved_in(applied) ? Py_NewRef(saved_in(applied)) : PyTuple_New(0);
    PyObject *arguments[MOST_OPERANDS + 5] = {library_functions(p), wanted, p->g, result_of(applied), saved};
    for (Py_ssize_t i = 0; i < count; i++) arguments[i + 5] = applied->operands[i];
    PyObject *found = NULL;
    if (saved && arguments[0])
        found = PyObject_Vectorcall(*slot_of(applied->plan, p->c->plan_pull), arguments, count + 5, NULL);
    Py_XDECREF(saved);
    p->rules = found ? PySequence_Fast(found, "cotangents are a sequence") : NULL;
    Py_XDECREF(found);
    if (p->rules && PySequence_Fast_GET_SIZE(p->rules) == PyTuple_GET_SIZE(wanted)) return true;
    if (p->rules) PyErr_SetString(PyExc_SystemError, "a record gives as many cotangents as are wanted");
    return false;
}

/* Returns the first operand with the same slot, which has the accumulator of all of them. */
static uint32_t first_like(const Pull *p, uint32_t position) {
    for (uint32_t i = 0; i < position; i++)
        if (p->operands[i].at == p->operands[position].at) return i;
    return position;
}

/* Returns the form of g and of all operands; NULL: not known. g is compared once, and noted to have it. */
static PyObject *common_form(Pull *p) {
    PyObject *form = form_in(p->applied);
    if (!form || form == p->form) return form;
    if (!is_library_array(p->c, p->g) || !same_noted_form(p->c, &p->forms, p->g, form)) return NULL;
    Py_XSETREF(p->form, Py_NewRef(form));
    return form;
}

/* Adds the cotangents of the numbers in an operand. */
static bool pull_parts(Pull *p, int64_t operator, Py_ssize_t position) {
    const Pulling pulled = operator == ARRAY_OPERATOR ? give_elements(p, position) : NOT_HERE;
    if (pulled != NOT_HERE) return pulled == PULLED;
    PyObject *found = called_rule(p, position);
    const bool done = found && give_parts(p, position, found);
    Py_XDECREF(found);
    return done;
}

static bool pull_one(Pull *p, int64_t operator, Py_ssize_t position, bool is_last) {
    const Applied *applied = p->applied;
    if (births_of_parts(applied, position)) return pull_parts(p, operator, position);
    Value *accumulator = &p->accumulators[first_like(p, (uint32_t)position)];
    const Pulling pulled = pull_scalar(p, operator, position, accumulator);
    if (pulled != NOT_HERE) return pulled == PULLED;
    const Reversed r = {.c = p->c, .g = p->g, .result = applied->result, .operands = applied->operands,
                        .count = Py_SIZE(applied), .forms = &p->forms, .form = common_form(p),
                        .disposable = p->is_own && is_last && Py_REFCNT(p->g) == 2};
    const Given given = operator_cotangent(operator, &r, position);
    p->given = given.array;
    p->form_given = given.array ? given.form : NULL;
    p->is_new = given.is_new;
    const bool by_rule = !p->given;
    if (by_rule) p->given = called_rule(p, position);
    if (!p->given) return false;
    const bool done = add_given(p, accumulator, applied->operands[position], by_rule, is_last);
    Py_CLEAR(p->given);
    return done;
}

static void share_accumulators(const Pull *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t first = p->operands[i].at == NO_REGISTER ? i : first_like(p, i);
        if (first == i) continue;
        drop(p->heap, p->accumulators[i]);
        p->accumulators[i] = copied(p->accumulators[first]);
    }
}

/* Adds the cotangents that a record gives together, the last operand's first. */
static bool pull_together(Pull *p) {
    PyObject *wanted = wanted_of(p->applied);
    bool done = call_pull(p);
    for (Py_ssize_t i = PyTuple_GET_SIZE(wanted); done && i-- > 0;) {
        const Py_ssize_t position = PyLong_AsSsize_t(PyTuple_GET_ITEM(wanted, i));
        if (births_of_parts(p->applied, position)) {
            done = give_parts(p, position, PySequence_Fast_GET_ITEM(p->rules, i));
            continue;
        }
        Value *accumulator = &p->accumulators[first_like(p, (uint32_t)position)];
        p->given = Py_NewRef(PySequence_Fast_GET_ITEM(p->rules, i));
        done = add_given(p, accumulator, p->applied->operands[position], true, false);
        Py_CLEAR(p->given);
    }
    share_accumulators(p);
    return done;
}

static bool pull_all(Pull *p) {
    if (*slot_of(p->applied->plan, p->c->plan_pull) != Py_None) return pull_together(p);
    PyObject *wanted = wanted_of(p->applied);
    const int64_t operator = PyLong_AsLongLong(*slot_of(p->applied->plan, p->c->plan_operator));
    bool done = true;
    for (Py_ssize_t i = PyTuple_GET_SIZE(wanted); done && i-- > 0;)
        done = pull_one(p, operator, PyLong_AsSsize_t(PyTuple_GET_ITEM(wanted, i)), i == 0);
    share_accumulators(p);
    return done;
}

static bool are_known(const Value *accumulators, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const Kind kind = kind_of(accumulators[i]);
        if (kind != REAL && kind != FOREIGN && kind != NOTHING) return false;
    }
    return true;
}

Pulling array_reverse(Pull *p, Cotangent *cotangent, const Step *step, PyObject *origin, Value *received,
                      Value *accumulators, uint32_t count) {
    const ArrayClasses *c = array_classes();
    if (!c) forget_exception();
    if (c && origin == c->idle) return PULLED;
    if (!c) return NOT_HERE;
    const bool applied = is_applied(origin);
    const uint64_t birth = applied ? birth_of_result((const Applied *)origin) : 0;
    if (applied && !birth && received->tag == REAL && received->real == 0.0) return PULLED;
    *p = (Pull){.c = c, .heap = cotangent->heap, .cotangent = cotangent, .applied = (const Applied *)origin, .received = received,
                .operands = step->operands, .accumulators = accumulators, .count = count};
    if (!applied) return element_reverse(p, cotangent, origin, received, accumulators, count);
    if (!are_known(accumulators, count)) return NOT_HERE;
    if (birth) {
        const Pulling taken = receive_several(p, birth);
        if (taken != PULLED || !p->g) return taken;
    } else if (!receive(p)) {
        return NOT_HERE;
    }
    return pull_all(p) ? PULLED : REFUSED;
}
