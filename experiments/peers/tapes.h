/* The programs of subjects.py on any type of number, and what the two tapes in C++ have in common.
 *
 * In: an argument, n. Out: the value. A tape file instantiates these with its own type of number, and defines
 * `taped`, which puts the gradient into `g` and returns the value.
 */
#ifndef TAPES_H
#define TAPES_H

#include <cmath>
#include <cstdint>
#include <vector>

template <class Number> Number lorenz(const std::vector<Number> &u, int64_t n) {
    const double h = 5.0 / n;
    Number x = u[0], y = u[1], z = u[2];
    for (int64_t i = 0; i < n; i++) {
        Number dx = u[3] * (y - x), dy = x * (u[4] - z) - y, dz = x * y - u[5] * z;
        x = x + h * dx;
        y = y + h * dy;
        z = z + h * dz;
    }
    return x;
}

template <class Number> Number nested(const std::vector<Number> &u, int64_t n) {
    Number y = u[0];
    int64_t power = 1;
    for (int64_t i = 0; i < n; i++) {
        power = 3 * power % n;
        const int64_t count = n >> (63 - __builtin_clzll(1 + 1007 * power % n));
        for (int64_t k = 0; k < count; k++) y = sqrt(y * y);
    }
    return y;
}

template <class Number> Number program(const std::vector<Number> &u, int64_t n) {
    return u.size() == 1 ? nested(u, n) : lorenz(u, n);
}

/* u: `size` numbers, 6 of lorenz or 1 of nested; g: as many. */
extern "C" double taped(int64_t n, const double *u, int64_t size, double *g);

#endif
