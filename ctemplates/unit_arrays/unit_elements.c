/* Single elements of arrays in translated code: see unit_elements.h. */
#include "unit_arrays/unit_elements.h"

#include "unit_arrays/unit_reading.h"
#include "arrays/accumulators.h"
#include "arrays/handles.h"
#include "bridge/guard.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"
#include "program/value.h"
#include "tasks/plans.h"

/* Making: within `guarded`, which ends the run where memory has run out. */

typedef struct Making {
    Machine *m;
    Heap *heap;
    ElementSums *sums;
    Value given; /* a handle */
    int64_t at;  /* a number of steps */
    double x;
    PyObject *made;
    Value value;
} Making;

static void clean_making(void *arguments) {
    Making *making = arguments;
    Py_CLEAR(making->made);
    forget_exception();
}

/* Makes the object that was made the value. */
static void finish(Making *making) {
    making->value = new_foreign(making->heap, making->made, false);
    making->made = NULL;
}

/* Calls a body, and returns the value that it has made; ends the run if it has made none. */
static Value made_by(Work body, Making *making) {
    making->value = nothing();
    guarded(making->heap, body, clean_making, making);
    if (making->value.tag == NOTHING) heap_exhausted(making->heap);
    return making->value;
}

static void make_scalar(void *arguments) {
    Making *making = arguments;
    const ArrayClasses *c = known_array_classes();
    PyObject *machine = machine_of(making->m), *data = machine ? new_scalar(making->x) : NULL;
    PyObject *memory = data ? new_memory(c, *slot_of(machine, c->machine_owner), false) : NULL;
    making->made = memory ? new_array(c, c->array, data, memory, NULL) : NULL;
    Py_XDECREF(data);
    if (making->made) finish(making);
}

static Value scalar(Machine *m, double x) { return made_by(make_scalar, &(Making){.m = m, .heap = m->heap, .x = x}); }

static void make_accumulator(void *arguments) {
    Making *making = arguments;
    const ArrayClasses *c = known_array_classes();
    making->made = new_handle(c, c->accumulator);
    PyObject *sum = making->made ? new_scalar(making->x) : NULL;
    if (!sum) return;
    *slot_of(making->made, c->accumulator_array) = sum;
    *slot_of(making->made, c->accumulator_owned) = Py_NewRef(Py_False);
    finish(making);
}

static Value scalar_accumulator(Cotangent *c, double x) {
    c->mixed = true;
    return made_by(make_accumulator, &(Making){.heap = c->heap, .x = x});
}

/* Reads an accumulator whose sum is no scalar of NumPy's. */
static void read_sum(void *arguments) {
    Making *making = arguments;
    PyObject *array = PyObject_GetAttrString(((const Foreign *)making->value.object)->python, "array");
    PyObject *real = array ? PyNumber_Float(array) : NULL;
    Py_XDECREF(array);
    if (!real) return;
    making->x = PyFloat_AS_DOUBLE(real);
    making->made = real;
}

static double take_scalar(Cotangent *c, Value accumulator) {
    PyObject *python = accumulator_in(known_array_classes(), accumulator);
    PyObject *sum = python ? *slot_of(python, known_array_classes()->accumulator_array) : NULL;
    Making making = {.heap = c->heap, .value = accumulator};
    if (!sum || !only_element(sum, &making.x)) guarded(c->heap, read_sum, clean_making, &making);
    drop(c->heap, accumulator);
    return making.x;
}

/* Changes */

/* Returns the Python machine of a run, if it has been made. */
static PyObject *owner_of(const Machine *m) {
    return m->python ? *slot_of(m->python, known_array_classes()->machine_owner) : NULL;
}

static bool may_set(const Machine *m, Value v) {
    PyObject *data = data_in(v), *owner = owner_of(m);
    if (!data || !owner || !(numpy_of(data)->flags & WRITEABLE)) return false;
    return *slot_of(memory_of(known_array_classes(), python_of(v)), classes()->storage_owner) == owner;
}

static bool share(Value a, Value b) {
    const ArrayClasses *c = known_array_classes();
    return memory_of(c, python_of(a)) == memory_of(c, python_of(b));
}

/* Returns whether nobody else has the handle, or its memory, and it is what the one after a change is. */
static bool stays(const Machine *m, Value v) {
    const ArrayClasses *c = known_array_classes();
    PyObject *handle = python_of(v), *memory = memory_of(c, handle);
    const bool is_alone = v.object->count == 1 && Py_REFCNT(handle) == 1 && Py_REFCNT(memory) == 1;
    const bool is_transient = !m->tape || *slot_of(memory, c->memory_transient) == Py_True;
    return is_alone && is_transient && *slot_of(memory, c->memory_constant) == Py_False &&
           *slot_of(memory, classes()->storage_stale) == classes()->never;
}

