/* Origins of steps on arrays, and their reversal. An origin keeps the residuals that checkpoint.ad.pullbacks keeps; the
 * cotangents of operands are added as in checkpoint.ad.accumulators.
 */
#include "foreign/pulls.h"

#include "foreign/plan_flags.h"

#include <string.h>

/* Keeping */

/* Returns the residual of an array of which no rule reads an element. */
static PyObject *outline(const ArrayClasses *c, PyObject *data) {
    PyObject *made = new_instance(c->like);
    if (!made) return NULL;
    PyObject *shape = PyObject_GetAttr(data, c->shape);
    *slot_of(made, c->like_shape) = shape ? PySequence_Tuple(shape) : NULL;
    Py_XDECREF(shape);
    *slot_of(made, c->like_dtype) = PyObject_GetAttr(data, c->dtype);
    if (!*slot_of(made, c->like_shape) || !*slot_of(made, c->like_dtype)) Py_CLEAR(made);
    return made;
}

/* Adds the bytes of the elements that an array's holder has. */
static bool add_bytes(const ArrayClasses *c, PyObject *array, PyObject *whole, int64_t *bytes) {
    if (PyDict_GetItemWithError(c->storages, (PyObject *)Py_TYPE(array))) {
        *bytes += storage_bytes(c, array, whole);
        return !PyErr_Occurred();
    }
    PyObject *found = PyObject_GetAttr(whole, c->nbytes);
    if (!found || !PyLong_Check(found)) { /* of NumPy's objects, few */
        PyErr_Clear();
        Py_XDECREF(found);
        found = PyObject_CallOneArg(c->held_bytes, array);
    }
    *bytes += found ? PyLong_AsLongLong(found) : 0;
    Py_XDECREF(found);
    return !PyErr_Occurred();
}

/* Returns whether a tape has counted what holds an array's elements, or must not, as it is the caller's; -1 with an
 * exception. */
static int is_counted_on(const ArrayClasses *c, PyObject *tape, PyObject *name) {
    const int kept = PySet_Contains(*slot_of(tape, c->tape_kept), name);
    return kept ? kept : PySet_Contains(*slot_of(tape, c->tape_given), name);
}

/* Adds an array to a record: the memory that it views is counted once. */
static bool keep_array(const ArrayClasses *c, PyObject *array, PyObject *tape, int64_t *bytes) {
    PyObject *whole = holder_of(c, array), *name = whole ? PyLong_FromVoidPtr(whole) : NULL;
    const int known = name ? is_counted_on(c, tape, name) : -1;
    bool done = known >= 0;
    if (known == 0)
        done = PySet_Add(*slot_of(tape, c->tape_kept), name) == 0 && add_bytes(c, array, whole, bytes);
    Py_XDECREF(name);
    Py_XDECREF(whole);
    return done;
}

/* Returns the operands as residuals, as far as rules read them. */
static PyObject *kept_natives(const ArrayClasses *c, const Natives *natives, uint64_t read, PyObject *tape,
                              int64_t *bytes) {
    PyObject *list = PyList_New(natives->count);
    for (uint32_t i = 0; list && i < natives->count; i++) {
        PyObject *native = natives->items[i + 1], *item = NULL;
        const bool array = is_library_array(c, native);
        if (!array || (read >> i & 1)) {
            if (!array || keep_array(c, native, tape, bytes)) item = Py_NewRef(native);
        } else {
            item = outline(c, native);
        }
        if (!item)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, item);
    }
    return list;
}

static PyObject *pulls_for(const ArrayClasses *c, PyObject *plan, uint64_t wanted) {
    PyObject *bits = PyLong_FromUnsignedLongLong(wanted);
    PyObject *found = bits ? PyDict_GetItemWithError(*slot_of(plan, c->plan_pulls), bits) : NULL;
    if (bits && !found && !PyErr_Occurred()) {
        found = PyObject_CallFunctionObjArgs(c->pulls_of, plan, bits, NULL);
        Py_XDECREF(found); /* the plan owns it */
    }
    Py_XDECREF(bits);
    return found;
}

/* Returns a Pullback, with new references to its parts. */
static PyObject *pullback_of(const ArrayClasses *c, PyObject *plan, PyObject *wanted, PyObject *natives,
                             PyObject *result) {
    PyObject *made = new_instance(c->pullback), *saved = made ? PyTuple_New(0) : NULL;
    if (!saved) {
        Py_XDECREF(made);
        return NULL;
    }
    *slot_of(made, c->pullback_record) = Py_NewRef(*slot_of(plan, c->plan_record));
    *slot_of(made, c->pullback_wanted) = Py_NewRef(wanted);
    *slot_of(made, c->pullback_form) = Py_NewRef(Py_None);
    *slot_of(made, c->pullback_natives) = Py_NewRef(natives);
    *slot_of(made, c->pullback_result) = Py_NewRef(result);
    *slot_of(made, c->pullback_saved) = saved;
    return made;
}

