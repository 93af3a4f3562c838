/* The cotangents of operands in parts: see part_pulls.h. */
#include "array_steps/part_pulls.h"

#include "array_steps/operand_parts.h"
#include "array_steps/scalar_pulls.h"
#include "arrays/forms.h"
#include "arrays/handles.h"
#include "numpy/elements.h"

/* A nest whose cotangents are given: the births of it and of those within it that have not been reached yet. */
typedef struct Nest {
    PyObject *parts;
    const uint64_t *births;
    Py_ssize_t left;
} Nest;

static Nest nest_of(const Pull *p, Py_ssize_t position) {
    PyObject *parts = p->applied->operands[position];
    return (Nest){parts, births_of_parts(p->applied, position), nests_in(parts)};
}

/* Returns a part that is a nest, the last one that has not been reached. */
static Nest nest_within(Nest *nest, PyObject *parts) {
    const Py_ssize_t count = nests_in(parts);
    nest->left -= count;
    return (Nest){parts, nest->births + nest->left, count};
}

static uint64_t birth_of(const Nest *nest) { return nest->births[0]; }

/* Of any rule */

/* Gives p->given to a field that holds an array. */
static bool give_array(Pull *p, uint64_t birth, Py_ssize_t field, PyObject *like) {
    const bool is_scattered = Py_IS_TYPE(p->given, p->c->scattered);
    if (!is_scattered && !same_shape(p->c, p->given, like)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a cotangent of an array has another shape");
        return false;
    }
    p->made = is_scattered ? Py_NewRef(p->given) : accumulator_of_given(p, is_new(p, p->given));
    if (!p->made) return false;
    const Value made = new_foreign(p->heap, p->made, false);
    p->made = NULL;
    p->cotangent->mixed = true;
    cotangent_give(p->cotangent, birth, field, made);
    return true;
}

/* Gives p->given to a field that holds a part which is no nest. */
static bool give_part(Pull *p, uint64_t birth, Py_ssize_t field, PyObject *like) {
    if (PyFloat_CheckExact(like)) {
        const double real = PyFloat_AsDouble(p->given);
        if (real == -1.0 && PyErr_Occurred()) return false;
        cotangent_give(p->cotangent, birth, field, of_real(real));
        return true;
    }
    if (!Py_IS_TYPE(like, p->c->like) && !is_library_array(p->c, like)) return true;
    const Py_UCS4 letter = kind_of_elements(p->c, like);
    if (letter != 'f' && letter != 'c') return !PyErr_Occurred();
    return give_array(p, birth, field, like);
}

static bool give_nest(Pull *p, Nest nest, PyObject *given);

/* Gives a cotangent to the part at an index. */
static bool give_at(Pull *p, Nest *nest, Py_ssize_t i, PyObject *cotangent) {
    PyObject *part = PySequence_Fast_GET_ITEM(nest->parts, i);
    if (is_nest(part)) return give_nest(p, nest_within(nest, part), cotangent);
    Py_XSETREF(p->given, Py_NewRef(cotangent));
    const bool done = give_part(p, birth_of(nest), i, part);
    Py_CLEAR(p->given);
    return done;
}

static bool give_nest(Pull *p, Nest nest, PyObject *given) {
    PyObject *cotangents = PySequence_Fast(given, "the cotangents of a tuple or list are a sequence");
    if (!cotangents) return false;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(nest.parts);
    bool done = PySequence_Fast_GET_SIZE(cotangents) == count;
    if (!done) PyErr_SetString(PyExc_SystemError, "a cotangent of a tuple has another structure");
    for (Py_ssize_t i = count; done && i-- > 0;) done = give_at(p, &nest, i, PySequence_Fast_GET_ITEM(cotangents, i));
    Py_DECREF(cotangents);
    return done;
}

bool give_parts(Pull *p, Py_ssize_t position, PyObject *cotangents) {
    return give_nest(p, nest_of(p, position), cotangents);
}

/* Of an array made of numbers */

static bool is_leaf(PyObject *part) { return PyFloat_CheckExact(part) || PyLong_Check(part) || is_scalar(part); }

/* Returns whether the array has along this axis, and those behind it, an element for each number of a nest. */
static bool is_made_of(const NumpyArray *g, int axis, PyObject *parts) {
    if (axis == g->axes || !is_nest(parts) || PySequence_Fast_GET_SIZE(parts) != g->shape[axis]) return false;
    const bool is_last = axis + 1 == g->axes;
    for (Py_ssize_t i = 0; i < g->shape[axis]; i++) {
        PyObject *part = PySequence_Fast_GET_ITEM(parts, i);
        if (!(is_last ? is_leaf(part) : is_made_of(g, axis + 1, part))) return false;
    }
    return true;
}

static bool give_element(Pull *p, uint64_t birth, Py_ssize_t field, PyObject *part, double element) {
    if (PyLong_Check(part)) return true;
    Value made = of_real(PyFloat_CheckExact(part) ? element : 0.0);
    if (!PyFloat_CheckExact(part)) {
        if (!add_scalar(p, &made, element)) return false;
        p->cotangent->mixed = true;
    }
    cotangent_give(p->cotangent, birth, field, made);
    return true;
}

static bool give_along(Pull *p, Nest nest, int axis, const char *data) {
    const NumpyArray *g = numpy_of(p->g);
    bool done = true;
    for (Py_ssize_t i = g->shape[axis]; done && i-- > 0;) {
        PyObject *part = PySequence_Fast_GET_ITEM(nest.parts, i);
        const char *at = data + i * g->strides[axis];
        done = is_nest(part) ? give_along(p, nest_within(&nest, part), axis + 1, at)
                             : give_element(p, birth_of(&nest), i, part, *(const double *)(const void *)at);
    }
    return done;
}

Pulling give_elements(Pull *p, Py_ssize_t position) {
    const Nest nest = nest_of(p, position);
    if (!is_array_of_doubles(p->g) || !is_made_of(numpy_of(p->g), 0, nest.parts)) return NOT_HERE;
    return give_along(p, nest, 0, numpy_of(p->g)->data) ? PULLED : REFUSED;
}
