/* Native predicates (checkpoint/prims/data.py; of prims/python: comparison, iteration, arrays). Out: a boolean. What
 * cannot be decided from the kinds of the operands is left to Python.
 */
#include "natives/natives_predicate.h"

#include <math.h>

static bool answer(bool found, Value *result, Note *note) {
    *result = of_boolean(found);
    *note = NO_NOTE;
    return true;
}

/* Equality */

static bool number_in(Value v, double *real) {
    if (real_in(v, real)) return true;
    *real = is_whole(v) ? (double)v.integer : 0.0;
    return is_whole(v) && is_exact(v.integer);
}

static bool is_number(Value v) { return kind_of(v) <= BOOLEAN || kind_of(v) == DUAL; }

static bool is_plain(Value v) {
    double real;
    return is_whole(v) || real_in(v, &real) || kind_of(v) == NOTHING || is_text(v);
}

/* Returns whether two values other than containers are decided here, and store whether they are equal; false: Python
 * must decide. */
static bool atoms_equal(Value a, Value b, bool *equal) {
    double x, y;
    if (is_whole(a) && is_whole(b))
        *equal = a.integer == b.integer;
    else if (number_in(a, &x) && number_in(b, &y))
        *equal = x == y;
    else if (is_text(a) && is_text(b))
        *equal = texts_equal(a, b);
    else if (is_plain(a) && is_plain(b) && !(is_number(a) && is_number(b)))
        *equal = kind_of(a) == NOTHING && kind_of(b) == NOTHING;
    else
        return false;
    return true;
}

NATIVE(native_equal) {
    (void)m, (void)count;
    bool equal;
    return atoms_equal(operands[0], operands[1], &equal) && answer(equal, result, note);
}

NATIVE(native_not_equal) {
    (void)m, (void)count;
    bool equal;
    return atoms_equal(operands[0], operands[1], &equal) && answer(!equal, result, note);
}

/* Returns whether a value is a real that is no number: Python compares such elements by their identities. */
static bool is_nan(Value v) {
    double real;
    return number_in(v, &real) && isnan(real);
}

NATIVE(native_contains) {
    (void)count;
    const Value x = operands[0], wanted = operands[1];
    if (kind_of(x) == DICTIONARY) {
        const int64_t field = key_field(m->heap, wanted, KEYS_OF_PROGRAMS);
        if (field == NO_FIELD) return false;
        return answer(entries_find(entries_in(x), field) != NULL, result, note);
    }
    Elements elements;
    if (!elements_of(m, x, &elements) || is_nan(wanted)) return false;
    bool equal = false;
    for (size_t i = 0; i < elements.length && !equal; i++)
        if (!atoms_equal(elements.values[i], wanted, &equal)) return false;
    return answer(equal, result, note);
}

static bool from_outside(Value v) { return storage_in(v)->owner == FROZEN; }

NATIVE(native_is) {
    (void)m, (void)count;
    const Value x = operands[0], y = operands[1];
    const Kind one = kind_of(x), other = kind_of(y);
    if (one == NOTHING || other == NOTHING || one == BOOLEAN || other == BOOLEAN)
        return answer(one == other && x.integer == y.integer, result, note);
    if (is_mutable(x) || is_mutable(y)) {
        if (one == other && x.object != y.object && from_outside(x) && from_outside(y)) return false;
        return answer(one == other && x.object == y.object, result, note);
    }
    if ((one == FOREIGN) != (other == FOREIGN)) {
        const Kind made = one == FOREIGN ? other : one; /* a FOREIGN may be a function that is not translated */
        return made <= NOTHING && answer(false, result, note);
    }
    if (one != INTEGER || other != INTEGER) return false;
    if (x.integer != y.integer) return answer(false, result, note);
    return -5 <= x.integer && x.integer <= 256 && answer(true, result, note);
}

/* Stores whether two symbols, strings, booleans, integers or nulls are the same; Python refuses all else. */
NATIVE(native_same) {
    (void)m, (void)count;
    const Value x = operands[0], y = operands[1];
    const Kind one = kind_of(x), other = kind_of(y);
    if (one == FOREIGN && other == FOREIGN) {
        if (!is_any_text(x) || !is_any_text(y)) return false;
        return answer(same_python_type(x, y) && texts_equal(x, y), result, note);
    }
    if (one == other && (one == INTEGER || one == BOOLEAN || one == NOTHING))
        return answer(x.integer == y.integer, result, note);
    const bool plain = one <= NOTHING || (one == FOREIGN && is_any_text(x));
    const bool also_plain = other <= NOTHING || (other == FOREIGN && is_any_text(y));
    return plain && also_plain && one != other && answer(false, result, note);
}