static PyObject *pulled_of(const ArrayClasses *c, PyObject *pullback, PyObject *places) {
    PyObject *made = pullback ? new_instance(c->pulled) : NULL;
    if (!made) {
        Py_XDECREF(pullback);
        return NULL;
    }
    *slot_of(made, c->pulled_pullback) = pullback;
    *slot_of(made, c->pulled_places) = Py_NewRef(places);
    *slot_of(made, c->pulled_results) = Py_NewRef(Py_None);
    *slot_of(made, c->pulled_is_simple) = Py_NewRef(Py_True);
    return made;
}

PyObject *array_origin(const ArrayClasses *c, PyObject *plan, const Natives *natives, PyObject *result, bool is_number,
                       PyObject *tape, int64_t *bytes) {
    const uint64_t wanted = natives->numbers & (uint64_t)PyLong_AsLongLong(*slot_of(plan, c->plan_rules));
    if (!is_number || !wanted) return Py_NewRef(c->idle);
    PyObject *pulls = pulls_for(c, plan, wanted);
    if (!pulls) return NULL;
    const uint64_t read = (uint64_t)PyLong_AsLongLong(PyTuple_GET_ITEM(pulls, 2));
    *bytes = PyLong_AsLongLong(c->pull_bytes);
    PyObject *list = kept_natives(c, natives, read, tape, bytes), *made = NULL;
    PyObject *result_kept = read >> RESULT_BIT & 1 ? result : Py_None;
    const bool whole = list && (!is_library_array(c, result_kept) || keep_array(c, result_kept, tape, bytes));
    if (whole) made = pullback_of(c, plan, PyTuple_GET_ITEM(pulls, 0), list, result_kept);
    Py_XDECREF(list);
    return pulled_of(c, made, PyTuple_GET_ITEM(pulls, 1));
}

/* Reversing */

/* Returns whether nothing else refers to the elements of a rule's result. */
static bool is_new(const Pull *p, PyObject *given, PyObject *shape) {
    if (PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) == 0) return false;
    if (given == p->g || given == p->result || is_view(p->c, given)) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(p->natives); i++)
        if (PyList_GET_ITEM(p->natives, i) == given) return false;
    return true;
}

/* Returns a rule's result for an array, as an Accumulator to add; NULL with an exception, or without one if the shapes
 * differ. */
static PyObject *contribution_of(const Pull *p, PyObject *given, PyObject *like) {
    const ArrayClasses *c = p->c;
    PyObject *shape = PyObject_GetAttr(given, c->shape), *made = NULL;
    PyObject *other = shape ? PyObject_GetAttr(like, c->shape) : NULL;
    if (other && PyObject_RichCompareBool(shape, other, Py_EQ) == 1) made = new_instance(c->accumulator);
    if (made) {
        *slot_of(made, c->accumulator_array) = Py_NewRef(given);
        *slot_of(made, c->accumulator_owned) = Py_NewRef(is_new(p, given, shape) ? Py_True : Py_False);
    }
    Py_XDECREF(shape);
    Py_XDECREF(other);
    return made;
}

/* Adds a contribution to an accumulator. */
static bool add_contribution(Pull *p, Value *accumulator, PyObject *contribution) {
    const ArrayClasses *c = p->c;
    PyObject *sum;
    if (accumulator->tag == REAL && Py_IS_TYPE(contribution, c->accumulator)) {
        sum = Py_NewRef(contribution);
    } else if (accumulator->tag == REAL) {
        PyObject *zero = PyFloat_FromDouble(accumulator->real);
        sum = zero ? PyNumber_Add(zero, contribution) : NULL;
        Py_XDECREF(zero);
    } else {
        PyObject *old = ((Foreign *)accumulator->object)->python;
        if (Py_IS_TYPE(old, c->accumulator) && Py_IS_TYPE(contribution, c->accumulator))
            return add_accumulator(c, p->heap, old, contribution);
        sum = PyNumber_Add(old, contribution);
        if (sum == old) {
            Py_DECREF(sum);
            return true;
        }
    }
    if (!sum) return false;
    p->sum = sum;
    const Value made = new_foreign(p->heap, sum, false);
    p->sum = NULL;
    drop(p->heap, *accumulator);
    *accumulator = made;
    return true;
}

