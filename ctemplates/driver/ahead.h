/* The machines that have begun the next segments of a series: abreast.h says what they are for. */
#ifndef CK_AHEAD_H
#define CK_AHEAD_H

#include "machine/fast.h"

/* ahead: the machines that have begun their segments, the last one of the run first.
 * runs: they may be inconsistent. refused: until the end of the series there are no more. */
typedef struct Abreast {
    Machine *ahead[ABREAST - 1];
    size_t count;
    bool runs, refused;
} Abreast;

#endif
