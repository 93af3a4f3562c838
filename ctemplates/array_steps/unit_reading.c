/* What translated code reads of arrays: see unit_reading.h. */
#include "array_steps/unit_reading.h"

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

int64_t element_kind(Value v) {
    PyObject *data = data_in(v);
    if (!data) return 0;
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

bool find_loop(const char *name, ElementLoop *loop) {
    const PyGILState_STATE state = PyGILState_Ensure();
    void *data = NULL;
    Loop *run = loop_of_doubles(name, &data);
    PyGILState_Release(state);
    loop->data = data;
    __atomic_store_n(&loop->run, run, __ATOMIC_RELEASE);
    return run != NULL;
}
