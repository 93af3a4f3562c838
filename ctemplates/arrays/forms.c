/* What steps ask of an array of any library: see forms.h. */
#include "arrays/forms.h"

#include "memory/exceptions.h"
#include "numpy/numpy_interface.h"

/* Shape and dtype */

/* Returns the shape or the dtype of an array or a Like, a new reference. */
static PyObject *attribute(const ArrayClasses *c, PyObject *x, PyObject *name) {
    if (Py_IS_TYPE(x, c->like)) return Py_NewRef(*slot_of(x, name == c->shape ? c->like_shape : c->like_dtype));
    return PyObject_GetAttr(x, name);
}

static bool same_attribute(const ArrayClasses *c, PyObject *x, PyObject *y, PyObject *name) {
    PyObject *first = attribute(c, x, name), *second = first ? attribute(c, y, name) : NULL;
    const int same = second ? (first == second ? 1 : PyObject_RichCompareBool(first, second, Py_EQ)) : -1;
    Py_XDECREF(first);
    Py_XDECREF(second);
    if (same < 0) forget_exception();
    return same == 1;
}

/* Returns whether an array of NumPy's has the shape of a Like. */
static bool has_shape(const NumpyArray *x, PyObject *shape) {
    if (PyTuple_GET_SIZE(shape) != x->axes) return false;
    for (int i = 0; i < x->axes; i++)
        if (PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i)) != x->shape[i]) return false;
    return true;
}

bool same_shape(const ArrayClasses *c, PyObject *x, PyObject *y) {
    if (!is_numpy(x)) return same_attribute(c, x, y, c->shape);
    const NumpyArray *first = numpy_of(x), *second = numpy_of(y);
    if (is_numpy(y)) return is_shaped(first, second->axes, second->shape);
    return Py_IS_TYPE(y, c->like) ? has_shape(first, *slot_of(y, c->like_shape)) : same_attribute(c, x, y, c->shape);
}

bool same_dtype(const ArrayClasses *c, PyObject *x, PyObject *y) {
    if (is_numpy(x)) {
        PyObject *own = numpy_of(x)->dtype;
        if (is_numpy(y) ? numpy_of(y)->dtype == own : Py_IS_TYPE(y, c->like) && *slot_of(y, c->like_dtype) == own)
            return true;
    }
    return same_attribute(c, x, y, c->dtype);
}

/* Noted forms */

void forms_end(Forms *forms) {
    for (; forms->count > 0; forms->count--) {
        Py_CLEAR(forms->noted[forms->count - 1].shape);
        Py_CLEAR(forms->noted[forms->count - 1].dtype);
    }
}

void forms_note(const ArrayClasses *c, Forms *forms, const PyObject *array, PyObject *like) {
    if (forms->count == MOST_NOTED) return;
    forms->noted[forms->count++] = (struct NotedForm){
        .array = array, .shape = Py_NewRef(*slot_of(like, c->like_shape)), .dtype = Py_NewRef(*slot_of(like, c->like_dtype))};
}

/* Returns the form of an array, of a Like, or NULL without an exception, if it cannot be noted. */
static const struct NotedForm *form_of(const ArrayClasses *c, Forms *forms, PyObject *array) {
    for (int i = 0; i < forms->count; i++)
        if (forms->noted[i].array == array) return &forms->noted[i];
    if (forms->count == MOST_NOTED) return NULL;
    struct NotedForm *form = &forms->noted[forms->count++];
    *form = (struct NotedForm){.array = array, .shape = attribute(c, array, c->shape)};
    form->dtype = form->shape ? attribute(c, array, c->dtype) : NULL;
    if (form->dtype) return form;
    Py_CLEAR(form->shape);
    forms->count--;
    forget_exception();
    return NULL;
}

/* Returns whether two shapes, or dtypes, are equal. */
static bool are_equal(PyObject *x, PyObject *y) {
    const int same = x == y ? 1 : PyObject_RichCompareBool(x, y, Py_EQ);
    if (same < 0) forget_exception();
    return same == 1;
}

bool same_noted_form(const ArrayClasses *c, Forms *forms, PyObject *x, PyObject *y) {
    if (is_numpy(x)) return same_form(c, x, y);
    const struct NotedForm *first = form_of(c, forms, x), *second = first ? form_of(c, forms, y) : NULL;
    if (!second) return same_form(c, x, y);
    return are_equal(first->dtype, second->dtype) && are_equal(first->shape, second->shape);
}

bool has_noted_dtype(const ArrayClasses *c, Forms *forms, PyObject *new_array, PyObject *y) {
    const struct NotedForm *form = is_numpy(new_array) ? NULL : form_of(c, forms, y);
    PyObject *dtype = form ? attribute(c, new_array, c->dtype) : NULL;
    if (!dtype) return same_dtype(c, new_array, y);
    const bool same = are_equal(dtype, form->dtype);
    Py_DECREF(dtype);
    return same;
}

