/* Sums of accumulators that are not reals: see accumulators.h. */
#include "arrays/accumulators.h"

#include "arrays/forms.h"
#include "arrays/handles.h"
#include "arrays/storage_table.h"
#include "bridge/guard.h"
#include "bridge/passage_export.h"
#include "bridge/passage_import.h"
#include "memory/exceptions.h"
#include "numpy/columns.h"
#include "numpy/elements.h"
#include "numpy/kernels.h"

PyObject *form_of_accumulator(const ArrayClasses *c, PyObject *accumulator) {
    PyObject *form = *slot_of(accumulator, c->accumulator_form);
    return form && Py_IS_TYPE(form, c->like) ? form : NULL;
}

bool add_to_accumulator(const ArrayClasses *c, const Heap *heap, PyObject *accumulator, PyObject *array,
                        const PyObject *form) {
    PyObject **sum = slot_of(accumulator, c->accumulator_array), **is_owned = slot_of(accumulator, c->accumulator_owned);
    PyObject *made = *is_owned == Py_True ? sum_in_place(*sum, array) : sum_of(*sum, array);
    if (!made) return false;
    Py_SETREF(*sum, made);
    if (*is_owned == Py_True) return true;
    if (form_of_accumulator(c, accumulator) != form) Py_CLEAR(*slot_of(accumulator, c->accumulator_form));
    note_array(c, heap, made);
    const Py_ssize_t axes = axes_of(c, made);
    Py_SETREF(*is_owned, Py_NewRef(axes > 0 ? Py_True : Py_False));
    return axes >= 0;
}

/* Sparse accumulators */

/* As those of checkpoint.ad.accumulators. */
enum { LARGE = 16, FEWER = 4, MANY_ROWS = 64, FEW_COLUMNS = 4 };

/* Returns the number of elements of an array of NumPy's, or of a Like; -1: it has another shape. */
static Py_ssize_t size_of(const ArrayClasses *c, PyObject *like) {
    Py_ssize_t shape[MOST_AXES], size = 1;
    const int axes = read_shape(c, like, shape);
    for (int i = 0; i < axes; i++) size *= shape[i];
    return axes < 0 ? -1 : size;
}

/* Returns whether an index along an axis counts from the front. */
static bool is_from_front(PyObject *place) {
    int overflow;
    return PyLong_CheckExact(place) && PyLong_AsLongAndOverflow(place, &overflow) >= 0;
}

/* Returns whether an index is written as in a sparse accumulator of an array of so many axes. */
static bool is_canonical(PyObject *index, int axes) {
    if (axes == 1) return is_from_front(index);
    if (!PyTuple_CheckExact(index) || PyTuple_GET_SIZE(index) != axes) return false;
    for (int i = 0; i < axes; i++)
        if (!is_from_front(PyTuple_GET_ITEM(index, i))) return false;
    return true;
}

/* Returns zeros of doubles of the shape of an array or a Like, a new reference; NULL with an exception. */
static PyObject *zeros_like(const ArrayClasses *c, PyObject *like) {
    Py_ssize_t shape[MOST_AXES];
    const int axes = read_shape(c, like, shape);
    return zeros_of_doubles(axes, shape);
}

/* Stores what an element has received. */
static bool store_element(PyObject *elements, PyObject *index, double received) {
    PyObject *real = PyFloat_FromDouble(received);
    const bool done = real && PyDict_SetItem(elements, index, real) == 0;
    Py_XDECREF(real);
    return done;
}

/* Gives a sparse accumulator an array in place of its elements. */
static bool spread(const ArrayClasses *c, PyObject *accumulator) {
    PyObject **elements = slot_of(accumulator, c->accumulator_elements), *index, *received;
    PyObject *zeros = zeros_like(c, *slot_of(accumulator, c->accumulator_like));
    Py_ssize_t place = 0;
    if (!zeros) return false;
    while (PyDict_Next(*elements, &place, &index, &received)) *array_element(zeros, index) += PyFloat_AS_DOUBLE(received);
    *slot_of(accumulator, c->accumulator_array) = zeros;
    Py_CLEAR(*elements);
    return true;
}

/* Adds to an element of a sparse accumulator, which becomes an array if it has too many. */
static bool add_to_sparse(const ArrayClasses *c, PyObject *accumulator, PyObject *index, double received) {
    PyObject *elements = elements_of_accumulator(c, accumulator), *like = *slot_of(accumulator, c->accumulator_like);
    if (!is_canonical(index, (int)axes_of(c, like))) return false;
    PyObject *before = PyDict_GetItemWithError(elements, index);
    bool done = store_element(elements, index, (before ? PyFloat_AS_DOUBLE(before) : 0.0) + received);
    if (done && FEWER * PyDict_GET_SIZE(elements) > size_of(c, like)) done = spread(c, accumulator);
    return done;
}

