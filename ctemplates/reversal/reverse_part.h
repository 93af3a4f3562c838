/* Reversing a part of a block. */
#ifndef CK_REVERSE_PART_H
#define CK_REVERSE_PART_H

#include "state/cotangent.h"

Outcome reverse_part(Part *part, Cotangent *c); /* STOPPED or FAILED */

#endif
