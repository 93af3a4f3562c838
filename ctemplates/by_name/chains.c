/* Functions element by element over tiles: see chains.h. */
#include "by_name/chains.h"

#include <string.h>

#include "by_name/chain_tiles.h"
#include "numpy/elements.h"
#include "numpy/kernels.h"

enum { FIRST_VALUE = 128, STEP = 4, LONG_ROW = 128 }; /* elements: of a row that is not put beside others */

/* Reading what is asked for */

static bool kernel_of_letter(char letter, Kernel *kernel) {
    static const char LETTERS[] = "+-*/n";
    static const Kernel KERNELS_OF_LETTERS[] = {ADDING, SUBTRACTING, MULTIPLYING, DIVIDING, NEGATING};
    const char *found = letter ? strchr(LETTERS, letter) : NULL;
    if (found) *kernel = KERNELS_OF_LETTERS[found - LETTERS];
    return found != NULL;
}

/* Finds which place a byte of a step names; false: there is none. */
static bool find_place(const Chain *c, unsigned char byte, int *place) {
    const bool is_value = byte >= FIRST_VALUE;
    *place = is_value ? c->sources + byte - FIRST_VALUE : byte;
    return is_value ? byte - FIRST_VALUE < c->values : byte < c->sources;
}

static bool take_steps(Chain *c, PyObject *steps) {
    if (!PyBytes_CheckExact(steps)) return false;
    const Py_ssize_t size = PyBytes_GET_SIZE(steps);
    const unsigned char *step = (const unsigned char *)PyBytes_AS_STRING(steps);
    if (!size || size % STEP || size > STEP * MOST_VALUES) return false;
    c->count = c->values = (int)(size / STEP);
    for (int i = 0; i < c->count; i++, step += STEP) {
        Operation *o = &c->operation[i];
        Kernel kernel = ADDING;
        if (!kernel_of_letter((char)step[0], &kernel) || step[1] < FIRST_VALUE || !find_place(c, step[1], &o->to)) return false;
        if (!find_place(c, step[2], &o->first) || !find_place(c, step[3], &o->second)) return false;
        o->is_of_one = kernel == NEGATING;
        o->loop = kernel_on_doubles(kernel, &o->data);
        if (!o->loop) return false;
    }
    return true;
}

/* Sets the strides of a source along the axes of the result, in order, by the shape and strides of what is broadcast; false:
 * it cannot be. order: which axis of the result each one is. */
static bool broadcast(const Chain *c, const int *order, int axes, const Py_ssize_t *shape, const Py_ssize_t *from, Py_ssize_t *to) {
    const int missing = c->axes - axes;
    if (missing < 0) return false;
    for (int i = 0; i < c->axes; i++) {
        const int own = order[i] - missing;
        to[i] = 0;
        if (own < 0 || shape[own] == 1) continue;
        if (shape[own] != c->shape[i]) return false;
        to[i] = from[own];
    }
    return true;
}

static bool take_number(Source *s, PyObject *operand) {
    if (!PyFloat_Check(operand)) return false;
    s->number = PyFloat_AS_DOUBLE(operand);
    s->at = (const char *)&s->number;
    return true;
}

static bool is_of_integers(PyObject *index) {
    if (!is_numpy(index) || !(numpy_of(index)->flags & ALIGNED)) return false;
    return dtype_of(index)->kind == 'i' && dtype_of(index)->size == sizeof(int64_t) && dtype_of(index)->order == '=';
}

/* Takes an array at an index along an axis: axes of the index are in place of that one. */
static bool take_gathered(const Chain *c, Source *s, PyObject *array, PyObject *index, PyObject *along, const int *order) {
    if (!is_array_of_doubles(array) || !is_of_integers(index)) return false;
    const NumpyArray *whole = numpy_of(array), *own = numpy_of(index);
    const int axis = axis_in(array, along), axes = whole->axes - 1 + own->axes;
    if (axis < 0 || axes > MOST_AXES) return false;
    Py_ssize_t shape[MOST_AXES], strides[MOST_AXES] = {0}, steps[MOST_AXES] = {0};
    for (int i = 0; i < axes; i++) {
        const int of_index = i - axis, of_whole = i < axis ? i : i - own->axes + 1;
        const bool is_of_index = of_index >= 0 && of_index < own->axes;
        shape[i] = is_of_index ? own->shape[of_index] : whole->shape[of_whole];
        *(is_of_index ? &steps[i] : &strides[i]) = is_of_index ? own->strides[of_index] : whole->strides[of_whole];
    }
    s->at = whole->data;
    s->index = own->data;
    s->step = whole->strides[axis];
    s->length = whole->shape[axis];
    return broadcast(c, order, axes, shape, strides, s->strides) && broadcast(c, order, axes, shape, steps, s->steps);
}

