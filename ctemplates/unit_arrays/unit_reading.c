/* What translated code reads of arrays: see unit_reading.h. */
#include "unit_arrays/unit_reading.h"

#include "arrays/handles.h"
#include "numpy/elements.h"
#include "numpy/kernels.h"

/* Reading: without the GIL. Nobody but the run changes what it has handles on. */

PyObject *data_in(Value v) {
    const ArrayClasses *c = known_array_classes();
    if (!c || kind_of(v) != FOREIGN) return NULL;
    PyObject *python = ((const Foreign *)v.object)->python;
    return Py_IS_TYPE(python, c->array) ? *slot_of(python, c->array_data) : NULL;
}

bool is_plain_array(PyObject *data) {
    return is_numpy(data) && dtype_of(data)->letter == 'd' && dtype_of(data)->order == '=' &&
           (numpy_of(data)->flags & ALIGNED) && numpy_of(data)->axes >= 1 && numpy_of(data)->axes <= ELEMENT_AXES;
}

/* Returns the array with one axis that a handle of integers or booleans shows, borrowed; NULL: it is another value. */
static PyObject *discrete_row(Value v) {
    const ArrayClasses *c = known_array_classes();
    if (!c || kind_of(v) != FOREIGN || !Py_IS_TYPE(python_of(v), c->discrete)) return NULL;
    PyObject *data = *slot_of(python_of(v), c->discrete_data);
    if (!data || !is_numpy(data) || numpy_of(data)->axes != 1) return NULL;
    const char order = dtype_of(data)->order;
    return (order == '=' || order == '|') && (numpy_of(data)->flags & ALIGNED) ? data : NULL;
}

bool is_whole_row(Value v) {
    PyObject *data = discrete_row(v);
    return data && dtype_of(data)->kind == 'i';
}

bool is_truth_row(Value v) {
    PyObject *data = discrete_row(v);
    return data && dtype_of(data)->kind == 'b';
}

int64_t element_kind(Value v) {
    PyObject *data = data_in(v);
    if (!data) return is_whole_row(v) ? WHOLE_ROW : is_truth_row(v) ? TRUTH_ROW : 0;
    if (is_scalar(data)) return ELEMENT_SCALAR;
    return is_plain_array(data) ? ELEMENT_SCALAR + numpy_of(data)->axes : 0;
}

bool open_scalar(Value v, double *x) {
    PyObject *data = data_in(v);
    if (!data || !is_scalar(data)) return false;
    *x = PyFloat_AS_DOUBLE(data);
    return true;
}

/* Returns whether what a handle shows has been changed through another one before a step. */
static bool is_stale(const ArrayClasses *c, PyObject *handle, int64_t steps) {
    PyObject *stale = *slot_of(memory_of(c, handle), classes()->storage_stale);
    return stale != classes()->never && steps >= PyLong_AsLongLong(stale);
}

bool open_array(Machine *m, Value v, int axes, int64_t steps, ElementView *view) {
    PyObject *data = data_in(v);
    if (!data || !is_plain_array(data) || numpy_of(data)->axes != axes) return false;
    Foreign *foreign = (Foreign *)v.object;
    if (is_stale(known_array_classes(), foreign->python, steps)) return false;
    foreign_touch(m->heap, foreign);
    view->data = (int64_t)(intptr_t)numpy_of(data)->data;
    for (int i = 0; i < axes; i++) {
        view->sizes[i] = numpy_of(data)->shape[i];
        view->strides[i] = numpy_of(data)->strides[i];
    }
    return true;
}

/* Functions */

bool whole_at(Machine *m, Value v, int64_t index, int64_t least, int64_t *whole) {
    const NumpyArray *array = numpy_of(discrete_row(v));
    const int64_t at = index < 0 ? index + array->shape[0] : index;
    if (at < 0 || at >= array->shape[0] || is_stale(known_array_classes(), python_of(v), m->steps)) return false;
    foreign_touch(m->heap, (Foreign *)v.object);
    const Py_ssize_t size = ((const NumpyDtype *)(const void *)array->dtype)->size;
    if (size < least) return false;
    const void *element = array->data + at * array->strides[0];
    switch (size) {
    case 8: *whole = *(const int64_t *)element; return true;
    case 4: *whole = *(const int32_t *)element; return true;
    case 2: *whole = *(const int16_t *)element; return true;
    case 1: *whole = *(const int8_t *)element; return true;
    default: return false;
    }
}

bool find_loop(const char *name, int operands, ElementLoop *loop) {
    const PyGILState_STATE state = PyGILState_Ensure();
    void *data = NULL;
    Loop *run = loop_of_doubles(name, operands, &data);
    PyGILState_Release(state);
    loop->data = data;
    __atomic_store_n(&loop->run, run, __ATOMIC_RELEASE);
    return run != NULL;
}
