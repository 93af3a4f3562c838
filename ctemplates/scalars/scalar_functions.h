/* Functions of doubles that scalars.def uses: those that C's library lacks, or defines differently from Python.
 *
 * What always holds: each returns the bits of its record's function, and where that fails the result of IEEE 754.
 */
#ifndef CK_SCALAR_FUNCTIONS_H
#define CK_SCALAR_FUNCTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "scalars/norms.h"

#define PI 3.141592653589793
#define LOG_2 0.6931471805599453
#define LOG_10 2.302585092994046
#define TWO_BY_ROOT_PI 1.1283791670955126

/* Returns whether Python's module math raises for a result r. */
static inline bool refused_1(double x, double r) {
    return (isnan(r) && !isnan(x)) || (isinf(r) && isfinite(x));
}
static inline bool refused_2(double x, double y, double r) {
    return (isnan(r) && !isnan(x) && !isnan(y)) || (isinf(r) && isfinite(x) && isfinite(y));
}

/* Returns x ** y, the same for both zeros: a negative power of 0 is infinity, as in the record. */
static inline double power(double x, double y) { return x == 0.0 && y < 0.0 ? INFINITY : pow(x, y); }

static inline bool is_odd(double y) { return fmod(__builtin_fabs(y), 2.0) == 1.0; }

/* Returns Python's x ** y, by the power of |x|. */
static inline double float_power(double x, double y) {
    if (!(x < 0.0) || !isfinite(x) || !isfinite(y) || y != floor(y)) return power(x, y);
    double r = x == -1.0 ? 1.0 : pow(-x, y);
    return is_odd(y) ? -r : r;
}

/* Returns Python's x % y: the remainder has the sign of the divisor. */
static inline double modulo(double x, double y) {
    if (y == 0.0) return NAN;
    double r = fmod(x, y);
    if (r == 0.0) return __builtin_copysign(0.0, y);
    return (y < 0.0) != (r < 0.0) ? r + y : r;
}

/* Returns Python's x // y: the whole number next to (x - x % y) / y. */
static inline double floor_divide(double x, double y) {
    if (y == 0.0) return x / y;
    double r = fmod(x, y), quotient = (x - r) / y;
    if (r != 0.0 && (y < 0.0) != (r < 0.0)) quotient -= 1.0;
    if (quotient == 0.0) return __builtin_copysign(0.0, x / y);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

/* Returns the floor, by way of an integer: never -0.0. */
static inline double whole_below(double x) { return isfinite(x) ? floor(x) + 0.0 : x; }

/* Returns -n for the whole number n with r = x - n y. */
static inline double multiples(double x, double y, double r) {
    double quotient = (x - r) / y;
    return -(isfinite(quotient) ? nearbyint(quotient) + 0.0 : quotient);
}

/* Returns the angle of the point (x, y), the first argument being y: as in Python if either is 0 or infinite. */
static inline double angle(double y, double x) {
    if (isnan(x) || isnan(y)) return NAN;
    bool right = __builtin_copysign(1.0, x) == 1.0;
    if (isinf(y)) return __builtin_copysign((isinf(x) ? (right ? 0.25 : 0.75) : 0.5) * PI, y);
    if (isinf(x) || y == 0.0) return __builtin_copysign(right ? 0.0 : PI, y);
    return atan2(y, x);
}

/* Returns the distance of |x| to the next float away from 0; of the largest to the previous one. */
static inline double last_place(double x) {
    x = __builtin_fabs(x);
    if (!isfinite(x)) return x;
    double next = nextafter(x, INFINITY);
    return isinf(next) ? x - nextafter(x, 0.0) : next - x;
}

/* Returns an exponent of 2 as an int, clamped to where every float is 0 or infinite. */
static inline int exponent_as_int(double y) { return (int)nearbyint(fmin(fmax(y, -5000.0), 5000.0)); }

/* Returns 2 to a whole exponent, as a partial. */
static inline double power_of_two(double y) {
    if (!isfinite(y)) return y > 0.0 ? INFINITY : NAN;
    return ldexp(1.0, exponent_as_int(y));
}

/* Returns x times 2 to a whole exponent. */
static inline double scaled(double x, double y) {
    if (!isfinite(y)) return x * power_of_two(y);
    if (x == 0.0 || !isfinite(x)) return x;
    double r = ldexp(x, exponent_as_int(y));
    return isinf(r) ? x * power_of_two(y) : r;
}

static inline double mantissa(double x) {
    int exponent;
    return isfinite(x) ? frexp(x, &exponent) : x;
}

/* Returns the exponent that belongs to the mantissa, as a real. */
static inline double exponent_of(double x) {
    int exponent = 0;
    if (isfinite(x)) (void)frexp(x, &exponent);
    return exponent;
}

/* Returns the fractional part, with the sign of x. */
static inline double fraction(double x) {
    double whole;
    return modf(x, &whole);
}

/* Integers that are reals too, and Python's x // y and x % y of integers, y being neither 0 nor -1. */
static inline int64_t floored(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }
static inline int64_t floored_rest(int64_t x, int64_t y) {
    int64_t rest = x % y;
    return rest != 0 && (x < 0) != (y < 0) ? rest + y : rest;
}

#endif