/* Kinds */

/* Stores the answer, unless the value is a FOREIGN other than a string: only Python knows the kind of those. */
static bool answer_unless_foreign(Value x, bool found, Value *result, Note *note) {
    return (kind_of(x) != FOREIGN || is_text(x)) && answer(found, result, note);
}

NATIVE(native_is_null) {
    (void)m, (void)count;
    return answer(kind_of(operands[0]) == NOTHING, result, note);
}

NATIVE(native_is_boolean) {
    (void)m, (void)count;
    return answer(kind_of(operands[0]) == BOOLEAN, result, note);
}

NATIVE(native_is_pair) {
    (void)m, (void)count;
    return answer(kind_of(operands[0]) == PAIR, result, note);
}

NATIVE(native_is_real) {
    (void)m, (void)count;
    double real;
    if (real_in(operands[0], &real)) return answer(true, result, note);
    return kind_of(operands[0]) != DUAL && answer_unless_foreign(operands[0], false, result, note);
}

/* Stores that the operand is no array: `tensor?`, py.is-array, and py.was-changed, which is false then. */
NATIVE(native_is_array) {
    (void)m, (void)count;
    double real;
    if (kind_of(operands[0]) == DUAL && !real_in(operands[0], &real)) return false;
    return answer_unless_foreign(operands[0], false, result, note);
}

NATIVE(native_instance) {
    (void)count;
    const int32_t found = instance_of(m->heap, operands[0], operands[1]);
    return found >= 0 && answer(found, result, note);
}

NATIVE(native_is_class) {
    (void)count;
    const int32_t found = of_class(m->heap, operands[0], operands[1]);
    return found >= 0 && answer(found, result, note);
}

NATIVE(native_is_procedure) {
    (void)m, (void)count;
    const Kind kind = kind_of(operands[0]);
    return answer_unless_foreign(operands[0], kind == CLOSURE || kind == PROCEDURE, result, note);
}

NATIVE(native_callable) {
    const Kind kind = kind_of(operands[0]);
    return kind != RECORD && kind != INSTANCE && native_is_procedure(m, operands, count, result, note);
}

/* Of a procedure; only Python knows the layouts of other functions. */
NATIVE(native_has_general) {
    const Kind kind = kind_of(operands[0]);
    (void)m, (void)count;
    return (kind == CLOSURE || kind == PROCEDURE) && answer(false, result, note);
}

NATIVE(native_is_symbol) {
    (void)m, (void)count;
    return answer_unless_foreign(operands[0], false, result, note);
}

NATIVE(native_is_string) {
    (void)m, (void)count;
    return answer(is_text(operands[0]), result, note);
}

/* The results of lanes (checkpoint/prims/lanes.py) */

NATIVE(native_are_reals) {
    (void)m, (void)count;
    const Value x = operands[0], axis = operands[1];
    if (kind_of(x) != LIST || kind_of(axis) != INTEGER) return false;
    if (axis.integer != 0 && axis.integer != -1) return answer(false, result, note);
    const List *list = list_in(x);
    bool all = true;
    size_t first = 0; /* that is not known to be a real */
    while (first < list->length && list->values[first].tag == REAL) first++;
    for (size_t i = first; i < list->length; i++) {
        const Kind kind = kind_of(list->values[i]);
        if (kind == FOREIGN || kind == DUAL || kind == NODE) return false;
        all = all && kind == REAL;
    }
    return list->length && answer(all, result, note);
}

/* Returns how many elements a value has, if it is a tuple without names; else -1. */
static int64_t plain_width(Value v) {
    const bool plain = kind_of(v) == RECORD && cells_of(v)[0].tag == NOTHING;
    return plain ? (int64_t)v.object->length - 1 : -1;
}

NATIVE(native_plain_width) {
    (void)m, (void)count;
    if (kind_of(operands[0]) == FOREIGN || kind_of(operands[1]) != INTEGER) return false;
    *result = of_integer(plain_width(operands[0]));
    *note = NO_NOTE;
    return true;
}

/* Stores how many elements all have, if they are tuples without names; else -1. */
NATIVE(native_common_width) {
    (void)m, (void)count;
    const Value x = operands[0];
    if (kind_of(x) != LIST || kind_of(operands[1]) != INTEGER) return false;
    const List *list = list_in(x);
    int64_t common = -1;
    for (size_t i = 0; i < list->length; i++) {
        if (kind_of(list->values[i]) == FOREIGN) return false;
        const int64_t width = plain_width(list->values[i]);
        if (i && width != common) {
            common = -1;
            break;
        }
        common = width;
    }
    *result = of_integer(common);
    *note = NO_NOTE;
    return list->length != 0;
}
