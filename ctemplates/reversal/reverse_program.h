/* The programs that reverse whole blocks, decoded once for each cotangent (backward.h). */
#ifndef CK_REVERSE_PROGRAM_H
#define CK_REVERSE_PROGRAM_H

#include "reversal/backward.h"

void programs_create(Cotangent *c);
void programs_destroy(Cotangent *c);

/* Returns the block's program, made on first use. */
Backward *program_of(Cotangent *c, const Block *block);

#endif
