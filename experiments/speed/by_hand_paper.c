/* The benchmark of experiments/programs/paper-run.vlad on an array, and its gradient by hand.
 *
 * In: numbers; x, of which the run makes its vector. Out: the value; the gradient in `g`. As by_hand.c: nothing
 * but the arithmetic, in the same order as the program. Of each turn that is taped the vector before it and
 * that between its two rotations are stored. NaN: there is no memory.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double norm(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void rotate(int64_t n, double angle, const double *from, double *to) {
    double c = cos(angle), s = sin(angle);
    int64_t i = 0;
    for (; i + 1 < n; i += 2) {
        double a = from[i], b = from[i + 1];
        to[i] = c * a - s * b;
        to[i + 1] = s * a + c * b;
    }
    if (i < n) to[i] = from[i];
}

/* One turn; `between` gets the vector between the rotations. It may be `to`, which may be `from`. */
static void turn(int64_t n, const double *from, double *between, double *to) {
    double y = norm(n, from);
    rotate(n, 1.2 * y, from, between);
    to[0] = between[0];
    rotate(n - 1, 1.4 * y, between + 1, to + 1);
}

/* From the cotangent of a rotated vector, in g, that of the vector. Returns that of the angle. */
static double unrotate(int64_t n, double angle, const double *from, double *g) {
    double c = cos(angle), s = sin(angle), gc = 0, gs = 0;
    for (int64_t i = 0; i + 1 < n; i += 2) {
        double a = from[i], b = from[i + 1], ga = g[i], gb = g[i + 1];
        gc += a * ga + b * gb;
        gs += a * gb - b * ga;
        g[i] = c * ga + s * gb;
        g[i + 1] = c * gb - s * ga;
    }
    return gs * c - gc * s;
}

static void reverse_turn(int64_t n, const double *from, const double *between, double *g) {
    double y = norm(n, from);
    double gy = 1.4 * unrotate(n - 1, 1.4 * y, between + 1, g + 1);
    gy += 1.2 * unrotate(n, 1.2 * y, from, g);
    double scale = gy / y;
    for (int64_t i = 0; i < n; i++) g[i] += scale * from[i];
}

static int floor_lg(int64_t k) { return k < 2 ? 0 : 1 + floor_lg(k / 2); }

/* How many turns the run makes. */
int64_t paper_turns(int64_t l, int64_t phi) {
    int64_t stride = 1013, turns = 0;
    for (int64_t k = 0; k < phi; k++) stride *= 3;
    for (int64_t i = 1; i <= l; i++) turns += (int64_t)1 << (floor_lg(l) - floor_lg(1 + stride * i % l));
    return turns;
}

static double half_square(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum / 2;
}

double paper(int64_t n, int64_t turns, const double *x) {
    double *now = malloc((size_t)n * sizeof *now);
    if (!now) return NAN;
    memcpy(now, x, (size_t)n * sizeof *now);
    for (int64_t k = 0; k < turns; k++) turn(n, now, now, now);
    double value = half_square(n, now);
    free(now);
    return value;
}

typedef struct Room { /* stored: of each taped turn two vectors; kept: the vectors at the middles, by depth */
    int64_t n, base;
    double *stored, *kept;
} Room;

/* Reverse `turns` turns from `start`. `seeds`: these are the last ones, and g gets the cotangent of their end. */
static double bisect(const Room *room, int64_t turns, const double *start, double *g, int depth, int seeds) {
    int64_t n = room->n;
    size_t bytes = (size_t)n * sizeof *g;
    double value = 0;
    if (turns > room->base) {
        double *middle = room->kept + depth * n;
        memcpy(middle, start, bytes);
        for (int64_t k = 0; k < turns / 2; k++) turn(n, middle, middle, middle);
        value = bisect(room, turns - turns / 2, middle, g, depth + 1, seeds);
        bisect(room, turns / 2, start, g, depth + 1, 0);
        return value;
    }
    double *at = room->stored;
    memcpy(at, start, bytes);
    for (int64_t k = 0; k < turns; k++, at += 2 * n) turn(n, at, at + n, at + 2 * n);
    if (seeds) {
        value = half_square(n, at);
        memcpy(g, at, bytes);
    }
    for (int64_t k = 0; k < turns; k++) {
        at -= 2 * n;
        reverse_turn(n, at, at + n, g);
    }
    return value;
}

/* By bisection, with at most `base` turns on the tape. */
double paper_bisection(int64_t n, int64_t turns, const double *x, double *g, int64_t base) {
    Room room = {n, base, malloc((size_t)((2 * base + 1) * n) * sizeof *g), malloc((size_t)(64 * n) * sizeof *g)};
    double value = room.stored && room.kept ? bisect(&room, turns, x, g, 0, 1) : NAN;
    free(room.stored);
    free(room.kept);
    return value;
}
