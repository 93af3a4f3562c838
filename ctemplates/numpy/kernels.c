/* NumPy's own inner loops: see kernels.h. */
#include "numpy/kernels.h"

#include <fenv.h>
#include <stddef.h>
#include <string.h>

#include "memory/exceptions.h"
#include "numpy/columns.h"
#include "numpy/inner_loops.h"

enum { IN_THREADS = 10000, WORTH_ASKING = 1000 }; /* elements, from which on the GIL is released; see below */

/* PyUFuncObject of numpy/ufuncobject.h: the beginning of a function. */
typedef struct Ufunc {
    PyObject_HEAD
    int inputs, outputs, places, identity;
    Loop **loops;
    void *const *data;
    int count, reserved;
    const char *name, *types; /* of each loop the numbers of the dtypes of its operands and its result */
} Ufunc;

static const int NUMBERS[WIDTHS] = {11, 12}; /* NPY_FLOAT, NPY_DOUBLE */
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

/* Returns NumPy's function of this name with so many operands and one result, a new reference; NULL, maybe with an
 * exception: it has none. */
static PyObject *function_named(PyObject *numpy, const char *name, int count) {
    PyObject *found = PyObject_GetAttrString(numpy, name);
    const Ufunc *ufunc = (const Ufunc *)(const void *)found;
    const bool fits = found && strcmp(Py_TYPE(found)->tp_name, "numpy.ufunc") == 0 && ufunc->inputs == count &&
                      ufunc->outputs == 1 && strcmp(ufunc->name, name) == 0;
    if (!fits) Py_CLEAR(found);
    return found;
}

/* Returns the loop of a function on numbers of one dtype, and its data; NULL: it has none. */
static Loop *loop_in(const Ufunc *ufunc, int number, void **data) {
    const int places = ufunc->inputs + 1;
    for (int i = 0; i < ufunc->count; i++) {
        const char *types = ufunc->types + (ptrdiff_t)i * places;
        bool same = true;
        for (int k = 0; k < places; k++) same = same && types[k] == number;
        if (!same) continue;
        *data = ufunc->data ? ufunc->data[i] : NULL;
        return ufunc->loops[i];
    }
    return NULL;
}

static void find_loops(PyObject *numpy, Kernel kernel) {
    PyObject *found = function_named(numpy, NAMES[kernel], OPERANDS[kernel]);
    const Ufunc *ufunc = (const Ufunc *)(const void *)found;
    for (int width = 0; found && width < WIDTHS; width++)
        known.loops[kernel][width] = loop_in(ufunc, NUMBERS[width], &known.data[kernel][width]);
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
    forget_exception();
    known.complete = true;
}

Loop *loop_of_doubles(const char *name, int operands, void **data) {
    PyObject *module = PyUnicode_FromString("numpy"), *numpy = module ? PyImport_GetModule(module) : NULL;
    PyObject *found = numpy && numpy_functions() ? function_named(numpy, name, operands) : NULL;
    Loop *loop = found ? loop_in((const Ufunc *)(const void *)found, NUMBERS[DOUBLE], data) : NULL;
    Py_XDECREF(found);
    Py_XDECREF(numpy);
    Py_XDECREF(module);
    forget_exception();
    return loop;
}

/* Running */

/* Returns whether results depend on which elements are in one call of a loop, which NumPy divides by rules of its own, where
 * operands have NaNs. Near the end of a call the sum of two NaNs may be the other one, so may the product. */
static bool chooses_nans(Kernel kernel) { return kernel == ADDING || kernel == MULTIPLYING; }

/* Returns whether results do not depend on that. The greater of two zeros may be either one. */
static bool has_any_layout(const Places *p, Kernel kernel) {
    if (kernel == GREATER || kernel == LESSER) return false;
    return !chooses_nans(kernel) || !has_nan(p, smallest_operand(p));
}

/* Writes the result; false: NumPy's might differ, and it was not written, or to no operand. */
static bool run_here(Places *p, Kernel kernel) {
    const bool in_place = p->at[0] == p->at[p->count - 1];
    if (p->axes == 1 || !are_few_columns(p, kernel)) {
        if (p->axes > 1 && !has_any_layout(p, kernel)) return false;
        run_loop(p, known.loops[kernel][p->width], known.data[kernel][p->width]);
        return true;
    }
    if (in_place && !has_any_layout(p, kernel)) return false;
    return !set_few_columns(p, kernel) || in_place || !chooses_nans(kernel);
}

