/* What translated code asks of a library of arrays: single elements of NumPy's arrays of doubles, NumPy's scalars, and the
 * accumulators of both.
 *
 * In a unit a scalar is a double, and an array is a handle beside the place, sizes and strides of its elements. In its adjoint
 * the accumulator of a scalar is a double, -0.0 where nothing was added, which is added to nothing; that of an array's
 * location is ElementSums.
 *
 * What always holds: each location adds up on its own, an element in the order of its contributions, as a sparse Accumulator
 * does (checkpoint/ad/accumulators.py), so the bits are the machine's.
 */
#ifndef CK_ELEMENT_SUMS_H
#define CK_ELEMENT_SUMS_H

#include "state/cotangent.h"
#include "state/machine.h"

enum { FEW_SUMS = 4, ELEMENT_AXES = 2 };

typedef struct ElementSum {
    int64_t at; /* in the order of C */
    double sum;
} ElementSum;

typedef struct ElementSums {
    Value whole;   /* the accumulator; the REAL 0: nothing was added, or to single elements alone */
    double *reals; /* its elements, in the order of C; NULL: there is no whole, or it adds by itself (fold) */
    int32_t axes;
    int32_t count;
    int64_t sizes[ELEMENT_AXES];
    ElementSum few[FEW_SUMS]; /* what `count` elements have received, beside what is in `whole` */
} ElementSums;

/* An array of doubles as its elements are read. */
typedef struct ElementView {
    int64_t data; /* the address of the first one */
    int64_t sizes[ELEMENT_AXES], strides[ELEMENT_AXES]; /* in bytes */
} ElementView;

/* An inner loop of a function of NumPy's from one or two doubles to one; NULL: it has not been looked up yet. */
typedef struct ElementLoop {
    void (*run)(char **places, const intptr_t *count, const intptr_t *steps, void *data);
    void *data;
} ElementLoop;

/* Implemented by unit_arrays/unit_elements.c; an executable has none. */
typedef struct ElementHooks {
    /* Store the double of a handle of a scalar; and what shows the elements of a handle of an array of so many axes, which
     * has not been changed by another one before a step. false: the value is anything else. */
    bool (*open_scalar)(Value v, double *x);
    bool (*open_array)(Machine *m, Value v, int axes, int64_t steps, ElementView *view);
    /* Return whether the run may change what a handle of an array shows; and whether two show the same elements, in part. */
    bool (*may_set)(const Machine *m, Value v);
    bool (*share)(Value a, Value b);
    /* Returns the handle after a change by the step of this number, for the old one, which it consumes. On a tape, that keeps
     * the array, whose first element is at `data`. */
    Value (*changed)(Machine *m, Value v, int64_t steps, int64_t data);
    /* Return whether a value is a handle of an array of integers, or of booleans, with one axis. */
    bool (*is_whole_row)(Value v);
    bool (*is_truth_row)(Value v);
    /* Stores the element of such an array at an index as in Python; false: there is none, it may have been changed, or it has
     * less than so many bytes. */
    bool (*whole_at)(Machine *m, Value v, int64_t index, int64_t least, int64_t *whole);
    /* Finds the loop of NumPy's function of this name and so many operands; false: there is none. */
    bool (*find_loop)(const char *name, int operands, ElementLoop *loop);
    /* Puts an element of such an array back, in the reversal. */
    void (*put_back)(Cotangent *c, const ElementView *view, const int64_t *at, double old);
    /* Takes what an element has received from a whole that has no `reals`. */
    double (*take_element)(Cotangent *c, ElementSums *sums, int64_t at);
    /* Returns a new handle of a scalar. */
    Value (*scalar)(Machine *m, double x);
    /* Return the double in the accumulator of a scalar, which is consumed; and a new accumulator of one. */
    double (*take_scalar)(Cotangent *c, Value accumulator);
    Value (*scalar_accumulator)(Cotangent *c, double x);
    /* Moves `few` to the whole, which is made if there is none; and finds the elements of that. */
    void (*fold)(Cotangent *c, ElementSums *sums);
    /* Sets `reals` for the whole, if there is one. */
    void (*open_sums)(ElementSums *sums);
} ElementHooks;

#endif
