/* NumPy's own inner loops: see kernels.h. */
#include "arrays/kernels.h"

#include <fenv.h>
#include <stddef.h>
#include <string.h>

enum { MOST_AXES = 4, MOST_PLACES = 3 };
enum { IN_THREADS = 10000, WORTH_ASKING = 1000 }; /* elements, from which on the GIL is released; see below */

typedef void Loop(char **places, const Py_ssize_t *count, const Py_ssize_t *strides, void *data);

/* PyUFuncObject of numpy/ufuncobject.h: the beginning of a function. */
typedef struct Ufunc {
    PyObject_HEAD
    int inputs, outputs, places, identity;
    Loop **loops;
    void *const *data;
    int count, reserved;
    const char *name, *types; /* of each loop the numbers of the dtypes of its operands and its result */
} Ufunc;

typedef enum Width { FLOAT, DOUBLE, WIDTHS } Width;

static const int NUMBERS[WIDTHS] = {11, 12}; /* NPY_FLOAT, NPY_DOUBLE */
static const Py_ssize_t SIZES[WIDTHS] = {sizeof(float), sizeof(double)};
static const char *const NAMES[KERNEL_COUNT] = {
#define NUMPY_NAME(name, numpy, count) numpy,
    KERNELS(NUMPY_NAME)
};
static const int OPERANDS[KERNEL_COUNT] = {
#define OPERAND_COUNT(name, numpy, count) count,
    KERNELS(OPERAND_COUNT)
};

typedef PyObject *NewArray(PyTypeObject *type, PyObject *dtype, int axes, const Py_ssize_t *shape,
                           const Py_ssize_t *strides, void *data, int flags, PyObject *object);
typedef PyObject *GetDtype(int number);

/* What is known of NumPy, found once under the GIL. */
static struct {
    bool complete;
    NewArray *new_array; /* NULL: no kernel can be used */
    PyObject *dtypes[WIDTHS], *modes; /* np.geterr */
    Loop *loops[KERNEL_COUNT][WIDTHS]; /* NULL: there is none */
    void *data[KERNEL_COUNT][WIDTHS];
} known;

/* Finding the loops */

static void find_loops(PyObject *numpy, Kernel kernel) {
    PyObject *found = PyObject_GetAttrString(numpy, NAMES[kernel]);
    const int count = OPERANDS[kernel];
    const Ufunc *ufunc = (const Ufunc *)(const void *)found;
    const bool fits = found && strcmp(Py_TYPE(found)->tp_name, "numpy.ufunc") == 0 && ufunc->inputs == count &&
                      ufunc->outputs == 1 && strcmp(ufunc->name, NAMES[kernel]) == 0;
    for (int width = 0; fits && width < WIDTHS; width++)
        for (int i = 0; i < ufunc->count && !known.loops[kernel][width]; i++) {
            const char *types = ufunc->types + (ptrdiff_t)i * (count + 1);
            bool same = true;
            for (int k = 0; k <= count; k++) same = same && types[k] == NUMBERS[width];
            if (!same) continue;
            known.loops[kernel][width] = ufunc->loops[i];
            known.data[kernel][width] = ufunc->data ? ufunc->data[i] : NULL;
        }
    Py_XDECREF(found); /* the module keeps it */
}

static void find_numpy(void) {
    void **functions = numpy_functions();
    PyObject *name = PyUnicode_FromString("numpy"), *numpy = name ? PyImport_GetModule(name) : NULL;
    if (functions && numpy) {
        for (int width = 0; width < WIDTHS; width++)
            known.dtypes[width] = ((GetDtype *)functions[GET_DTYPE])(NUMBERS[width]);
        for (int kernel = 0; kernel < KERNEL_COUNT; kernel++) find_loops(numpy, (Kernel)kernel);
        known.modes = PyObject_GetAttrString(numpy, "geterr");
        if (known.dtypes[FLOAT] && known.dtypes[DOUBLE] && known.modes) known.new_array = (NewArray *)functions[NEW_ARRAY];
    }
    Py_XDECREF(name);
    Py_XDECREF(numpy);
    PyErr_Clear();
    known.complete = true;
}

/* Laying out: the operands, then the result, as axes that all of them share */

typedef union Number {
    float narrow;
    double wide;
} Number;

typedef struct Places {
    Width width;
    int count, axes; /* of places; of the result's shape, until axes are joined */
    Py_ssize_t shape[MOST_AXES], strides[MOST_PLACES][MOST_AXES];
    char *at[MOST_PLACES];
    Number numbers[MOST_PLACES]; /* where a place is a number of Python's */
} Places;

/* Returns whether an operand is an array with its elements in rows, of the width of those before it. */
static bool is_row_of(PyObject *operand, const Places *p, bool first) {
    if (!is_plain_row(operand) || numpy_of(operand)->axes > MOST_AXES) return false;
    PyObject *dtype = numpy_of(operand)->dtype;
    return first ? dtype == known.dtypes[FLOAT] || dtype == known.dtypes[DOUBLE] : dtype == known.dtypes[p->width];
}

