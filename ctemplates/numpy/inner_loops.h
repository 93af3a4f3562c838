/* Calls of one of NumPy's loops for all elements of places that are laid out.
 *
 * A call takes longer than a few elements do. So where the innermost axis is short, as that of positions in space is, many
 * of its rows are one call: what does not lie in a row is copied to one first, as NumPy does, too.
 */
#ifndef CK_INNER_LOOPS_H
#define CK_INNER_LOOPS_H

#include "numpy/layout.h"

/* Calls a loop for all elements. Axes have been joined. */
void run_loop(Places *p, Loop *loop, void *data);

#endif
