/* Single elements of arrays in translated code: see state/element_sums.h. */
#ifndef CK_UNIT_ELEMENTS_H
#define CK_UNIT_ELEMENTS_H

#include "state/element_sums.h"

extern const ElementHooks ELEMENT_HOOKS;

#endif