/* Extends the shape of the result by that of an operand. */
static bool extend_shape(Places *p, const NumpyArray *array) {
    if (array->axes > p->axes) {
        const int more = array->axes - p->axes;
        memmove(p->shape + more, p->shape, (size_t)p->axes * sizeof *p->shape);
        for (int i = 0; i < more; i++) p->shape[i] = 1;
        p->axes = array->axes;
    }
    Py_ssize_t *shape = p->shape + (p->axes - array->axes);
    for (int i = 0; i < array->axes; i++) {
        if (shape[i] == 1) shape[i] = array->shape[i];
        if (array->shape[i] != shape[i] && array->shape[i] != 1) return false;
    }
    return true;
}

/* Stores a number of Python's as one of C, as NumPy converts it; false: it may lose digits, and NumPy warn. */
static bool take_number(Places *p, int place, PyObject *operand) {
    double value;
    if (PyFloat_CheckExact(operand)) {
        value = PyFloat_AS_DOUBLE(operand);
    } else {
        int overflow = 0;
        const long long whole = PyLong_CheckExact(operand) ? PyLong_AsLongLongAndOverflow(operand, &overflow) : -1;
        if (!PyLong_CheckExact(operand) || overflow || whole > (1 << 24) || whole < -(1 << 24)) return false;
        value = (double)whole;
    }
    if (p->width == FLOAT)
        p->numbers[place].narrow = (float)value;
    else
        p->numbers[place].wide = value;
    p->at[place] = (char *)&p->numbers[place];
    return true;
}

/* Sets the strides of a place with this shape, whose elements are in rows. */
static void set_strides(Places *p, int place, const Py_ssize_t *shape, int axes) {
    Py_ssize_t stride = SIZES[p->width], *strides = p->strides[place] + (p->axes - axes);
    memset(p->strides[place], 0, sizeof p->strides[place]);
    for (int i = axes - 1; i >= 0; i--) {
        strides[i] = shape[i] == 1 ? 0 : stride;
        stride *= shape[i];
    }
}

/* Takes the operands of a kernel; false: no kernel does it. */
static bool take_operands(Places *p, PyObject *const *operands, int count) {
    bool first = true;
    p->axes = 0;
    p->count = count + 1;
    p->width = FLOAT;
    for (int i = 0; i < count; i++) {
        if (!is_numpy(operands[i])) continue;
        if (!is_row_of(operands[i], p, first) || !extend_shape(p, numpy_of(operands[i]))) return false;
        if (first) p->width = numpy_of(operands[i])->dtype == known.dtypes[FLOAT] ? FLOAT : DOUBLE;
        first = false;
    }
    for (int i = 0; i < p->axes; i++)
        if (p->shape[i] == 0) return false;
    for (int i = 0; i < count; i++) {
        if (!is_numpy(operands[i])) {
            if (!take_number(p, i, operands[i])) return false;
            memset(p->strides[i], 0, sizeof p->strides[i]);
        } else {
            p->at[i] = numpy_of(operands[i])->data;
            set_strides(p, i, numpy_of(operands[i])->shape, numpy_of(operands[i])->axes);
        }
    }
    return p->axes > 0; /* NumPy returns no array of no axes, but its element */
}

/* Running */

/* Joins each axis with the one inside of it, if all places are in rows over both. */
static void join_axes(Places *p) {
    int last = 0;
    for (int i = 1; i < p->axes; i++) {
        bool joins = true;
        for (int k = 0; k < p->count; k++) {
            const Py_ssize_t outer = p->strides[k][last], inner = p->strides[k][i];
            joins = joins && (p->shape[last] == 1 || p->shape[i] == 1 || outer == inner * p->shape[i]);
        }
        if (!joins) last++;
        for (int k = 0; k < p->count; k++)
            if (!joins || p->shape[i] != 1) p->strides[k][last] = p->strides[k][i];
        p->shape[last] = joins ? p->shape[last] * p->shape[i] : p->shape[i];
    }
    p->axes = last + 1;
}

static Py_ssize_t count_in(const Places *p) {
    Py_ssize_t count = 1;
    for (int i = 0; i < p->axes; i++) count *= p->shape[i];
    return count;
}

