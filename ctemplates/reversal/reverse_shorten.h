/* Removing operations that only copy. */
#ifndef CK_REVERSE_SHORTEN_H
#define CK_REVERSE_SHORTEN_H

#include "reversal/backward.h"

/* Shortens a list of operations on REALs in place; returns its new end. */
BackOperation *reverse_shorten(const Block *block, BackOperation *from);

#endif
