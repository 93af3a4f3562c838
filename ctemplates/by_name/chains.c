/* Functions element by element over tiles: see chains.h. */
#include "by_name/chains.h"

#include <string.h>

#include "numpy/elements.h"
#include "numpy/inner_loops.h"
#include "numpy/kernels.h"

enum { MOST_OPERANDS = 32, MOST_VALUES = 32, FIRST_VALUE = 128, STEP = 4 };
enum { TILE = 512, LONG_ROW = 128 }; /* elements: of a tile; of a row that is not put beside others */
enum { IN_THREADS = 10000 }; /* elements, from which on the GIL is released */
enum { ALL_AXES = MOST_AXES + 1 };

/* What is read at each element of the result. */
typedef struct Source {
    const char *at;
    Py_ssize_t strides[ALL_AXES];
    const char *index; /* NULL: strides say where all elements are; else an integer says more */
    Py_ssize_t steps[ALL_AXES], step, length; /* strides of the index; from one of its places to the next; how many there are */
    double number;
    bool is_kept; /* what is put in a row of a tile serves the tiles that follow, too */
} Source;

typedef struct Operation {
    Loop *loop;
    void *data;
    int to, first, second; /* places: sources, and then values */
    bool is_of_one;
} Operation;

/* Axes are in the order in which elements of the result lie. A tile is some rows, along the last two axes. */
typedef struct Chain {
    int axes, sources, values, count; /* the last one is that of operations */
    bool goes_outside;                /* from a tile to those at the same rows, instead of along rows */
    Py_ssize_t shape[ALL_AXES];
    Source source[MOST_OPERANDS];
    Operation operation[MOST_VALUES];
    char *to;        /* the result */
    double *buffers; /* a tile for each source, and for each value */
} Chain;

/* The rows at hand, and where along the axes outside of them. */
typedef struct Tile {
    Py_ssize_t first, rows, elements, index[ALL_AXES], outside; /* the last one counts the indices along those axes */
    bool is_first; /* of tiles that share what is kept */
    char *at[MOST_OPERANDS + MOST_VALUES];
    Py_ssize_t strides[MOST_OPERANDS + MOST_VALUES];
} Tile;

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

/* Returns whether what a source has in a tile has to be put in a row. */
static bool is_copied(const Chain *c, const Source *s) {
    const int row = c->axes - 2, inner = c->axes - 1;
    if (s->index && (s->steps[row] || s->steps[inner])) return true;
    return c->shape[inner] != 1 && s->strides[row] != s->strides[inner] * c->shape[inner];
}

static bool is_same_along_rows(const Chain *c, const Source *s) { return !s->strides[c->axes - 2] && !s->steps[c->axes - 2]; }

static bool is_same_outside(const Chain *c, const Source *s) {
    bool is_same = true;
    for (int i = 0; i < c->axes - 2; i++) is_same = is_same && !s->strides[i] && !s->steps[i];
    return is_same;
}

/* Chooses in which order tiles are run, so that few sources are copied again. */
static void choose_order(Chain *c) {
    int outside = 0, along_rows = 0;
    for (int k = 0; k < c->sources; k++) {
        if (!is_copied(c, &c->source[k])) continue;
        outside += is_same_outside(c, &c->source[k]);
        along_rows += is_same_along_rows(c, &c->source[k]);
    }
    c->goes_outside = outside > along_rows;
    for (int k = 0; k < c->sources; k++)
        c->source[k].is_kept = c->goes_outside ? is_same_outside(c, &c->source[k]) : is_same_along_rows(c, &c->source[k]);
}

/* Tiles */

/* Returns which place of an array an index names; -1: none. */
static inline Py_ssize_t place_of(const Source *s, const char *index) {
    const int64_t given = *(const int64_t *)(const void *)index, place = given < 0 ? given + s->length : given;
    return place >= 0 && place < s->length ? (Py_ssize_t)place : -1;
}

#define TAKE(j) row[j] = *(const double *)(const void *)(own + (j) * inner)

/* Copies rows of so many elements, of which each row is at a place that an index names. */
#define GATHER_ROWS(LENGTH, TAKE_ROW)                                                                          \
    for (Py_ssize_t i = 0; i < rows->count; i++, from += rows->outer, index += step) {                         \
        const Py_ssize_t place = place_of(s, index);                                                           \
        if (place < 0) return false;                                                                           \
        const char *own = from + place * s->step;                                                              \
        double *restrict row = to + i * (LENGTH);                                                              \
        TAKE_ROW;                                                                                              \
    }

/* Copies rows next to each other, of which each one is at a place that an index names, from one to the next `step` bytes apart. */
static bool gather_rows(const Source *s, const Rows *rows, const char *index, Py_ssize_t step, double *to) {
    const char *from = rows->from;
    const Py_ssize_t inner = rows->inner;
    if (rows->length == 1) {
        GATHER_ROWS(1, TAKE(0))
    } else if (rows->length == 3 && inner == sizeof(double)) {
        GATHER_ROWS(3, memcpy(row, own, 3 * sizeof(double)))
    } else if (rows->length == 3) {
        GATHER_ROWS(3, (TAKE(0), TAKE(1), TAKE(2)))
    } else {
        GATHER_ROWS(rows->length, for (Py_ssize_t j = 0; j < rows->length; j++) TAKE(j))
    }
    return true;
}

