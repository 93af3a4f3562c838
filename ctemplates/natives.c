/* Which records have native steps: the records' names (checkpoint/prims), in any order. */
#include <string.h>

#include "native_steps.h"

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
    {"py.instance", native_instance, false},
    {"py.callable", native_callable, false},
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
};
const uint16_t NATIVE_COUNT = sizeof NATIVES / sizeof *NATIVES;

/* What scalars do with operands that are no reals and no integers; none of it has anything to note. */
static const struct {
    const char *scalar;
    Native run;
} OTHERWISE[] = {
    {"py.eq", native_equal},       {"py.ne", native_not_equal},      {"py.add", native_concatenate},
    {"py.mul", native_repeat},     {"py.iadd", native_add_in_place},
};

bool native_otherwise(Machine *m, int64_t steps, const char *scalar, const Value *operands, Value *result) {
    Note note;
    for (size_t i = 0; i < sizeof OTHERWISE / sizeof *OTHERWISE; i++)
        if (strcmp(OTHERWISE[i].scalar, scalar) == 0)
            return OTHERWISE[i].run(m, steps, operands, 2, result, &note);
    return false;
}