static bool add_given(Pull *p, Value *accumulator, PyObject *given, PyObject *like) {
    if (PyFloat_CheckExact(like)) {
        PyObject *real = PyNumber_Float(given);
        if (!real) return false;
        accumulator->real += PyFloat_AS_DOUBLE(real);
        Py_DECREF(real);
        return true;
    }
    if (Py_IS_TYPE(given, p->c->scattered)) return add_contribution(p, accumulator, given);
    p->contribution = contribution_of(p, given, like);
    if (!p->contribution) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a cotangent of an array has another shape");
        return false;
    }
    const bool done = add_contribution(p, accumulator, p->contribution);
    Py_CLEAR(p->contribution);
    return done;
}

/* Returns the first operand with the same slot, which has the accumulator of all of them. */
static uint32_t first_like(const Pull *p, uint32_t position) {
    for (uint32_t i = 0; i < position; i++)
        if (p->operands[i].at == p->operands[position].at) return i;
    return position;
}

static bool pull_one(Pull *p, PyObject *rule, PyObject *const *arguments, uint32_t position) {
    p->given = operator_cotangent(p->c, p->operator, p->g, p->natives, (Py_ssize_t)position);
    if (!p->given)
        p->given = PyObject_Vectorcall(rule, arguments, (size_t)PyList_GET_SIZE(p->natives) + 3, NULL);
    if (!p->given) return false;
    PyObject *like = PyList_GET_ITEM(p->natives, (Py_ssize_t)position);
    const bool done = add_given(p, &p->accumulators[first_like(p, position)], p->given, like);
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

static bool pull_all(Pull *p, PyObject *wanted) {
    PyObject *arguments[MOST_OPERANDS + 4] = {NULL, p->g, p->result};
    const Py_ssize_t count = PyList_GET_SIZE(p->natives);
    for (Py_ssize_t i = 0; i < count; i++) arguments[i + 3] = PyList_GET_ITEM(p->natives, i);
    arguments[0] = is_library_array(p->c, p->g) ? array_namespace(p->c, &p->g, 1)
                                                : array_namespace(p->c, arguments + 3, count);
    if (!arguments[0]) {
        PyErr_SetString(PyExc_SystemError, "arrays of two libraries in one pullback");
        return false;
    }
    p->operator = operator_of(p->c, p->record);
    p->rules = PyObject_GetAttr(p->record, p->c->vjps);
    bool done = p->rules != NULL;
    for (Py_ssize_t i = PyTuple_GET_SIZE(wanted); done && i-- > 0;) {
        const uint32_t position = (uint32_t)PyLong_AsLong(PyTuple_GET_ITEM(wanted, i));
        done = pull_one(p, PyTuple_GET_ITEM(p->rules, position), arguments, position);
    }
    share_accumulators(p);
    return done;
}

/* Returns the cotangent of the result in the form that rules take, a new reference; NULL: of a kind that C does not
 * handle. */
static PyObject *received_array(const ArrayClasses *c, Value received) {
    if (received.tag == REAL) return PyFloat_FromDouble(received.real);
    PyObject *python = kind_of(received) == FOREIGN ? ((Foreign *)received.object)->python : NULL;
    return python && Py_IS_TYPE(python, c->accumulator) ? Py_XNewRef(*slot_of(python, c->accumulator_array)) : NULL;
}

static bool are_known(const Value *accumulators, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const Kind kind = kind_of(accumulators[i]);
        if (kind != REAL && kind != FOREIGN && kind != NOTHING) return false;
    }
    return true;
}

void pull_end(Pull *p) {
    Py_CLEAR(p->g);
    Py_CLEAR(p->rules);
    Py_CLEAR(p->given);
    Py_CLEAR(p->contribution);
    Py_CLEAR(p->sum);
}

Pulling array_reverse(Pull *p, Heap *heap, const Step *step, PyObject *origin, Value received,
                      Value *accumulators, uint32_t count) {
    const ArrayClasses *c = array_classes();
    if (!c) PyErr_Clear();
    if (!c || !Py_IS_TYPE(origin, c->pulled) || *slot_of(origin, c->pulled_is_simple) != Py_True) return NOT_HERE;
    if (received.tag == REAL && received.real == 0.0) return PULLED;
    PyObject *pullback = *slot_of(origin, c->pulled_pullback);
    *p = (Pull){.c = c, .heap = heap, .operands = step->operands, .accumulators = accumulators, .count = count};
    p->record = *slot_of(pullback, c->pullback_record);
    p->natives = *slot_of(pullback, c->pullback_natives);
    p->result = *slot_of(pullback, c->pullback_result);
    if (!are_known(accumulators, count) || PyList_GET_SIZE(p->natives) > MOST_OPERANDS) return NOT_HERE;
    p->g = received_array(c, received);
    if (!p->g) return NOT_HERE;
    return pull_all(p, *slot_of(pullback, c->pullback_wanted)) ? PULLED : REFUSED;
}