Py_ssize_t noted_axes(const ArrayClasses *c, Forms *forms, PyObject *array) {
    const struct NotedForm *form = is_numpy(array) ? NULL : form_of(c, forms, array);
    return form && PyTuple_Check(form->shape) ? PyTuple_GET_SIZE(form->shape) : axes_of(c, array);
}

/* Shapes */

int read_shape(const ArrayClasses *c, PyObject *array, Py_ssize_t shape[MOST_AXES]) {
    if (is_numpy(array)) {
        const NumpyArray *own = numpy_of(array);
        for (int i = 0; i < own->axes; i++) shape[i] = own->shape[i];
        return own->axes;
    }
    PyObject *found = attribute(c, array, c->shape);
    int axes = -1;
    if (found && PyTuple_Check(found) && PyTuple_GET_SIZE(found) <= MOST_AXES) {
        axes = (int)PyTuple_GET_SIZE(found);
        for (int i = 0; i < axes; i++) shape[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(found, i));
    }
    Py_XDECREF(found);
    forget_exception();
    return axes;
}

PyObject *shape_as_tuple(const ArrayClasses *c, PyObject *array) { return attribute(c, array, c->shape); }

Py_ssize_t axes_of(const ArrayClasses *c, PyObject *array) {
    if (is_numpy(array)) return numpy_of(array)->axes;
    if (Py_IS_TYPE(array, c->like)) return PyTuple_GET_SIZE(*slot_of(array, c->like_shape));
    PyObject *shape = PyObject_GetAttr(array, c->shape);
    const Py_ssize_t axes = shape ? PyObject_Size(shape) : -1;
    Py_XDECREF(shape);
    return axes;
}

Py_UCS4 kind_of_elements(const ArrayClasses *c, PyObject *array) {
    if (is_numpy(array)) return (unsigned char)dtype_of(array)->kind;
    PyObject *dtype = PyObject_GetAttr(array, c->dtype);
    if (!dtype) return 0;
    PyObject *known = PyDict_GET_SIZE(c->kinds) ? PyDict_GetItemWithError(c->kinds, dtype) : NULL;
    PyObject *kind = known ? Py_NewRef(known) : PyObject_GetAttr(dtype, c->kind);
    Py_DECREF(dtype);
    if (!kind) return 0;
    const Py_UCS4 letter = PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) == 1 ? PyUnicode_READ_CHAR(kind, 0) : 0;
    Py_DECREF(kind);
    return letter;
}

/* Elements */

/* Returns whether an array is one of the default library, which has NumPy's attributes. */
static bool has_attributes(const ArrayClasses *c, PyObject *array) {
    PyObject *functions = PyDict_GetItemWithError(c->namespaces, (PyObject *)Py_TYPE(array));
    return PyList_GET_SIZE(c->defaults) && functions == PyList_GET_ITEM(c->defaults, 0);
}

/* Returns the functions that a library counts its arrays' storages with, borrowed; NULL: it has none. */
static PyObject *storage_functions(const ArrayClasses *c, PyObject *array) {
    return PyDict_GetItemWithError(c->storages, (PyObject *)Py_TYPE(array));
}

PyObject *storage_of(const ArrayClasses *c, PyObject *array) {
    PyObject *functions = is_numpy(array) ? NULL : storage_functions(c, array);
    return functions ? PyObject_CallOneArg(PyTuple_GET_ITEM(functions, 0), array) : NULL;
}

int64_t storage_bytes(const ArrayClasses *c, PyObject *array, PyObject *storage) {
    PyObject *found = PyObject_CallOneArg(PyTuple_GET_ITEM(storage_functions(c, array), 1), storage);
    const int64_t bytes = found ? PyLong_AsLongLong(found) : -1;
    Py_XDECREF(found);
    return bytes;
}

PyObject *holder_of(const ArrayClasses *c, PyObject *array) {
    if (is_numpy(array)) return Py_NewRef(numpy_of(array)->base ? numpy_of(array)->base : array);
    if (storage_functions(c, array)) return storage_of(c, array);
    if (!has_attributes(c, array)) return PyObject_CallOneArg(c->holder_of, array);
    PyObject *base = PyObject_GetAttr(array, c->base);
    if (base != Py_None) return base;
    Py_DECREF(base);
    return Py_NewRef(array);
}

bool is_view(const ArrayClasses *c, PyObject *array) {
    if (is_numpy(array)) return numpy_of(array)->base != NULL;
    PyObject *functions = storage_functions(c, array);
    const bool own = !functions && has_attributes(c, array);
    PyObject *function = functions ? PyTuple_GET_ITEM(functions, 2) : c->is_view;
    PyObject *found = own ? PyObject_GetAttr(array, c->base) : PyObject_CallOneArg(function, array);
    if (!found) forget_exception();
    const bool view = found != (own ? Py_None : Py_False);
    Py_XDECREF(found);
    return view;
}

bool holds(const ArrayClasses *c, PyObject *whole, PyObject *data) {
    PyObject *other = holder_of(c, data);
    if (!other) forget_exception();
    Py_XDECREF(other); /* the array owns it */
    return whole == other;
}
