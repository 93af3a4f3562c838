/* Native steps on integers, and from reals to integers (checkpoint/prims/python: integers, arithmetic).
 *
 * Out: an INTEGER or BOOLEAN. A result that does not fit 64 bits is left to Python.
 */
#include <math.h>

#include "natives/natives_integer.h"

static bool give_integer(int64_t i, Value *result, Note *note) {
    *result = of_integer(i);
    *note = NO_NOTE;
    return true;
}

static bool give_boolean(bool b, Value *result, Note *note) {
    *result = of_boolean(b);
    *note = NO_NOTE;
    return true;
}

/* Returns an integer as Python's operator.index does: a boolean stays a boolean. */
NATIVE(native_index) {
    (void)m, (void)count;
    if (!is_whole(operands[0])) return false;
    *result = operands[0];
    *note = NO_NOTE;
    return true;
}

/* Converts a real to an integer by one of C's functions; integers are unchanged. */
static bool rounded(Value x, double (*function)(double), Value *result, Note *note) {
    double real;
    if (is_whole(x)) return give_integer(x.integer, result, note);
    if (!real_in(x, &real)) return false;
    const double whole = function(real);
    if (!(fabs(whole) < 0x1p62)) return false;
    return give_integer((int64_t)whole, result, note);
}

NATIVE(native_int) {
    (void)m;
    return count == 1 && rounded(operands[0], trunc, result, note);
}

NATIVE(native_floor) {
    (void)m, (void)count;
    return rounded(operands[0], floor, result, note);
}

NATIVE(native_ceil) {
    (void)m, (void)count;
    return rounded(operands[0], ceil, result, note);
}

NATIVE(native_trunc) {
    (void)m, (void)count;
    return rounded(operands[0], trunc, result, note);
}

/* round(x): to the even one of two that are as near. */
NATIVE(native_round) {
    (void)m;
    return count == 1 && rounded(operands[0], rint, result, note);
}

NATIVE(native_is_finite) {
    (void)m, (void)count;
    double real;
    if (is_whole(operands[0])) return give_boolean(true, result, note);
    return real_in(operands[0], &real) && give_boolean(isfinite(real), result, note);
}

NATIVE(native_is_infinite) {
    (void)m, (void)count;
    double real;
    if (is_whole(operands[0])) return give_boolean(false, result, note);
    return real_in(operands[0], &real) && give_boolean(isinf(real), result, note);
}

NATIVE(native_is_nan) {
    (void)m, (void)count;
    double real;
    if (is_whole(operands[0])) return give_boolean(false, result, note);
    return real_in(operands[0], &real) && give_boolean(isnan(real), result, note);
}

/* Returns the bits as an integer; of two booleans as a boolean. */
static bool of_bits(const Value *operands, int64_t bits, Value *result, Note *note) {
    if (kind_of(operands[0]) == BOOLEAN && kind_of(operands[1]) == BOOLEAN)
        return give_boolean(bits != 0, result, note);
    return give_integer(bits, result, note);
}

static bool are_whole(const Value *operands) { return is_whole(operands[0]) && is_whole(operands[1]); }

NATIVE(native_and) {
    (void)m, (void)count;
    if (!are_whole(operands)) return false;
    return of_bits(operands, operands[0].integer & operands[1].integer, result, note);
}

NATIVE(native_or) {
    (void)m, (void)count;
    if (!are_whole(operands)) return false;
    return of_bits(operands, operands[0].integer | operands[1].integer, result, note);
}

NATIVE(native_xor) {
    (void)m, (void)count;
    if (!are_whole(operands)) return false;
    return of_bits(operands, operands[0].integer ^ operands[1].integer, result, note);
}

NATIVE(native_invert) {
    (void)m, (void)count;
    return kind_of(operands[0]) == INTEGER && give_integer(~operands[0].integer, result, note);
}

enum { INTEGER_BITS = 64 };

NATIVE(native_left_shift) {
    (void)m, (void)count;
    if (!are_whole(operands)) return false;
    const int64_t x = operands[0].integer, shift = operands[1].integer;
    if (shift < 0 || shift >= INTEGER_BITS - 1) return false;
    int64_t product;
    if (__builtin_mul_overflow(x, INT64_C(1) << shift, &product)) return false;
    return give_integer(product, result, note);
}

NATIVE(native_right_shift) {
    (void)m, (void)count;
    if (!are_whole(operands) || operands[1].integer < 0) return false;
    const int64_t shift = operands[1].integer, most = INTEGER_BITS - 1;
    return give_integer(operands[0].integer >> (shift < most ? shift : most), result, note);
}
