/* The native steps that make containers. */
#ifndef CK_NATIVES_MAKE_H
#define CK_NATIVES_MAKE_H

#include "natives/native.h"

NATIVE(native_tuple);
NATIVE(native_list);
NATIVE(native_record);
NATIVE(native_new);
NATIVE(native_range);
NATIVE(native_list_of);
NATIVE(native_arguments);
NATIVE(native_tuple_of);
NATIVE(native_slice);
NATIVE(native_unpack);
NATIVE(native_copy);
NATIVE(native_concatenate);
NATIVE(native_repeat);
NATIVE(native_dict);
NATIVE(native_dict_of);
NATIVE(native_values);

#endif
