/* The forms of a step's operands: see operand_forms.h. */
#include "array_steps/operand_forms.h"

#include "array_steps/operand_parts.h"
#include "arrays/forms.h"
#include "arrays/operators.h"
#include "memory/exceptions.h"
#include "numpy/elements.h"

enum { LIKE_BYTES = 112 }; /* on CPython: a Like and its shape */

/* Returns a Like of an array, a new reference; NULL with an exception. */
static PyObject *like_of(const ArrayClasses *c, PyObject *data) {
    PyObject *made = new_instance(c->like);
    if (!made) return NULL;
    PyObject *shape = PyObject_GetAttr(data, c->shape);
    *slot_of(made, c->like_shape) = shape ? PySequence_Tuple(shape) : NULL;
    Py_XDECREF(shape);
    *slot_of(made, c->like_dtype) = PyObject_GetAttr(data, c->dtype);
    if (!*slot_of(made, c->like_shape) || !*slot_of(made, c->like_dtype)) Py_CLEAR(made);
    return made;
}

/* Returns the plan's last Like of an operand, if that has its form, or a new one; a new reference. */
static PyObject *last_like(const ArrayClasses *c, PyObject *plan, uint32_t i, PyObject *data) {
    PyObject *likes = *slot_of(plan, c->plan_likes), *last = PyList_GET_ITEM(likes, i);
    if (Py_IS_TYPE(last, c->like) && same_form(c, data, last)) return Py_NewRef(last);
    PyObject *made = like_of(c, data);
    if (made) PyList_SetItem(likes, i, Py_NewRef(made));
    return made;
}

/* Returns where the form of an operand is noted; NULL: nowhere. */
static PyObject **place_of_form(const ArrayClasses *c, uint32_t i, const Natives *natives) {
    PyObject *native = natives->items[i + 1];
    if (!(natives->handles >> i & 1) || is_numpy(native) || is_scalar(native)) return NULL;
    PyObject *handle = natives->objects[i];
    return Py_IS_TYPE(handle, c->array) ? slot_of(handle, c->array_form) : NULL;
}

PyObject *outline(const ArrayClasses *c, PyObject *plan, uint32_t i, const Natives *natives) {
    PyObject **form = place_of_form(c, i, natives);
    return form && *form ? Py_NewRef(*form) : last_like(c, plan, i, natives->items[i + 1]);
}

static PyObject *outline_of_part(const ArrayClasses *c, PyObject *part, int64_t *bytes) {
    if (is_nest(part)) return outline_of_parts(c, part, bytes);
    if (PyFloat_CheckExact(part) || !is_library_array(c, part)) return Py_NewRef(part);
    *bytes += LIKE_BYTES;
    return like_of(c, part);
}

PyObject *outline_of_parts(const ArrayClasses *c, PyObject *native, int64_t *bytes) {
    const bool is_list = PyList_CheckExact(native);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(native);
    PyObject *made = is_list ? PyList_New(count) : PyTuple_New(count);
    *bytes += count * (Py_ssize_t)sizeof(PyObject *);
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject *part = outline_of_part(c, PySequence_Fast_GET_ITEM(native, i), bytes);
        if (!part) Py_CLEAR(made);
        else if (is_list) PyList_SET_ITEM(made, i, part);
        else PyTuple_SET_ITEM(made, i, part);
    }
    return made;
}

/* Notes the form of an operand, or that of those before it if it is equal; returns whether they have one form. */
static bool note_form(const ArrayClasses *c, PyObject *plan, uint32_t i, Natives *natives) {
    PyObject **form = place_of_form(c, i, natives);
    if (!form) return PyFloat_CheckExact(natives->items[i + 1]) || PyLong_CheckExact(natives->items[i + 1]);
    if (!*form) *form = last_like(c, plan, i, natives->items[i + 1]);
    if (!*form) forget_exception();
    if (!natives->form) natives->form = *form;
    if (*form == natives->form) return *form != NULL;
    if (!*form || !same_form(c, *form, natives->form)) return false;
    Py_SETREF(*form, Py_NewRef(natives->form));
    return true;
}

void note_forms(const ArrayClasses *c, PyObject *plan, int64_t operator, Natives *natives) {
    bool is_one = true;
    for (uint32_t i = 0; i < natives->count; i++) is_one = note_form(c, plan, i, natives) && is_one;
    if (!is_one) natives->form = NULL;
    if (keeps_form(operator)) natives->result_form = natives->form;
}

PyTypeObject *class_of_result(const ArrayClasses *c, const Natives *natives, PyObject *result) {
    if (natives->result_form || is_scalar(result)) return c->array;
    const Py_UCS4 letter = is_library_array(c, result) ? kind_of_elements(c, result) : 0;
    if (letter == 'f' || letter == 'c') return c->array;
    return letter == 'b' || letter == 'i' || letter == 'u' ? c->discrete : NULL;
}