/* Makes the handle after a change, and the old one stale. */
static void make_changed(void *arguments) {
    Making *making = arguments;
    const ArrayClasses *c = known_array_classes();
    PyObject *handle = python_of(making->given), *memory = memory_of(c, handle);
    PyObject *stale = PyLong_FromLongLong(making->at + 1), *own = stale ? new_memory(c, owner_of(making->m), false) : NULL;
    if (own && making->m->tape) Py_SETREF(*slot_of(own, c->memory_transient), Py_NewRef(Py_True));
    if (own) making->made = new_array(c, c->array, *slot_of(handle, c->array_data), own, NULL);
    if (making->made)
        Py_SETREF(*slot_of(memory, classes()->storage_stale), stale);
    else
        Py_XDECREF(stale);
    if (making->made) finish(making);
}

static bool is_held(const Tape *tape, const PyObject *data) {
    enum { LOOKED_AT = 8 };
    for (size_t i = tape->held_count, n = 0; i-- > 0 && n < LOOKED_AT; n++)
        if (python_of(tape->held[i]) == data) return true;
    return false;
}

static void make_held(void *arguments) {
    Making *making = arguments;
    making->made = Py_NewRef(data_in(making->given));
    finish(making);
}

static Value changed(Machine *m, Value v, int64_t steps, int64_t data) {
    Making making = {.m = m, .heap = m->heap, .given = v, .at = steps};
    (void)data;
    if (m->tape && !is_held(m->tape, data_in(v))) tape_hold(m->tape, made_by(make_held, &making));
    if (LIKELY(stays(m, v))) return v;
    const Value made = made_by(make_changed, &making);
    drop(m->heap, v);
    return made;
}

/* Returns the list in which a reversal of a kept tape notes what it has put back, borrowed; NULL: the tape is used up. */
static PyObject *list_of_undone(const Cotangent *cotangent) {
    const ArrayClasses *c = known_array_classes();
    PyObject *helper = cotangent->helper;
    if (!helper || !Py_IS_TYPE(helper, c->reverser)) return NULL;
    PyObject *python = *slot_of(helper, c->reverser_cotangent);
    PyObject *undone = python && Py_IS_TYPE(python, c->pulled) ? *slot_of(python, c->pulled_undone) : NULL;
    return undone && PyList_Check(undone) ? undone : NULL;
}

typedef struct Undoing {
    const Tape *tape;
    PyObject *undone, *made;
    const ElementView *view;
    const int64_t *at;
    double before;
    bool done;
} Undoing;

static void clean_undoing(void *arguments) {
    Undoing *undoing = arguments;
    Py_CLEAR(undoing->made);
    forget_exception();
}

/* Returns the array that a tape keeps whose elements are read so, borrowed. */
static PyObject *held_array(const Tape *tape, const ElementView *view) {
    for (size_t i = tape->held_count; i-- > 0;) {
        PyObject *data = python_of(tape->held[i]);
        const NumpyArray *array = numpy_of(data);
        bool same = (int64_t)(intptr_t)array->data == view->data;
        for (int k = 0; same && k < array->axes; k++)
            same = array->shape[k] == view->sizes[k] && array->strides[k] == view->strides[k];
        if (same) return data;
    }
    return NULL;
}

/* Notes what has been put back, so that it is set again later. */
static void note_undone(void *arguments) {
    Undoing *undoing = arguments;
    const ArrayClasses *c = known_array_classes();
    PyObject *data = held_array(undoing->tape, undoing->view);
    PyObject *made = undoing->made = data ? new_untracked(c->written) : NULL;
    if (!made) return;
    *slot_of(made, c->written_data) = Py_NewRef(data);
    *slot_of(made, c->written_old) = PyFloat_FromDouble(undoing->before);
    *slot_of(made, c->written_index) = numpy_of(data)->axes == 1
                                           ? PyLong_FromLongLong(undoing->at[0])
                                           : Py_BuildValue("(LL)", (long long)undoing->at[0], (long long)undoing->at[1]);
    undoing->done = *slot_of(made, c->written_old) && *slot_of(made, c->written_index) && PyList_Append(undoing->undone, made) == 0;
}

static void put_back(Cotangent *c, const ElementView *view, const int64_t *at, double old) {
    double *place = (double *)(intptr_t)(view->data + at[0] * view->strides[0] + at[1] * view->strides[1]);
    PyObject *undone = list_of_undone(c);
    Undoing undoing = {.tape = c->tape, .undone = undone, .view = view, .at = at, .before = *place};
    *place = old;
    if (LIKELY(!undone)) return;
    guarded(c->heap, note_undone, clean_undoing, &undoing);
    if (!undoing.done) heap_exhausted(c->heap);
}

/* Sums */

enum { SMALL = 1024 }; /* elements of an array whose accumulator is never sparse */

static void open_sums(ElementSums *sums) {
    const ArrayClasses *c = known_array_classes();
    const int wanted = C_CONTIGUOUS | ALIGNED | WRITEABLE;
    PyObject *python = accumulator_in(c, sums->whole);
    PyObject *array = python ? *slot_of(python, c->accumulator_array) : NULL;
    sums->reals = NULL;
    if (!array || *slot_of(python, c->accumulator_owned) != Py_True || !is_plain_array(array)) return;
    if ((numpy_of(array)->flags & wanted) == wanted) sums->reals = doubles_of(array);
}

