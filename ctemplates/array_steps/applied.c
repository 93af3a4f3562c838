/* What a tape keeps of an application of a function of arrays: see applied.h. */
#include "array_steps/applied.h"

#include "array_steps/operand_forms.h"
#include "array_steps/operand_parts.h"
#include "arrays/forms.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "tasks/plan_flags.h"

/* The type */

static void destroy(PyObject *object);

#define TYPE(NAME)                                                                                             \
    {                                                                                                          \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = NAME, .tp_basicsize = sizeof(Applied),                        \
        .tp_itemsize = sizeof(PyObject *), .tp_dealloc = destroy, .tp_flags = Py_TPFLAGS_DEFAULT,              \
    }
static PyTypeObject applied_type = TYPE("checkpoint.ctarget.Applied");
static PyTypeObject saving_type = TYPE("checkpoint.ctarget.Saving"); /* there is a place behind the operands */
static PyTypeObject formed_type = TYPE("checkpoint.ctarget.Formed"); /* likewise */
static PyTypeObject parted_type = TYPE("checkpoint.ctarget.Parted"); /* there are two, the first one may be NULL */
static PyTypeObject several_type = TYPE("checkpoint.ctarget.Several"); /* there are three, the first two may be NULL */

bool is_applied(const PyObject *origin) {
    return Py_IS_TYPE(origin, &applied_type) || Py_IS_TYPE(origin, &saving_type) || Py_IS_TYPE(origin, &formed_type) ||
           Py_IS_TYPE(origin, &parted_type) || Py_IS_TYPE(origin, &several_type);
}

static bool has_several(const Applied *applied) { return Py_IS_TYPE(applied, &several_type); }

PyObject *saved_in(const Applied *applied) {
    const bool saves = Py_IS_TYPE(applied, &saving_type) || Py_IS_TYPE(applied, &parted_type) || has_several(applied);
    return saves ? applied->operands[Py_SIZE(applied)] : NULL;
}

static PyObject *births_in(const Applied *applied) {
    return Py_IS_TYPE(applied, &parted_type) || has_several(applied) ? applied->operands[Py_SIZE(applied) + 1] : NULL;
}

static PyObject *place_of_several(const Applied *applied) {
    return has_several(applied) ? applied->operands[Py_SIZE(applied) + 2] : NULL;
}

uint64_t birth_of_result(const Applied *applied) {
    PyObject *birth = place_of_several(applied);
    return birth ? PyLong_AsUnsignedLongLong(birth) : 0;
}

const uint64_t *births_of_parts(const Applied *applied, Py_ssize_t i) {
    return births_of_operand(births_in(applied), i);
}

PyObject *form_in(const Applied *applied) {
    return Py_IS_TYPE(applied, &formed_type) ? applied->operands[Py_SIZE(applied)] : NULL;
}

static void destroy(PyObject *object) {
    Applied *applied = (Applied *)object;
    Py_XDECREF(applied->plan);
    Py_XDECREF(applied->result);
    Py_XDECREF(form_in(applied));
    Py_XDECREF(saved_in(applied));
    Py_XDECREF(births_in(applied));
    Py_XDECREF(place_of_several(applied));
    for (Py_ssize_t i = 0; i < Py_SIZE(applied); i++) Py_XDECREF(applied->operands[i]);
    PyObject_Free(object);
}

/* Keeping */

