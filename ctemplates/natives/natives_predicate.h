/* The native steps that return booleans. */
#ifndef CK_NATIVES_TELL_H
#define CK_NATIVES_TELL_H

#include "natives/native.h"

NATIVE(native_contains);
NATIVE(native_is);
NATIVE(native_is_array);
NATIVE(native_instance);
NATIVE(native_is_class);
NATIVE(native_equal);
NATIVE(native_not_equal);
NATIVE(native_callable);
NATIVE(native_is_null);
NATIVE(native_is_boolean);
NATIVE(native_is_real);
NATIVE(native_is_pair);
NATIVE(native_is_procedure);
NATIVE(native_has_general);
NATIVE(native_is_symbol);
NATIVE(native_is_string);
NATIVE(native_same);
NATIVE(native_are_reals);
NATIVE(native_common_width); /* an integer: how many elements results of lanes have */
NATIVE(native_plain_width);  /* an integer: how many elements one has */

#endif