static bool take_source(const Chain *c, Source *s, PyObject *operand, const int *order) {
    memset(s, 0, sizeof *s);
    if (PyTuple_CheckExact(operand) && PyTuple_GET_SIZE(operand) == 3)
        return take_gathered(c, s, PyTuple_GET_ITEM(operand, 0), PyTuple_GET_ITEM(operand, 1), PyTuple_GET_ITEM(operand, 2), order);
    if (!is_array_of_doubles(operand)) return take_number(s, operand);
    const NumpyArray *array = numpy_of(operand);
    s->at = array->data;
    return broadcast(c, order, array->axes, array->shape, array->strides, s->strides);
}

/* Axes */

static bool take_sizes(PyObject *tuple, int count, Py_ssize_t *sizes) {
    if (!PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) != count) return false;
    for (int i = 0; i < count; i++) {
        sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (sizes[i] <= 0) return false; /* also -1 with an exception */
    }
    return true;
}

/* Orders the axes of the result by its strides, whose elements have no gaps between them; false: they have. */
static bool order_axes(Chain *c, const Py_ssize_t *shape, const Py_ssize_t *strides, int *order) {
    for (int i = 0; i < c->axes; i++) {
        int k = i;
        for (; k > 0 && strides[order[k - 1]] < strides[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    Py_ssize_t next = sizeof(double);
    for (int i = c->axes - 1; i >= 0; i--) {
        c->shape[i] = shape[order[i]];
        if (c->shape[i] != 1 && strides[order[i]] != next) return false;
        next *= c->shape[i];
    }
    return true;
}

static bool joins(const Chain *c, int outer, int inner) {
    const Py_ssize_t length = c->shape[inner];
    bool found = true;
    for (int k = 0; k < c->sources; k++) {
        const Source *s = &c->source[k];
        found = found && s->strides[outer] == s->strides[inner] * length && s->steps[outer] == s->steps[inner] * length;
    }
    return found;
}

static void move_axis(Chain *c, int from, int to) {
    c->shape[to] = c->shape[from];
    for (int k = 0; k < c->sources; k++) {
        c->source[k].strides[to] = c->source[k].strides[from];
        c->source[k].steps[to] = c->source[k].steps[from];
    }
}

/* Leaves out axes of length 1, joins each with the one inside of it where it can be, and adds one of length 1 at the end where
 * rows are long. */
static void simplify_axes(Chain *c) {
    int last = -1;
    for (int i = 0; i < c->axes; i++) {
        if (c->shape[i] == 1) continue;
        const Py_ssize_t outer = last >= 0 && joins(c, last, i) ? c->shape[last] : 0;
        if (!outer) last++;
        move_axis(c, i, last);
        if (outer) c->shape[last] *= outer;
    }
    c->axes = last + 1;
    if (c->axes > 1 && c->shape[last] < LONG_ROW) return;
    c->shape[c->axes] = 1;
    for (int k = 0; k < c->sources; k++) c->source[k].strides[c->axes] = c->source[k].steps[c->axes] = 0;
    c->axes++;
}

/* The result */

PyObject *result_of_chain(PyObject *steps, PyObject *shape, PyObject *strides, PyObject *const *operands, Py_ssize_t count) {
    Chain c = {.sources = (int)count};
    Py_ssize_t own[MOST_AXES], apart[MOST_AXES];
    int order[MOST_AXES];
    if (count > MOST_OPERANDS || !PyTuple_CheckExact(shape) || PyTuple_GET_SIZE(shape) > MOST_AXES) return NULL;
    c.axes = (int)PyTuple_GET_SIZE(shape);
    if (!take_sizes(shape, c.axes, own) || !take_sizes(strides, c.axes, apart) || !order_axes(&c, own, apart, order)) return NULL;
    for (int k = 0; k < c.sources; k++)
        if (!take_source(&c, &c.source[k], operands[k], order)) return NULL;
    simplify_axes(&c);
    if (!take_steps(&c, steps) || c.axes < 2) return NULL;
    PyObject *made = new_strided_array_of_doubles((int)PyTuple_GET_SIZE(shape), own, apart);
    if (!made) return NULL;
    c.to = numpy_of(made)->data;
    forget_warnings();
    if (!run_chain(&c) || might_warn(count_of(made))) Py_CLEAR(made);
    return made;
}