/* Adds the bytes of the elements that an array's holder has. */
static bool add_bytes(const ArrayClasses *c, PyObject *array, PyObject *whole, int64_t *bytes) {
    if (is_numpy(whole)) {
        *bytes += count_of(whole) * dtype_of(whole)->size;
        return true;
    }
    if (PyDict_GetItemWithError(c->storages, (PyObject *)Py_TYPE(array))) {
        *bytes += storage_bytes(c, array, whole);
        return !PyErr_Occurred();
    }
    PyObject *found = PyObject_GetAttr(whole, c->nbytes);
    if (!found || !PyLong_Check(found)) { /* of NumPy's objects, few */
        forget_exception();
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
    return kept ? kept : PySequence_Contains(*slot_of(tape, c->tape_given), name);
}

/* Adds an array to a record: the memory that it views is counted once, if the tape counts. */
static bool keep_array(const ArrayClasses *c, PyObject *array, PyObject *tape, int64_t *bytes) {
    if (*slot_of(tape, c->tape_counts) == Py_False) return true;
    PyObject *whole = holder_of(c, array), *name = whole ? PyLong_FromVoidPtr(whole) : NULL;
    const int known = name ? is_counted_on(c, tape, name) : -1;
    bool done = known >= 0;
    if (known == 0) done = PySet_Add(*slot_of(tape, c->tape_kept), name) == 0 && add_bytes(c, array, whole, bytes);
    Py_XDECREF(name);
    Py_XDECREF(whole);
    return done;
}

/* Adds the arrays in a nest, of an operand or of what a record has saved, to the tape. */
static bool keep_saved(const ArrayClasses *c, PyObject *saved, PyObject *tape, int64_t *bytes) {
    if (!PyTuple_Check(saved) && !PyList_Check(saved))
        return !is_library_array(c, saved) || keep_array(c, saved, tape, bytes);
    bool done = Py_EnterRecursiveCall(" in what a record saves") == 0;
    if (!done) return false;
    for (Py_ssize_t i = 0; done && i < PySequence_Fast_GET_SIZE(saved); i++)
        done = keep_saved(c, PySequence_Fast_GET_ITEM(saved, i), tape, bytes);
    Py_LeaveRecursiveCall();
    return done;
}

/* Returns an operand as it is kept, a new reference. */
static PyObject *residual(const ArrayClasses *c, PyObject *plan, uint32_t i, const Natives *natives, bool is_read,
                          PyObject *tape, int64_t *bytes) {
    PyObject *native = natives->items[i + 1];
    if (natives->parts >> i & 1 && !is_read && is_nest(native)) return outline_of_parts(c, native, bytes);
    if (natives->parts >> i & 1) return keep_saved(c, native, tape, bytes) ? Py_NewRef(native) : NULL;
    if (is_scalar(native)) *bytes += (int64_t)sizeof(PyFloatObject);
    if (is_scalar(native) || !is_library_array(c, native)) return Py_NewRef(native);
    if (!is_read) return outline(c, plan, i, natives);
    return keep_array(c, native, tape, bytes) ? Py_NewRef(native) : NULL;
}

/* What is behind the operands of an Applied: what the record has saved, births of operands, that of the result, the form of all
 * operands; NULL where there is none. */
typedef struct Behind {
    PyObject *saved, *births, *several, *form;
} Behind;

/* Returns a new Applied without operands. */
static Applied *applied_to(PyObject *plan, PyObject *pulls, Py_ssize_t count, const Behind *behind) {
    PyObject *const places[] = {behind->saved, behind->births, behind->several};
    const int used = behind->several ? 3 : behind->births ? 2 : behind->saved ? 1 : 0;
    PyTypeObject *const types[] = {behind->form ? &formed_type : &applied_type, &saving_type, &parted_type, &several_type};
    PyTypeObject *type = types[used];
    if (!type->tp_dict && PyType_Ready(type) < 0) return NULL;
    Applied *made = PyObject_NewVar(Applied, type, count + (used ? used : behind->form != NULL));
    if (!made) return NULL;
    Py_SET_SIZE(made, count);
    for (int i = 0; i < used; i++) made->operands[count + i] = Py_XNewRef(places[i]);
    if (!used && behind->form) made->operands[count] = Py_NewRef(behind->form);
    made->plan = Py_NewRef(plan);
    made->pulls = pulls;
    made->result = NULL;
    for (Py_ssize_t i = 0; i < count; i++) made->operands[i] = NULL;
    return made;
}

uint64_t wanted_bits(const ArrayClasses *c, PyObject *plan, const Natives *natives) {
    return natives->numbers & (uint64_t)PyLong_AsLongLong(*slot_of(plan, c->plan_rules));
}

PyObject *pulls_for(const ArrayClasses *c, PyObject *plan, uint64_t wanted) {
    PyObject *last = *slot_of(plan, c->plan_last);
    if (PyTuple_Check(last) && PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(last, 3)) == wanted) return last;
    PyObject *bits = PyLong_FromUnsignedLongLong(wanted);
    PyObject *found = bits ? PyDict_GetItemWithError(*slot_of(plan, c->plan_pulls), bits) : NULL;
    if (bits && !found && !PyErr_Occurred()) {
        found = PyObject_CallFunctionObjArgs(c->pulls_of, plan, bits, NULL);
        Py_XDECREF(found); /* the plan owns it */
    }
    Py_XDECREF(bits);
    if (found) Py_SETREF(*slot_of(plan, c->plan_last), Py_NewRef(found));
    return found;
}

