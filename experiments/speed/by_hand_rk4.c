/* The Lorenz system by the classical method of Runge and Kutta, and its gradient by hand.
 *
 * In: numbers. Out: the value; the gradient in `g`. As by_hand.c: nothing but the arithmetic, in the same order
 * as the program of experiments/speed. All four points of a step are stored where it is reversed, so that
 * nothing of it is computed a third time.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Point {
    double x, y, z;
} Point;
typedef struct Flow {
    double sigma, rho, beta;
} Flow;
typedef struct Stages { /* the points at which a step asks for the rate */
    Point at[4];
} Stages;

static inline Point rate(Point p, Flow f) {
    return (Point){f.sigma * (p.y - p.x), p.x * (f.rho - p.z) - p.y, p.x * p.y - f.beta * p.z};
}

static inline Point along(Point p, double h, Point k) {
    return (Point){p.x + h * k.x, p.y + h * k.y, p.z + h * k.z};
}

static inline double mean(double h, double a, double b, double c, double d) {
    return h / 6 * (a + 2 * b + 2 * c + d);
}

static inline Point step(Point p, double h, Flow f, Stages *stages) {
    Point a = rate(p, f), p2 = along(p, h / 2, a), b = rate(p2, f), p3 = along(p, h / 2, b);
    Point c = rate(p3, f), p4 = along(p, h, c), d = rate(p4, f);
    if (stages) *stages = (Stages){{p, p2, p3, p4}};
    return (Point){p.x + mean(h, a.x, b.x, c.x, d.x), p.y + mean(h, a.y, b.y, c.y, d.y),
                   p.z + mean(h, a.z, b.z, c.z, d.z)};
}

static Point advance(int64_t n, double h, Point p, Flow f) {
    for (int64_t i = 0; i < n; i++) p = step(p, h, f, NULL);
    return p;
}

static Point record(int64_t n, double h, Point p, Flow f, Stages *stored) {
    for (int64_t i = 0; i < n; i++) p = step(p, h, f, &stored[i]);
    return p;
}

/* What a point gets from the cotangent k of the rate there; the flow's cotangents grow. */
static inline Point back(Point p, Flow f, Point k, Flow *g) {
    g->sigma += (p.y - p.x) * k.x;
    g->rho += p.x * k.y;
    g->beta -= p.z * k.z;
    return (Point){(f.rho - p.z) * k.y + p.y * k.z - f.sigma * k.x, f.sigma * k.x + p.x * k.z - k.y,
                   -p.x * k.y - f.beta * k.z};
}

static void reverse(int64_t n, double h, Flow f, const Stages *stored, double g[6]) {
    Point up = {g[0], g[1], g[2]}, none = {0, 0, 0};
    Flow flow = {g[3], g[4], g[5]};
    for (int64_t i = n - 1; i >= 0; i--) {
        const Point *at = stored[i].at;
        Point once = along(none, h / 6, up), twice = along(none, h / 3, up);
        Point q4 = back(at[3], f, once, &flow), q3 = back(at[2], f, along(twice, h, q4), &flow);
        Point q2 = back(at[1], f, along(twice, h / 2, q3), &flow);
        Point q1 = back(at[0], f, along(once, h / 2, q2), &flow);
        up.x += q1.x + q2.x + (q3.x + q4.x);
        up.y += q1.y + q2.y + (q3.y + q4.y);
        up.z += q1.z + q2.z + (q3.z + q4.z);
    }
    g[0] = up.x, g[1] = up.y, g[2] = up.z, g[3] = flow.sigma, g[4] = flow.rho, g[5] = flow.beta;
}

double rk4(int64_t n, double h, const double u[6]) {
    return advance(n, h, (Point){u[0], u[1], u[2]}, (Flow){u[3], u[4], u[5]}).x;
}

/* A checkpoint every `every` steps; each stretch between two is run again. NaN: there is no memory. */
double rk4_checkpoints(int64_t n, double h, const double u[6], double g[6], int64_t every) {
    int64_t count = (n + every - 1) / every;
    Flow flow = {u[3], u[4], u[5]};
    Point *kept = malloc((size_t)count * sizeof *kept), end = {u[0], u[1], u[2]};
    Stages *stored = malloc((size_t)every * sizeof *stored);
    if (!kept || !stored) {
        end.x = NAN;
        count = 0;
    }
    for (int64_t k = 0; k < count; k++) {
        kept[k] = end;
        end = advance(k == count - 1 ? n - k * every : every, h, end, flow);
    }
    for (int i = 0; i < 6; i++) g[i] = i == 0;
    for (int64_t k = count - 1; k >= 0; k--) {
        int64_t length = k == count - 1 ? n - k * every : every;
        record(length, h, kept[k], flow, stored);
        reverse(length, h, flow, stored, g);
    }
    free(kept);
    free(stored);
    return end.x;
}