/* Calls the loop for each row. */
static void run_rows(Places *p, Loop *loop, void *data) {
    const int inner = p->axes - 1;
    Py_ssize_t index[MOST_AXES] = {0}, strides[MOST_PLACES];
    for (int k = 0; k < p->count; k++) strides[k] = p->strides[k][inner];
    while (true) {
        char *at[MOST_PLACES];
        memcpy(at, p->at, sizeof at); /* a loop may move them */
        loop(at, &p->shape[inner], strides, data);
        int axis = inner - 1;
        for (; axis >= 0; axis--) {
            for (int k = 0; k < p->count; k++) p->at[k] += p->strides[k][axis];
            if (++index[axis] < p->shape[axis]) break;
            for (int k = 0; k < p->count; k++) p->at[k] -= p->strides[k][axis] * p->shape[axis];
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

static void run(Places *p, Kernel kernel) {
    Loop *loop = known.loops[kernel][p->width];
    void *data = known.data[kernel][p->width];
    join_axes(p);
    if (count_in(p) < IN_THREADS) {
        run_rows(p, loop, data);
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    run_rows(p, loop, data);
    Py_END_ALLOW_THREADS
}

static bool is_ready(void) {
    if (!known.complete) find_numpy();
    return known.new_array != NULL;
}

/* Returns the new array of the result, as kernel_result does, whatever NumPy might warn of. */
static PyObject *result_of(Kernel kernel, PyObject *const *operands) {
    Places p;
    if (!is_ready() || !take_operands(&p, operands, OPERANDS[kernel]) || !known.loops[kernel][p.width]) return NULL;
    PyObject *made = known.new_array(numpy_array, Py_NewRef(known.dtypes[p.width]), p.axes, p.shape, NULL, NULL, 0, NULL);
    if (!made) {
        PyErr_Clear();
        return NULL;
    }
    p.at[p.count - 1] = numpy_of(made)->data;
    set_strides(&p, p.count - 1, p.shape, p.axes);
    run(&p, kernel);
    return made;
}

/* Returns whether NumPy neither warns of results that are too small for a normal number, as it does not by itself, nor
 * raises. Asking takes as long as NumPy's own call for a small array. */
static bool ignores_underflow(void) {
    PyObject *modes = PyObject_CallNoArgs(known.modes), *mode = modes ? PyDict_GetItemString(modes, "under") : NULL;
    const bool ignores = mode && PyUnicode_CompareWithASCIIString(mode, "ignore") == 0;
    Py_XDECREF(modes);
    PyErr_Clear();
    return ignores;
}

enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy may warn of */

PyObject *kernel_result(Kernel kernel, PyObject *const *operands) {
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
    PyObject *made = result_of(kernel, operands);
    const int found = made ? fetestexcept(WARNED) : 0;
    if (!found) return made;
    if (found == FE_UNDERFLOW && count_of(made) >= WORTH_ASKING && ignores_underflow()) return made;
    Py_DECREF(made);
    return NULL;
}

/* Returns whether the elements of two arrays lie apart, or are the same ones. */
static bool is_apart(PyObject *a, PyObject *b) {
    if (!is_numpy(b)) return true;
    const Py_ssize_t size = dtype_of(a)->size;
    const char *first = numpy_of(a)->data, *second = numpy_of(b)->data;
    if (first + count_of(a) * size <= second || second + count_of(b) * size <= first) return true;
    return first == second && count_of(a) == count_of(b);
}

/* Writes the result to the first operand, as NumPy does for `a += b`, but never warns; false: nothing was done. */
static bool kernel_in_place(Kernel kernel, PyObject *const *operands) {
    Places p;
    if (!is_ready() || !is_numpy(operands[0]) || !take_operands(&p, operands, OPERANDS[kernel])) return false;
    const NumpyArray *first = numpy_of(operands[0]);
    if (!known.loops[kernel][p.width] || !(first->flags & WRITEABLE)) return false;
    if (!is_shaped(first, p.axes, p.shape) || !is_apart(operands[0], operands[1])) return false;
    p.at[p.count - 1] = first->data;
    set_strides(&p, p.count - 1, p.shape, p.axes);
    run(&p, kernel);
    return true;
}

/* Python's interface, silent */

static PyObject *by_kernel(Kernel kernel, PyObject *a, PyObject *b, binaryfunc function) {
    PyObject *const operands[] = {a, b};
    PyObject *made = is_numpy(a) || is_numpy(b) ? result_of(kernel, operands) : NULL;
    return made ? made : function(a, b);
}

static PyObject *in_place(Kernel kernel, PyObject *a, PyObject *b, binaryfunc function) {
    PyObject *const operands[] = {a, b};
    return kernel_in_place(kernel, operands) ? Py_NewRef(a) : function(a, b);
}

PyObject *sum_of(PyObject *a, PyObject *b) { return by_kernel(ADDING, a, b, PyNumber_Add); }
PyObject *difference_of(PyObject *a, PyObject *b) { return by_kernel(SUBTRACTING, a, b, PyNumber_Subtract); }
PyObject *product_of(PyObject *a, PyObject *b) { return by_kernel(MULTIPLYING, a, b, PyNumber_Multiply); }
PyObject *quotient_of(PyObject *a, PyObject *b) { return by_kernel(DIVIDING, a, b, PyNumber_TrueDivide); }

PyObject *negative_of(PyObject *a) {
    PyObject *made = is_numpy(a) ? result_of(NEGATING, &a) : NULL;
    return made ? made : PyNumber_Negative(a);
}

PyObject *sum_in_place(PyObject *a, PyObject *b) { return in_place(ADDING, a, b, PyNumber_InPlaceAdd); }
PyObject *product_in_place(PyObject *a, PyObject *b) { return in_place(MULTIPLYING, a, b, PyNumber_InPlaceMultiply); }
PyObject *quotient_in_place(PyObject *a, PyObject *b) { return in_place(DIVIDING, a, b, PyNumber_InPlaceTrueDivide); }