/* Returns the same for operands, of which some may have births. */
static Applied *new_applied(PyObject *plan, PyObject *pulls, const Natives *natives, PyObject *saved, bool has_births) {
    Behind behind = {.saved = saved, .form = natives->form};
    behind.births = has_births ? packed_births(natives) : NULL;
    behind.several = natives->result_birth ? PyLong_FromUnsignedLongLong(natives->result_birth) : NULL;
    const bool whole = (behind.births || !has_births) && (behind.several || !natives->result_birth);
    Applied *made = whole ? applied_to(plan, pulls, natives->count, &behind) : NULL;
    Py_XDECREF(behind.births);
    Py_XDECREF(behind.several);
    return made;
}

/* Keeps the result of an application, as far as rules read it; false: an exception is set. */
static bool keep_result(const ArrayClasses *c, Applied *made, PyObject *result, PyObject *tape, int64_t *bytes) {
    const bool is_read = (uint64_t)PyLong_AsLongLong(PyTuple_GET_ITEM(made->pulls, 2)) >> RESULT_BIT & 1;
    if (!is_read && !has_several(made)) return true;
    made->result = is_read ? Py_NewRef(result) : outline_of_parts(c, result, bytes);
    if (!is_read) return made->result != NULL;
    if (has_several(made)) return keep_saved(c, result, tape, bytes);
    return is_scalar(result) || !is_library_array(c, result) || keep_array(c, result, tape, bytes);
}

PyObject *array_origin(const ArrayClasses *c, PyObject *plan, const Natives *natives, PyObject *result, PyObject *saved,
                       bool is_number, PyObject *tape, int64_t *bytes) {
    const uint64_t wanted = wanted_bits(c, plan, natives);
    if (is_number && !wanted && natives->result_birth)
        return PyObject_CallFunction(c->unwanted_of, "KO", (unsigned long long)natives->result_birth, result);
    if (!is_number || !wanted) return Py_NewRef(c->idle);
    PyObject *pulls = pulls_for(c, plan, wanted);
    Applied *made = pulls ? new_applied(plan, pulls, natives, saved, natives->born & wanted) : NULL;
    if (!made) return NULL;
    const uint64_t read = (uint64_t)PyLong_AsLongLong(PyTuple_GET_ITEM(pulls, 2));
    const uint32_t places = natives->count + (form_in(made) != NULL);
    *bytes = (int64_t)(sizeof(Applied) + places * sizeof(PyObject *));
    bool done = true;
    for (uint32_t i = 0; done && i < natives->count; i++) {
        made->operands[i] = residual(c, plan, i, natives, read >> i & 1, tape, bytes);
        done = made->operands[i] != NULL;
    }
    if (done) done = keep_result(c, made, result, tape, bytes);
    if (done && saved) done = keep_saved(c, saved, tape, bytes);
    if (!done) Py_CLEAR(made);
    return (PyObject *)made;
}

PyObject *python_origin(const ArrayClasses *c, const Applied *applied) {
    PyObject *operands = PyList_New(Py_SIZE(applied));
    for (Py_ssize_t i = 0; operands && i < Py_SIZE(applied); i++)
        PyList_SET_ITEM(operands, i, Py_NewRef(applied->operands[i]));
    PyObject *result = applied->result ? applied->result : Py_None, *made = NULL;
    PyObject *saved = saved_in(applied) ? Py_NewRef(saved_in(applied)) : PyTuple_New(0);
    PyObject *births = births_in(applied) ? unpacked_births(births_in(applied), Py_SIZE(applied)) : PyTuple_New(0);
    PyObject *birth = PyLong_FromUnsignedLongLong(birth_of_result(applied));
    if (operands && saved && births && birth)
        made = PyObject_CallFunctionObjArgs(c->origin_of, applied->plan, applied->pulls, operands, result, saved, births, birth, NULL);
    Py_XDECREF(birth);
    Py_XDECREF(births);
    Py_XDECREF(saved);
    Py_XDECREF(operands);
    return made;
}

/* Operands in parts */

bool tapes_parts(const ArrayClasses *c, PyObject *plan, Natives *natives) {
    const uint64_t rules = (uint64_t)PyLong_AsLongLong(*slot_of(plan, c->plan_rules));
    const uint64_t wanted = natives->active & natives->parts & rules;
    if (wanted & ~natives->born) return false;
    natives->numbers |= wanted;
    const uint64_t bits = wanted_bits(c, plan, natives);
    return !bits || pulls_for(c, plan, bits);
}
