/* Single elements of arrays in translated code: see state/element_sums.h. */
#ifndef CK_UNIT_ELEMENTS_H
#define CK_UNIT_ELEMENTS_H

#include "state/element_sums.h"

extern const ElementHooks ELEMENT_HOOKS;

/* Returns what translated code may make of a value: ELEMENT_SCALAR, a handle of a scalar; ELEMENT_SCALAR and the number of its
 * axes, one of an array whose elements are read in place; 0: nothing. */
enum { ELEMENT_SCALAR = 3 };
int64_t element_kind(Value v);

#endif
