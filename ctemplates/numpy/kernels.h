/* NumPy's own inner loops, called without its dispatch.
 *
 * A ufunc of NumPy's takes a third of a microsecond to find the loop for small arrays, which itself takes some
 * nanoseconds. Here the loop is looked up once for each of KERNELS, for floats of 32 and of 64 bits, and
 * called with the same elements: so results have NumPy's bits, those of NaN too (inner_loops.h).
 */
#ifndef CK_KERNELS_H
#define CK_KERNELS_H

#include "numpy/numpy_interface.h"

/* Returns the new array that NumPy's function returns for these operands, arrays and numbers of Python. NULL without an
 * exception: they are not arrays of NumPy's of one dtype, with elements in the order of their axes, or NumPy might warn;
 * its function is to be called. */
PyObject *kernel_result(Kernel kernel, PyObject *const *operands);

/* Returns whether NumPy neither warns of results that are too small for a normal number, as it does not by itself, nor
 * raises. Asking takes as long as NumPy's own call for a small array. */
bool ignores_underflow(void);

/* Returns the loop of NumPy's function of this name from double to double, and its data; NULL: there is none. */
Loop *loop_of_doubles(const char *name, int operands, void **data);

/* What NumPy might warn of is counted by the processor from `forget_warnings` on; `might_warn` asks, of so many elements. */
void forget_warnings(void);
bool might_warn(Py_ssize_t elements);

/* Returns the loop of a kernel on doubles, and its data; NULL: there is none. */
Loop *kernel_on_doubles(Kernel kernel, void **data);

/* Return what the functions of Python's interface return, by a kernel where there is one, which does not warn: for
 * reversals, where NumPy is silent. Those in place return the first operand, if it can be changed. */
PyObject *sum_of(PyObject *a, PyObject *b);
PyObject *difference_of(PyObject *a, PyObject *b);
PyObject *product_of(PyObject *a, PyObject *b);
PyObject *quotient_of(PyObject *a, PyObject *b);
PyObject *negative_of(PyObject *a);
PyObject *sum_in_place(PyObject *a, PyObject *b);
PyObject *product_in_place(PyObject *a, PyObject *b);
PyObject *quotient_in_place(PyObject *a, PyObject *b);

#endif
