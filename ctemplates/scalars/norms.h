/* The length of a point in the plane, in the bits of Python's math.hypot (F. Borges, "An improved algorithm for
 * hypot(a, b)", 2019): the root of a sum of squares that has lost nothing, corrected by the residual of the root.
 *
 * Python before 3.12 squares by halves of its numbers, later by fused multiply-adds. Both are nearly always the double
 * next to the length, but not always the same one, so which of them is meant depends on the Python that runs.
 */
#ifndef CK_NORMS_H
#define CK_NORMS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 1 and what was added to it, rounded, and what rounding has taken from the parts of squares. */
typedef struct Squares {
    double sum, lost[3];
} Squares;

static inline void add_part(Squares *all, double part, int which) {
    double before = all->sum;
    all->sum += part;
    all->lost[which] += (before - all->sum) + part;
}

static inline double left_of(const Squares *all) {
    return all->sum - 1.0 + (all->lost[0] + all->lost[1] + all->lost[2]);
}

/* Adds sign * x * x for |x| <= 1, which is of two halves that are squared without rounding. */
static inline void add_by_halves(Squares *all, double x, double sign) {
    double shifted = x * 134217729.0, high = shifted - (shifted - x), low = x - high;
    add_part(all, sign * high * high, 0);
    add_part(all, sign * 2.0 * high * low, 1);
    add_part(all, sign * low * low, 2);
}

static inline void add_by_fma(Squares *all, double x, double sign) {
    double square = sign * x * x;
    all->lost[1] += fma(sign * x, x, -square);
    add_part(all, square, 0);
}

static inline void add_square(Squares *all, double x, double sign, bool fused) {
    if (fused) add_by_fma(all, x, sign);
    else add_by_halves(all, x, sign);
}

/* Returns the root of the sum of squares of x and y, both at least 0, the greater one between 1/2 and 1. */
static inline double norm_of_scaled(double x, double y, bool fused) {
    Squares all = {1.0, {0.0, 0.0, 0.0}};
    add_square(&all, x, 1.0, fused);
    add_square(&all, y, 1.0, fused);
    double root = sqrt(left_of(&all));
    add_square(&all, root, -1.0, fused);
    return root + left_of(&all) / (2.0 * root);
}

/* Returns the norm of numbers that are smaller than the inverse of every power of 2. */
static inline double norm_of_tiny(double x, double y, double greater) {
    Squares all = {1.0, {0.0, 0.0, 0.0}};
    add_part(&all, (x / greater) * (x / greater), 0);
    add_part(&all, (y / greater) * (y / greater), 0);
    return greater * sqrt(left_of(&all));
}

/* Returns the power of 2 that brings a number above 0 to between 1/2 and 1; infinity where there is none. */
static inline double scale_of(double greater) {
    uint64_t bits, field;
    memcpy(&bits, &greater, sizeof bits);
    field = bits >> 52;
    if (field == 0 || field > 2044) return ldexp(1.0, -ilogb(greater) - 1); /* this or its inverse is subnormal */
    bits = (2045 - field) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static inline double norm(double x, double y, bool fused) {
    if (isinf(x) || isinf(y)) return INFINITY;
    if (isnan(x) || isnan(y)) return NAN;
    x = __builtin_fabs(x);
    y = __builtin_fabs(y);
    double greater = x > y ? x : y;
    if (greater == 0.0) return 0.0;
    double scale = scale_of(greater);
    if (isfinite(scale)) return norm_of_scaled(x * scale, y * scale, fused) / scale;
    return fused ? DBL_MIN * norm(x / DBL_MIN, y / DBL_MIN, true) : norm_of_tiny(x, y, greater);
}

#endif
