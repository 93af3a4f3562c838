/* The native steps by the names of their records (checkpoint/prims), in any order. */
#include "natives/natives.h"

#include <string.h>

#include "natives/natives_change.h"
#include "natives/natives_derive.h"
#include "natives/natives_integer.h"
#include "natives/natives_make.h"
#include "natives/natives_read.h"
#include "natives/natives_predicate.h"

const NativeStep NATIVES[] = {
    {"null?", native_is_null, false},
    {"boolean?", native_is_boolean, false},
    {"real?", native_is_real, false},
    {"tensor?", native_is_array, false},
    {"pair?", native_is_pair, false},
    {"procedure?", native_is_procedure, false},
    {"symbol?", native_is_symbol, false},
    {"string?", native_is_string, false},
    {"eq?", native_same, false},
    {"ref", native_list, false},
    {"!", native_variable, false}, /* a reference is a list of one, as a variable's cell is */
    {":=", native_assign, false},
    {"tagged", native_tuple, false},
    {"tag-of", native_tag, false},
    {"untagged", native_untagged, false},
    {"py.item", native_item, false},
    {"py.item-to-change", native_item, false},
    {"py.pop-item", native_pop_item, false},
    {"py.attribute", native_attribute, false},
    {"py.variable", native_variable, false},
    {"py.sequence", native_sequence, false},
    {"py.callee", native_callee, false},
    {"py.len", native_len, false},
    {"py.truth", native_truth, false},
    {"py.not", native_not, false},
    {"py.contains", native_contains, false},
    {"py.is", native_is, false},
    {"py.is-array", native_is_array, false},
    {"py.was-changed", native_is_array, false},
    {"py.instance", native_instance, false},
    {"py.is-class", native_is_class, false},
    {"py.eq/any", native_equal, false},
    {"py.ne/any", native_not_equal, false},
    {"py.add/any", native_concatenate, false},
    {"py.mul/any", native_repeat, false},
    {"py.iadd/any", native_add_in_place, false},
    {"py.callable", native_callable, false},
    {"py.are-reals", native_are_reals, false},
    {"py.common-width", native_common_width, false},
    {"py.plain-width", native_plain_width, false},
    {"py.index", native_index, false},
    {"py.int", native_int, false},
    {"py.round", native_round, false},
    {"py.math.floor", native_floor, false},
    {"py.math.ceil", native_ceil, false},
    {"py.math.trunc", native_trunc, false},
    {"py.math.isfinite", native_is_finite, false},
    {"py.math.isinf", native_is_infinite, false},
    {"py.math.isnan", native_is_nan, false},
    {"py.and", native_and, false},
    {"py.iand", native_and, false},
    {"py.or", native_or, false},
    {"py.ior", native_or, false},
    {"py.xor", native_xor, false},
    {"py.ixor", native_xor, false},
    {"py.invert", native_invert, false},
    {"py.lshift", native_left_shift, false},
    {"py.ilshift", native_left_shift, false},
    {"py.rshift", native_right_shift, false},
    {"py.irshift", native_right_shift, false},
    {"py.tuple", native_tuple, false},
    {"py.list", native_list, false},
    {"py.record", native_record, false},
    {"py.range", native_range, false},
    {"py.list-of", native_list_of, true},
    {"py.tuple-of", native_tuple_of, true},
    {"py.list-of-star", native_list_of, true},
    {"py.tuple-of-star", native_tuple_of, true},
    {"py.has-general", native_has_general, false},
    {"py.arguments", native_arguments, true},
    {"py.slice", native_slice, true},
    {"py.slice-to-change", native_slice, true},
    {"py.unpack", native_unpack, true},
    {"py.copy", native_copy, true},
    {"py.dict", native_dict, false},
    {"py.dict-of", native_dict_of, false},
    {"py.keys", native_keys, false},
    {"py.values", native_values, false},
    {"py.set", native_set, false},
    {"py.append", native_append, false},
    {"py.delete", native_delete, false},
    {"py.extend", native_extend, false},
    {"py.clear", native_clear, false},
    {"py.put-back", native_put_back, false},
    {"py.new", native_new, false},
    {"%exit", native_exit, false}, /* of j* */
    {"*j", native_reverse, false},
    {"checkpoint-*j", native_checkpoint_reverse, false},
    {"py.gradient", native_gradient, false},
    {"py.set-attribute", native_set_attribute, false},
    {"py.put-back-attribute", native_put_back_attribute, false},
};
const uint16_t NATIVE_COUNT = sizeof NATIVES / sizeof *NATIVES;

uint16_t native_number(const char *name) {
    for (uint16_t i = 0; i < NATIVE_COUNT; i++)
        if (strcmp(NATIVES[i].name, name) == 0) return i;
    return NO_NATIVE;
}
