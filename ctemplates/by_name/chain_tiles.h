/* Tiles of chains: runs operations on some rows at a time of what they read, and writes these rows of the result. */
#ifndef CK_CHAIN_TILES_H
#define CK_CHAIN_TILES_H

#include "numpy/layout.h"

enum { MOST_OPERANDS = 32, MOST_VALUES = 32, ALL_AXES = MOST_AXES + 1 };

/* What is read at each element of the result. */
typedef struct Source {
    const char *at;
    Py_ssize_t strides[ALL_AXES];
    const char *index; /* NULL: strides say where all elements are; else an integer says more */
    Py_ssize_t steps[ALL_AXES], step, length; /* strides of the index; from one of its places to the next; how many there are */
    bool has_offsets; /* the index is of bytes already, within bounds */
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
    double *buffers; /* a tile for each source, and for each value; then what serves all tiles */
} Chain;

/* Runs all operations for all elements; false: there is a NaN, an index is out of bounds, or memory is missing. Nothing is
 * changed but the result, the sources and the buffers. */
bool run_chain(Chain *c);

#endif
