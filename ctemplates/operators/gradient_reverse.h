/* The reversal of *j and its kin (gradient.h). */
#ifndef CK_GRADIENT_REVERSE_H
#define CK_GRADIENT_REVERSE_H

#include "state/cotangent.h"
#include "state/whole.h"

/* See HeapHooks (memory/heap.h). */
bool gradient_reverse(Cotangent *c, const Whole *whole, Value *received, const Register *at);

#endif
