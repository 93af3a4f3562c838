/* Trees of data between C and the caller's own objects, without values of Python in between: for small gradients
 * (at_once/small_gradient.h), whose arguments are copied straight from what the caller holds.
 *
 * In: floats, bools, None, strings, ints that fit in C; lists, tuples, and dictionaries with strings for keys, of
 * exactly these types, to a depth of DEEPEST_TREE. Out: values as checkpoint/functions/pytrees.py and passage_import.c
 * make them: containers are FROZEN, one that is met twice becomes two, and births are given depth first, in order.
 * All else is refused; then the heap may only be freed as a whole.
 *
 * Both directions hold the GIL, and an `escape` of the caller's own.
 */
#ifndef CK_TREES_H
#define CK_TREES_H

#include "bridge/passage.h"
#include "state/cotangent.h"

enum { DEEPEST_TREE = 16, LARGEST_TREE = 1 << 15 }; /* as many parts */

typedef struct Tree {
    Heap *heap;
    int64_t births; /* that of the next object */
    int64_t parts;  /* that may still enter */
} Tree;

/* Copies an object into `*to`; false: it is refused, and no exception is set. */
bool tree_import(Tree *tree, PyObject *python, Value *to);

/* Returns the cotangent of a value of a tree, as the caller receives it: of a real, which is the field of an object
 * with this birth, a float; of a container one of the same type; of all else None. Adds the number of reals to `*reals`.
 * NULL: Python has no memory, or an accumulator is no real. */
PyObject *tree_cotangent(Cotangent *c, Value value, uint64_t birth, int64_t field, size_t *reals);

#endif
