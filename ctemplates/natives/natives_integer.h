/* The native steps that work on integers. */
#ifndef CK_NATIVES_INTEGER_H
#define CK_NATIVES_INTEGER_H

#include "natives/native.h"

NATIVE(native_index);
NATIVE(native_int);
NATIVE(native_floor);
NATIVE(native_ceil);
NATIVE(native_trunc);
NATIVE(native_round);
NATIVE(native_is_finite);
NATIVE(native_is_infinite);
NATIVE(native_is_nan);
NATIVE(native_and);
NATIVE(native_or);
NATIVE(native_xor);
NATIVE(native_invert);
NATIVE(native_left_shift);
NATIVE(native_right_shift);

#endif
