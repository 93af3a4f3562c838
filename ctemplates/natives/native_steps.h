/* The native steps by name; natives.c says of which records they are. */
#ifndef CK_NATIVE_STEPS_H
#define CK_NATIVE_STEPS_H

#include "natives/natives.h"

/* natives_read.c */
NATIVE(native_item);
NATIVE(native_pop_item);
NATIVE(native_attribute);
NATIVE(native_variable);
NATIVE(native_sequence);
NATIVE(native_keys);
NATIVE(native_callee);
NATIVE(native_len);
NATIVE(native_truth);
NATIVE(native_not);

/* natives_tell.c */
NATIVE(native_contains);
NATIVE(native_is);
NATIVE(native_is_array);
NATIVE(native_instance);
NATIVE(native_equal);
NATIVE(native_not_equal);
NATIVE(native_callable);
NATIVE(native_is_null);
NATIVE(native_is_boolean);
NATIVE(native_is_real);
NATIVE(native_is_pair);
NATIVE(native_is_procedure);
NATIVE(native_is_symbol);
NATIVE(native_is_string);
NATIVE(native_same);

/* natives_integer.c */
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

/* natives_make.c */
NATIVE(native_tuple);
NATIVE(native_list);
NATIVE(native_record);
NATIVE(native_range);
NATIVE(native_list_of);
NATIVE(native_tuple_of);
NATIVE(native_slice);
NATIVE(native_unpack);
NATIVE(native_copy);
NATIVE(native_concatenate);
NATIVE(native_repeat);
NATIVE(native_dict);
NATIVE(native_dict_of);
NATIVE(native_values);

/* natives_change.c */
NATIVE(native_set);
NATIVE(native_append);
NATIVE(native_delete);
NATIVE(native_extend);
NATIVE(native_add_in_place);
NATIVE(native_clear);

#endif
