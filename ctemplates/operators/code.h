/* Asks Python for code that a machine lacks, in the middle of a step. */
#ifndef CK_CODE_ASKED_H
#define CK_CODE_ASKED_H

#include "state/machine.h"

/* Makes the form of a block's code, by the helper's method; false: there is no helper, or it has failed. */
bool foreign_make_code(Heap *heap, void *helper, const Block *block, Form form);

#endif