static bool run(Places *p, Kernel kernel) {
    bool done;
    join_axes(p);
    if (count_in(p) < IN_THREADS) return run_here(p, kernel);
    Py_BEGIN_ALLOW_THREADS
    done = run_here(p, kernel);
    Py_END_ALLOW_THREADS
    return done;
}

static bool is_ready(void) {
    if (!known.complete) find_numpy();
    return known.new_array != NULL;
}

Loop *kernel_on_doubles(Kernel kernel, void **data) {
    if (!is_ready()) return NULL;
    *data = known.data[kernel][DOUBLE];
    return known.loops[kernel][DOUBLE];
}

/* Returns a new array for the result; NULL, with an exception. */
static PyObject *new_result(const Places *p) {
    PyObject *dtype = Py_NewRef(known.dtypes[p->width]);
    if (!p->is_permuted) return known.new_array(numpy_array, dtype, p->axes, p->shape, NULL, NULL, 0, NULL);
    Py_ssize_t shape[MOST_AXES], strides[MOST_AXES];
    find_result(p, shape, strides);
    return known.new_array(numpy_array, dtype, p->axes, shape, strides, NULL, 0, NULL);
}

/* Returns the new array of the result, as kernel_result does, whatever NumPy might warn of. */
static PyObject *result_of(Kernel kernel, PyObject *const *operands) {
    Places p;
    if (!is_ready() || !lay_out(&p, operands, OPERANDS[kernel], known.dtypes) || !known.loops[kernel][p.width]) return NULL;
    PyObject *made = new_result(&p);
    if (!made) {
        forget_exception();
        return NULL;
    }
    lay_out_result(&p, numpy_of(made)->data);
    if (!run(&p, kernel)) Py_CLEAR(made);
    return made;
}

bool ignores_underflow(void) {
    if (!is_ready()) return false;
    PyObject *modes = PyObject_CallNoArgs(known.modes), *mode = modes ? PyDict_GetItemString(modes, "under") : NULL;
    const bool ignores = mode && PyUnicode_CompareWithASCIIString(mode, "ignore") == 0;
    Py_XDECREF(modes);
    forget_exception();
    return ignores;
}

enum { WARNED = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; /* what NumPy may warn of */

void forget_warnings(void) {
    if (fetestexcept(WARNED)) feclearexcept(WARNED);
}

bool might_warn(Py_ssize_t elements) {
    const int found = fetestexcept(WARNED);
    return found && (found != FE_UNDERFLOW || elements < WORTH_ASKING || !ignores_underflow());
}

PyObject *kernel_result(Kernel kernel, PyObject *const *operands) {
    forget_warnings();
    PyObject *made = result_of(kernel, operands);
    if (made && might_warn(count_of(made))) Py_CLEAR(made);
    return made;
}

/* Returns the end of an array's elements, of which there is one; they lie from its data on. */
static const char *end_of(const NumpyArray *array, Py_ssize_t size) {
    const char *last = array->data;
    for (int i = 0; i < array->axes; i++) last += (array->shape[i] - 1) * array->strides[i];
    return last + size;
}

/* Returns whether the elements of two arrays lie apart, or are the same ones, in rows. */
static bool is_apart(PyObject *a, PyObject *b) {
    if (!is_numpy(b)) return true;
    const Py_ssize_t size = dtype_of(a)->size;
    const NumpyArray *first = numpy_of(a), *second = numpy_of(b);
    if (end_of(first, size) <= second->data || end_of(second, size) <= first->data) return true;
    return first->data == second->data && count_of(a) == count_of(b) && is_plain_row(b);
}

/* Writes the result to the first operand, as NumPy does for `a += b`, but never warns; false: nothing was done. */
static bool kernel_in_place(Kernel kernel, PyObject *const *operands) {
    Places p;
    if (!is_ready() || !is_numpy(operands[0]) || !is_plain_row(operands[0]) || !lay_out(&p, operands, OPERANDS[kernel], known.dtypes)) return false;
    const NumpyArray *first = numpy_of(operands[0]);
    if (p.is_permuted || !known.loops[kernel][p.width] || !(first->flags & WRITEABLE)) return false;
    if (!is_shaped(first, p.axes, p.shape) || !is_apart(operands[0], operands[1])) return false;
    lay_out_result(&p, first->data);
    return run(&p, kernel);
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