/* Returns the index of an element, a new reference: as that of a sparse Accumulator. */
static PyObject *index_of(const ElementSums *sums, int64_t at) {
    if (sums->axes == 1) return PyLong_FromLongLong(at);
    return Py_BuildValue("(LL)", (long long)(at / sums->sizes[1]), (long long)(at % sums->sizes[1]));
}

/* Returns an array of the sizes that costs one element, a new reference. */
static PyObject *array_like(const ElementSums *sums) {
    const Py_ssize_t none[ELEMENT_AXES] = {0, 0}, one = 1;
    PyObject *element = zeros_of_doubles(1, &one);
    PyObject *made = element ? view_of(element, sums->axes, (const Py_ssize_t *)sums->sizes, none) : NULL;
    Py_XDECREF(element);
    return made;
}

static int64_t size_of(const ElementSums *sums) { return sums->axes == 1 ? sums->sizes[0] : sums->sizes[0] * sums->sizes[1]; }

/* Makes the accumulator of a small array, with all of its elements: those of larger ones are sparse at first. */
static PyObject *dense_accumulator(const ArrayClasses *c, const ElementSums *sums) {
    PyObject *zeros = zeros_of_doubles(sums->axes, (const Py_ssize_t *)sums->sizes);
    PyObject *made = zeros ? new_handle(c, c->accumulator) : NULL;
    if (!made) {
        Py_XDECREF(zeros);
        return NULL;
    }
    *slot_of(made, c->accumulator_array) = zeros;
    *slot_of(made, c->accumulator_owned) = Py_NewRef(Py_True);
    return made;
}

/* Adds what an element has received to an Accumulator, which is made if there is none yet. */
static bool add_one(const ArrayClasses *c, PyObject **accumulator, const ElementSums *sums, ElementSum one) {
    PyObject *index = index_of(sums, one.at);
    bool done = index != NULL;
    if (done && *accumulator) {
        done = add_to_element(c, *accumulator, index, one.sum);
    } else if (done) {
        PyObject *like = array_like(sums);
        *accumulator = like ? accumulator_of_element(c, like, index, one.sum) : NULL;
        Py_XDECREF(like);
        done = *accumulator != NULL;
    }
    Py_XDECREF(index);
    return done;
}

/* Makes an accumulator of `few`. */
static void make_few(void *arguments) {
    Making *making = arguments;
    const ElementSums *sums = making->sums;
    const ArrayClasses *c = known_array_classes();
    if (size_of(sums) <= SMALL && !(making->made = dense_accumulator(c, sums))) return;
    for (int i = 0; i < sums->count; i++)
        if (!add_one(c, &making->made, sums, sums->few[i])) return;
    finish(making);
}

/* Adds `few` to the whole, one after another, as far as C can; `few` keeps the others. */
static void add_few(void *arguments) {
    Making *making = arguments;
    ElementSums *sums = making->sums;
    PyObject *whole = accumulator_in(known_array_classes(), sums->whole);
    while (whole && sums->count && add_one(known_array_classes(), &whole, sums, sums->few[sums->count - 1])) sums->count--;
}

static void fold(Cotangent *c, ElementSums *sums) {
    if (sums->whole.tag != REAL) guarded(c->heap, add_few, clean_making, &(Making){.heap = c->heap, .sums = sums});
    if (sums->count) accumulate(c->heap, &sums->whole, made_by(make_few, &(Making){.heap = c->heap, .sums = sums}));
    sums->count = 0;
    open_sums(sums);
    c->mixed = true;
}

/* Gives a whole that is sparse, or another's, an array of its own. */
static void spread_whole(void *arguments) {
    Making *making = arguments;
    PyObject *python = accumulator_in(known_array_classes(), making->sums->whole);
    PyObject *array = python ? PyObject_GetAttrString(python, "array") : NULL, *none = NULL;
    if (array) none = PyObject_CallMethod(python, "own", NULL);
    Py_XDECREF(array);
    making->made = none;
}

static double take_element(Cotangent *c, ElementSums *sums, int64_t at) {
    Making making = {.heap = c->heap, .sums = sums};
    guarded(c->heap, spread_whole, clean_making, &making);
    open_sums(sums);
    if (!sums->reals) heap_exhausted(c->heap);
    const double received = sums->reals[at];
    sums->reals[at] = 0.0;
    return received;
}

const ElementHooks ELEMENT_HOOKS = {
    .open_scalar = open_scalar,
    .open_array = open_array,
    .may_set = may_set,
    .share = share,
    .changed = changed,
    .is_whole_row = is_whole_row,
    .is_truth_row = is_truth_row,
    .whole_at = whole_at,
    .find_loop = find_loop,
    .put_back = put_back,
    .take_element = take_element,
    .scalar = scalar,
    .take_scalar = take_scalar,
    .scalar_accumulator = scalar_accumulator,
    .fold = fold,
    .open_sums = open_sums,
};