/* Copies rows whose elements each have a place that an index names. */
static bool gather_elements(const Source *s, const Rows *rows, const char *index, Py_ssize_t outer, Py_ssize_t inner, double *to) {
    for (Py_ssize_t i = 0; i < rows->count; i++) {
        const Rows own = {rows->from + i * rows->outer, rows->length, 1, rows->inner, 0};
        if (!gather_rows(s, &own, index + i * outer, inner, to + i * rows->length)) return false;
    }
    return true;
}

/* Finds where a tile has the elements of a source, which are copied if they do not lie in a row; false: an index is out of
 * bounds. */
static bool find_source(const Chain *c, Tile *t, int place) {
    const Source *s = &c->source[place];
    const int row = c->axes - 2, inner = c->axes - 1;
    const Py_ssize_t length = c->shape[inner], outer = s->strides[row];
    const char *from = s->at + t->first * outer, *index = s->index ? s->index + t->first * s->steps[row] : NULL;
    const bool is_by_rows = index && (s->steps[row] || s->steps[inner]);
    double *buffer = c->buffers + (Py_ssize_t)TILE * place;
    for (int i = 0; i < row; i++) {
        from += t->index[i] * s->strides[i];
        if (index) index += t->index[i] * s->steps[i];
    }
    if (index && !is_by_rows) {
        const Py_ssize_t own = place_of(s, index);
        if (own < 0) return false;
        from += own * s->step;
    }
    t->at[place] = (char *)from;
    t->strides[place] = length == 1 ? outer : s->strides[inner];
    if (!is_copied(c, s)) return true;
    t->at[place] = (char *)buffer;
    t->strides[place] = sizeof(double);
    if (s->is_kept && !t->is_first) return true;
    const Rows rows = {from, t->rows, length, outer, s->strides[inner]};
    if (is_by_rows && s->steps[inner]) return gather_elements(s, &rows, index, s->steps[row], s->steps[inner], buffer);
    if (is_by_rows) return gather_rows(s, &rows, index, s->steps[row], buffer);
    copy_rows_of_double(&rows, buffer);
    return true;
}

static void run_operation(const Operation *o, const Tile *t, char *to) {
    char *at[] = {t->at[o->first], o->is_of_one ? to : t->at[o->second], to}; /* a loop may move them */
    const Py_ssize_t strides[] = {t->strides[o->first], o->is_of_one ? (Py_ssize_t)sizeof(double) : t->strides[o->second], sizeof(double)};
    o->loop(at, &t->elements, strides, o->data);
}

/* Runs all operations on a tile, and writes its elements to a place of the result; false: there is a NaN, or an index is out of
 * bounds. */
static bool run_tile(const Chain *c, Tile *t, char *to) {
    for (int k = 0; k < c->sources; k++)
        if (!find_source(c, t, k)) return false;
    for (int i = 0; i < c->count; i++) {
        const Operation *o = &c->operation[i];
        run_operation(o, t, i == c->count - 1 ? to : t->at[o->to]);
    }
    return !has_nan_among((const double *)(const void *)to, t->elements);
}

/* Runs the tile that begins with a row. */
static bool run_from(const Chain *c, Tile *t, Py_ssize_t first) {
    const Py_ssize_t length = c->shape[c->axes - 1], all = c->shape[c->axes - 2], most = TILE / length;
    t->first = first;
    t->rows = all - first < most ? all - first : most;
    t->elements = t->rows * length;
    t->is_first = c->goes_outside ? !t->outside : !first;
    return run_tile(c, t, c->to + (t->outside * all + first) * length * (Py_ssize_t)sizeof(double));
}

static bool run_along_rows(const Chain *c, Tile *t) {
    const Py_ssize_t most = TILE / c->shape[c->axes - 1];
    for (Py_ssize_t first = 0; first < c->shape[c->axes - 2]; first += most)
        if (!run_from(c, t, first)) return false;
    return true;
}

/* Moves to the next index along the axes outside of tiles; false: there is none, and it is at the first one again. */
static bool next_outside(const Chain *c, Tile *t) {
    t->outside++;
    for (int i = c->axes - 3; i >= 0; i--) {
        if (++t->index[i] < c->shape[i]) return true;
        t->index[i] = 0;
    }
    t->outside = 0;
    return false;
}

static bool run_tiles(const Chain *c) {
    Tile t = {0};
    for (int k = c->sources; k < c->sources + c->values; k++) {
        t.at[k] = (char *)(c->buffers + (Py_ssize_t)TILE * k);
        t.strides[k] = sizeof(double);
    }
    const Py_ssize_t all = c->shape[c->axes - 2], most = TILE / c->shape[c->axes - 1];
    for (Py_ssize_t first = 0; first < (c->goes_outside ? all : 1); first += most)
        do
            if (!(c->goes_outside ? run_from(c, &t, first) : run_along_rows(c, &t))) return false;
        while (next_outside(c, &t));
    return true;
}

/* The result */

static bool run_chain(Chain *c, Py_ssize_t elements) {
    c->buffers = PyMem_RawMalloc((size_t)(c->sources + c->values) * TILE * sizeof(double));
    if (!c->buffers) return false;
    PyThreadState *state = elements < IN_THREADS ? NULL : PyEval_SaveThread();
    const bool done = run_tiles(c);
    if (state) PyEval_RestoreThread(state);
    PyMem_RawFree(c->buffers);
    return done;
}

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
    choose_order(&c);
    PyObject *made = new_strided_array_of_doubles((int)PyTuple_GET_SIZE(shape), own, apart);
    if (!made) return NULL;
    c.to = numpy_of(made)->data;
    forget_warnings();
    if (!run_chain(&c, count_of(made)) || might_warn(count_of(made))) Py_CLEAR(made);
    return made;
}