/* Copies the elements of an Accumulator that others may hold, so that they can be changed; false: Python must do it. */
static bool own_elements(const ArrayClasses *c, PyObject *accumulator) {
    PyObject **array = slot_of(accumulator, c->accumulator_array), **owned = slot_of(accumulator, c->accumulator_owned);
    if (*owned == Py_True) return true;
    PyObject *copy = is_array_of_doubles(*array) ? copy_of_plain_row(*array) : NULL;
    if (!copy) forget_exception();
    if (!copy) return false;
    Py_SETREF(*array, copy);
    Py_SETREF(*owned, Py_NewRef(Py_True));
    return true;
}

bool add_to_element(const ArrayClasses *c, PyObject *accumulator, PyObject *index, double received) {
    PyObject **array = slot_of(accumulator, c->accumulator_array);
    if (!*array) return elements_of_accumulator(c, accumulator) && add_to_sparse(c, accumulator, index, received);
    if (!array_element(*array, index) || !own_elements(c, accumulator)) return false;
    double *element = array_element(*array, index);
    if (element) *element += received;
    return element != NULL;
}

/* Returns whether an array or a Like has NumPy's dtype of doubles. */
static bool is_of_reals(const ArrayClasses *c, PyObject *like) {
    PyObject *dtype = is_numpy(like) ? numpy_of(like)->dtype : Py_IS_TYPE(like, c->like) ? *slot_of(like, c->like_dtype) : NULL;
    return dtype && dtype == dtype_of_doubles();
}

/* Returns a new sparse Accumulator; NULL with an exception. */
static PyObject *new_sparse(const ArrayClasses *c, PyObject *like, PyObject *index, double received) {
    PyObject *made = new_handle(c, c->accumulator);
    if (!made) return NULL;
    *slot_of(made, c->accumulator_owned) = Py_NewRef(Py_True);
    *slot_of(made, c->accumulator_like) = Py_NewRef(like);
    PyObject *elements = *slot_of(made, c->accumulator_elements) = PyDict_New();
    if (!elements || !store_element(elements, index, 0.0 + received)) Py_CLEAR(made);
    return made;
}

PyObject *accumulator_of_element(const ArrayClasses *c, PyObject *like, PyObject *index, double received) {
    const Py_ssize_t size = is_of_reals(c, like) ? size_of(c, like) : -1;
    if (size < 0) return NULL;
    if (size >= LARGE) return is_canonical(index, (int)axes_of(c, like)) ? new_sparse(c, like, index, received) : NULL;
    PyObject *zeros = zeros_like(c, like), *made = zeros ? new_handle(c, c->accumulator) : NULL;
    if (!made) {
        Py_XDECREF(zeros);
        return NULL;
    }
    *slot_of(made, c->accumulator_array) = zeros;
    *slot_of(made, c->accumulator_owned) = Py_NewRef(Py_True);
    if (!add_to_element(c, made, index, received)) Py_CLEAR(made);
    return made;
}

/* Views */

bool is_of_view(PyObject *index) {
    if (PySlice_Check(index) || PyLong_CheckExact(index) || index == Py_None || index == Py_Ellipsis) return true;
    bool is_view = PyTuple_CheckExact(index);
    for (Py_ssize_t i = 0; is_view && i < PyTuple_GET_SIZE(index); i++)
        is_view = !PyTuple_CheckExact(PyTuple_GET_ITEM(index, i)) && is_of_view(PyTuple_GET_ITEM(index, i));
    return is_view;
}

/* Returns whether rows are so many that checkpoint.ad.accumulators adds to them column by column. */
static bool is_added_by_columns(const NumpyArray *view) { return view->axes == 2 && view->shape[0] >= MANY_ROWS; }

/* Adds to the elements of a view, as checkpoint.ad.accumulators does; false: it does so column by column. */
static bool add_to_elements(PyObject *view, PyObject *received) {
    if (is_added_by_columns(numpy_of(view))) {
        const Py_ssize_t columns = numpy_of(view)->shape[1];
        if (add_to_columns(view, received)) return true;
        if (columns > 1 && columns <= FEW_COLUMNS) return false;
    }
    PyObject *sum = PyNumber_InPlaceAdd(view, received);
    Py_XDECREF(sum);
    return sum != NULL;
}

/* Adds to the elements of an array of doubles that a view shows. */
static bool add_at(PyObject *array, PyObject *index, PyObject *received) {
    PyObject *view = PyObject_GetItem(array, index);
    const bool done = view && is_array_of_doubles(view) && add_to_elements(view, received);
    Py_XDECREF(view);
    return done;
}

