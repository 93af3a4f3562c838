/* The native steps that change containers. */
#ifndef CK_NATIVES_CHANGE_H
#define CK_NATIVES_CHANGE_H

#include "natives/native.h"

NATIVE(native_set);
NATIVE(native_assign);
NATIVE(native_append);
NATIVE(native_delete);
NATIVE(native_extend);
NATIVE(native_add_in_place);
NATIVE(native_clear);
NATIVE(native_set_attribute);
NATIVE(native_put_back);
NATIVE(native_put_back_attribute);

#endif
