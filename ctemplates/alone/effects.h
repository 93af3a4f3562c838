/* Input and output, each once: checkpoint/driver/effects.py.
 *
 * An effect is known by its path: the step at which it happens, behind that of the step within which its run is, and so on.
 * A run that is made again meets its effects in the same order: it writes nothing, and receives what was read.
 */
#ifndef CK_EFFECTS_H
#define CK_EFFECTS_H

#include <stdint.h>

#include "alone/buffer.h"

/* Where a run is: within a step of another one, or of none. Machines and cotangents have it as their helper. */
typedef struct Within {
    const struct Within *outer; /* NULL: it is no run within a step */
    int64_t step;
} Within;

/* Writes a line, unless the path was reached before. */
void effect_write(const Within *run, int64_t step, const Buffer *line);

/* Returns the next word of standard input, or the one that was read at this path before; "": there is none. */
const char *effect_read(const Within *run, int64_t step);

#endif