bool add_to_view(const ArrayClasses *c, PyObject *accumulator, PyObject *index, PyObject *received) {
    PyObject **array = slot_of(accumulator, c->accumulator_array);
    if (!*array || !is_of_view(index) || !is_array_of_doubles(*array) || !is_array_of_doubles(received)) return false;
    return own_elements(c, accumulator) && add_at(*array, index, received);
}

PyObject *accumulator_of_view(const ArrayClasses *c, PyObject *like, PyObject *index, PyObject *received) {
    if (!is_of_reals(c, like) || !is_of_view(index) || !is_array_of_doubles(received)) return NULL;
    PyObject *zeros = zeros_like(c, like), *made = zeros ? new_handle(c, c->accumulator) : NULL;
    if (!made) {
        Py_XDECREF(zeros);
        return NULL;
    }
    *slot_of(made, c->accumulator_array) = zeros;
    *slot_of(made, c->accumulator_owned) = Py_NewRef(Py_True);
    if (!add_at(zeros, index, received)) Py_CLEAR(made);
    return made;
}

/* Returns whether what elements of an array have received can be added to an Accumulator of it here. */
static bool takes_elements(const ArrayClasses *c, PyObject *into, PyObject *elements) {
    PyObject *array = *slot_of(into, c->accumulator_array), *index, *received;
    if (elements_of_accumulator(c, into)) return true;
    if (!array || *slot_of(into, c->accumulator_owned) != Py_True) return false;
    Py_ssize_t place = 0;
    while (PyDict_Next(elements, &place, &index, &received))
        if (!array_element(array, index)) return false;
    return true;
}

/* Adds what elements of an array have received to an Accumulator of it. false: Python must do it; with an exception: memory has
 * run out in between. */
static bool add_elements(const ArrayClasses *c, PyObject *into, PyObject *elements) {
    PyObject *index, *received;
    Py_ssize_t place = 0;
    if (!takes_elements(c, into, elements)) return false;
    while (PyDict_Next(elements, &place, &index, &received))
        if (!add_to_element(c, into, index, PyFloat_AS_DOUBLE(received))) {
            PyErr_NoMemory();
            return false;
        }
    return true;
}

typedef struct Sum {
    Passage x;
    Heap *heap;
    Value operands[2], value;
    PyObject *result;
    bool done;
} Sum;

static void clean_sum(void *arguments) {
    Sum *sum = arguments;
    Py_CLEAR(sum->result);
    passage_end(&sum->x);
}

/* Adds the contribution to an Accumulator, or the other way round where that has fewer elements; stores which of the two has
 * the sum. false: Python adds them. */
static bool add_accumulators(const ArrayClasses *c, const Heap *heap, PyObject *const *both, int *has_sum) {
    PyObject *first = elements_of_accumulator(c, both[0]), *second = elements_of_accumulator(c, both[1]);
    *has_sum = first && !second;
    if (first || second) return add_elements(c, both[*has_sum], second ? second : first);
    return add_to_accumulator(c, heap, both[0], *slot_of(both[1], c->accumulator_array), form_of_accumulator(c, both[1]));
}

/* Adds one array's accumulator to another's; returns false where Python must try to. */
static bool add_in_place(Sum *sum) {
    const ArrayClasses *c = array_classes();
    PyObject *both[2];
    int has_sum = 0;
    for (int i = 0; i < 2; i++) {
        both[i] = c ? accumulator_in(c, sum->operands[i]) : NULL;
        if (!both[i]) return false;
    }
    sum->done = add_accumulators(c, sum->heap, both, &has_sum);
    if (sum->done) sum->value = copied(sum->operands[has_sum]);
    const bool half_done = PyErr_Occurred() && elements_of_accumulator(c, both[1 - has_sum]);
    forget_exception();
    return sum->done || half_done;
}

static void add(void *arguments) {
    Sum *sum = arguments;
    Passage *x = &sum->x;
    passage_begin(x, sum->heap, NULL);
    x->cotangents = true;
    if (!classes() || add_in_place(sum)) return;
    PyObject *a = export_value(x, sum->operands[0], false), *b = export_value(x, sum->operands[1], false);
    sum->result = a && b && export_rest(x) ? PyNumber_Add(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    if (!sum->result) return;
    x->done = x->count;
    sum->value = import_value(x, sum->result);
    sum->done = import_rest(x);
}

/* Accumulators of one location have the same type and shape, so the sum can fail only for lack of memory. */
Value foreign_sum(Heap *heap, Value a, Value b) {
    Sum sum = {.heap = heap, .operands = {a, b}, .value = nothing()};
    guarded(heap, add, clean_sum, &sum);
    drop(heap, a);
    drop(heap, b);
    if (!sum.done) heap_exhausted(heap);
    return sum.value;
}
