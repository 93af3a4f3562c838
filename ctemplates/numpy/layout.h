/* How the operands of one of NumPy's loops, and its result, lie: along axes that all of them share. */
#ifndef CK_LAYOUT_H
#define CK_LAYOUT_H

#include "numpy/numpy_interface.h"

enum { MOST_AXES = 4, MOST_PLACES = 3 };

typedef enum Width { FLOAT, DOUBLE, WIDTHS } Width;

static inline Py_ssize_t size_of(Width width) { return width == FLOAT ? sizeof(float) : sizeof(double); }

typedef union Number {
    float narrow;
    double wide;
} Number;

/* The operands, then the result. Axes are in the order in which the result's elements lie. */
typedef struct Places {
    Width width;
    int count, axes; /* of places; of the result's shape, until axes are joined */
    bool is_permuted;
    int order[MOST_AXES]; /* where it is: which axis of the result each one is */
    Py_ssize_t shape[MOST_AXES], strides[MOST_AXES][MOST_PLACES]; /* in bytes; 0 along what is broadcast */
    char *at[MOST_PLACES];
    Number numbers[MOST_PLACES]; /* where a place is a number of Python's */
} Places;

/* Lays out `count` operands: numbers of Python, and arrays of one of the dtypes, by their width, which agree on an order of the
 * axes, in which NumPy would return elements in a row. False: they are no such, or the result would have no axes or no
 * elements, or NumPy's own call takes no longer. */
bool lay_out(Places *p, PyObject *const *operands, int count, PyObject *const *dtypes);

/* Lays out the result, an array of the shape found, with its elements in a row from a place on. */
void lay_out_result(Places *p, char *at);

/* Finds the shape and the strides of the result, where axes are permuted. */
void find_result(const Places *p, Py_ssize_t *shape, Py_ssize_t *strides);

/* Joins each axis with the one inside of it, if all places are in rows over both. */
void join_axes(Places *p);

/* Moves all places to the next index along the first axes, so many of them; false: there is none, and they are where they
 * have been at first. */
bool next_index(Places *p, int axes, Py_ssize_t *index);

/* Returns the operand with the fewest elements, each counted once though it may be broadcast. */
int smallest_operand(const Places *p);

/* Returns whether there is a NaN among numbers in a row. */
bool has_nan_among(const double *reals, Py_ssize_t count);

/* Returns whether an operand has a NaN. */
bool has_nan(const Places *p, int place);

static inline Py_ssize_t count_in(const Places *p) {
    Py_ssize_t count = 1;
    for (int i = 0; i < p->axes; i++) count *= p->shape[i];
    return count;
}

#endif
