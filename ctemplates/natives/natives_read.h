/* The native steps that read containers and records. */
#ifndef CK_NATIVES_READ_H
#define CK_NATIVES_READ_H

#include "natives/native.h"

NATIVE(native_item);
NATIVE(native_pop_item);
NATIVE(native_attribute);
NATIVE(native_variable);
NATIVE(native_tag);
NATIVE(native_untagged);
NATIVE(native_sequence);
NATIVE(native_keys);
NATIVE(native_callee);
NATIVE(native_len);
NATIVE(native_truth);
NATIVE(native_not);

#endif
