/* Calls of one of NumPy's loops for all elements of places that are laid out.
 *
 * A call takes longer than a few elements do. So where the innermost axis is short, as that of positions in space is, many
 * of its rows are one call: what does not lie in a row is copied to one first, as NumPy does, too.
 */
#ifndef CK_INNER_LOOPS_H
#define CK_INNER_LOOPS_H

#include "numpy/layout.h"

/* Rows of numbers in memory: where the first one is, how many there are, elements of each, and strides in bytes from row to row
 * and within a row. */
typedef struct Rows {
    const char *from;
    Py_ssize_t count, length, outer, inner;
} Rows;

/* Copies the elements of rows of doubles next to each other. */
void copy_rows_of_double(const Rows *rows, double *to);

/* Calls a loop for all elements. Axes have been joined. */
void run_loop(Places *p, Loop *loop, void *data);

#endif
