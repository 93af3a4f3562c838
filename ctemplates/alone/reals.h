/* Reals as texts, and words as reals, as Python has them. */
#ifndef CK_REALS_H
#define CK_REALS_H

#include "alone/buffer.h"

/* Appends the shortest numeral that reads back as this real. */
void write_real(Buffer *buffer, double real);

/* Appends it as Python's `repr` writes it. */
void write_float(Buffer *buffer, double real);

/* Stores the real that Python's `float` makes of a word; false: it is none. */
bool read_real(const char *word, double *real);

#endif
