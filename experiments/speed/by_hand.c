/* Three programs of experiments/speed as one would write them in C, and their gradients by hand.
 *
 * In: numbers. Out: the value; the gradient in `g`. What `experiments.speed` measures an engine against, so
 * these do nothing but the arithmetic, in the same order as the programs: nothing is counted, nothing can be
 * interrupted, and memory is given by the caller where there is much of it.
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

/* One step of Euler's method on the Lorenz system, on the locals x, y, z, sigma, rho, beta, h. */
#define STEP                                                                                                 \
    do {                                                                                                     \
        double dx = sigma * (y - x), dy = x * (rho - z) - y, dz = x * y - beta * z;                          \
        x = x + h * dx;                                                                                      \
        y = y + h * dy;                                                                                      \
        z = z + h * dz;                                                                                      \
    } while (0)

static Point advance(int64_t n, double h, Point p, Flow f) {
    double x = p.x, y = p.y, z = p.z, sigma = f.sigma, rho = f.rho, beta = f.beta;
    for (int64_t i = 0; i < n; i++) STEP;
    return (Point){x, y, z};
}

/* The same, leaving the point before each step in `stored`. */
static Point record(int64_t n, double h, Point p, Flow f, Point *stored) {
    double x = p.x, y = p.y, z = p.z, sigma = f.sigma, rho = f.rho, beta = f.beta;
    for (int64_t i = 0; i < n; i++) {
        stored[i] = (Point){x, y, z};
        STEP;
    }
    return (Point){x, y, z};
}

/* From the cotangent of the point after n recorded steps, in g[0..3), that of the one before them; those of
 * sigma, rho and beta, in g[3..6), go on growing. */
static void reverse(int64_t n, double h, Flow f, const Point *stored, double g[6]) {
    double gx = g[0], gy = g[1], gz = g[2], gsigma = g[3], grho = g[4], gbeta = g[5];
    for (int64_t i = n - 1; i >= 0; i--) {
        double x = stored[i].x, y = stored[i].y, z = stored[i].z;
        double gdx = h * gx, gdy = h * gy, gdz = h * gz;
        double up = gx + y * gdz + (f.rho - z) * gdy - f.sigma * gdx;
        gy = gy + x * gdz - gdy + f.sigma * gdx;
        gz = gz - f.beta * gdz - x * gdy;
        gx = up;
        gbeta -= z * gdz;
        grho += x * gdy;
        gsigma += (y - x) * gdx;
    }
    g[0] = gx, g[1] = gy, g[2] = gz, g[3] = gsigma, g[4] = grho, g[5] = gbeta;
}

static Point point_of(const double u[6]) { return (Point){u[0], u[1], u[2]}; }
static Flow flow_of(const double u[6]) { return (Flow){u[3], u[4], u[5]}; }
static void seed(double g[6]) {
    for (int i = 0; i < 6; i++) g[i] = i == 0;
}

double lorenz(int64_t n, double h, const double u[6]) { return advance(n, h, point_of(u), flow_of(u)).x; }

/* Everything is stored. So many times in one call, since one of few steps is too short to be timed. */
double lorenz_stored(int64_t n, double h, const double u[6], double g[6], Point *stored, int64_t times) {
    Point end = point_of(u);
    for (int64_t k = 0; k < times; k++) {
        end = record(n, h, point_of(u), flow_of(u), stored);
        seed(g);
        reverse(n, h, flow_of(u), stored, g);
    }
    return end.x;
}

/* A checkpoint every `every` steps; each stretch between two is run again. NaN: there is no memory. */
double lorenz_checkpoints(int64_t n, double h, const double u[6], double g[6], int64_t every) {
    int64_t count = (n + every - 1) / every;
    Point *kept = malloc((size_t)count * sizeof *kept), *stored = malloc((size_t)every * sizeof *stored);
    Point end = point_of(u);
    if (!kept || !stored) {
        end.x = NAN;
        count = 0;
    }
    for (int64_t k = 0; k < count; k++) {
        kept[k] = end;
        end = advance(k == count - 1 ? n - k * every : every, h, end, flow_of(u));
    }
    seed(g);
    for (int64_t k = count - 1; k >= 0; k--) {
        int64_t length = k == count - 1 ? n - k * every : every;
        record(length, h, kept[k], flow_of(u), stored);
        reverse(length, h, flow_of(u), stored, g);
    }
    free(kept);
    free(stored);
    return end.x;
}

/* The middle of a stretch is kept while its second half is reversed; at most `base` steps are stored. */
static Point bisect(int64_t n, double h, Point p, Flow f, double g[6], int64_t base, Point *stored) {
    if (n <= base) {
        Point end = record(n, h, p, f, stored);
        reverse(n, h, f, stored, g);
        return end;
    }
    Point middle = advance(n / 2, h, p, f);
    Point end = bisect(n - n / 2, h, middle, f, g, base, stored);
    bisect(n / 2, h, p, f, g, base, stored);
    return end;
}

double lorenz_bisection(int64_t n, double h, const double u[6], double g[6], int64_t base) {
    Point *stored = malloc((size_t)base * sizeof *stored);
    if (!stored) return NAN;
    seed(g);
    Point end = bisect(n, h, point_of(u), flow_of(u), g, base, stored);
    free(stored);
    return end.x;
}

/* f(k) = x if k = 0 else sin(f(k - 1)) * 1.0001 + x, as the loop that it is. */
double deep(int64_t depth, double x) {
    double value = x;
    for (int64_t k = 0; k < depth; k++) value = sin(value) * 1.0001 + x;
    return value;
}

double deep_gradient(int64_t depth, double x, double *g, double *stored) {
    double value = x;
    for (int64_t k = 0; k < depth; k++) {
        stored[k] = value;
        value = sin(value) * 1.0001 + x;
    }
    double gvalue = 1, gx = 0;
    for (int64_t k = depth - 1; k >= 0; k--) {
        gx += gvalue;
        gvalue = gvalue * 1.0001 * cos(stored[k]);
    }
    *g = gx + gvalue;
    return value;
}

/* The Lorenz system with its state in a list, which a procedure that takes a procedure maps over. */
typedef struct Cell Cell;
struct Cell {
    double first, second; /* of an item: its value and, of a pair, its derivative */
    Cell *rest;
};
typedef struct Cells { /* those that are free, linked by `rest` */
    Cell *free;
    Cell room[16];
} Cells;
typedef struct Closure Closure;
struct Closure {
    double (*code)(const Closure *self, const Cell *item);
    double h;
};

static Cell *cons(Cells *cells, double first, double second, Cell *rest) {
    Cell *cell = cells->free;
    cells->free = cell->rest;
    *cell = (Cell){first, second, rest};
    return cell;
}

static void drop(Cells *cells, Cell *cell) {
    cell->rest = cells->free;
    cells->free = cell;
}

static double moved(const Closure *self, const Cell *item) { return item->first + self->h * item->second; }

/* Uses the list up. */
__attribute__((noinline)) static Cell *map(Cells *cells, const Closure *f, Cell *list) {
    if (!list) return NULL;
    double item = f->code(f, list);
    Cell *rest = list->rest;
    drop(cells, list);
    rest = map(cells, f, rest);
    return cons(cells, item, 0, rest);
}

double mapped(int64_t n, double h, const double u[6]) {
    Cells cells = {.free = NULL};
    for (int i = 0; i < 16; i++) drop(&cells, &cells.room[i]);
    double sigma = u[3], rho = u[4], beta = u[5];
    Cell *state = cons(&cells, u[0], 0, cons(&cells, u[1], 0, cons(&cells, u[2], 0, NULL)));
    for (int64_t i = 0; i < n; i++) {
        double x = state->first, y = state->rest->first, z = state->rest->rest->first;
        drop(&cells, state->rest->rest);
        drop(&cells, state->rest);
        drop(&cells, state);
        Cell *third = cons(&cells, z, x * y - beta * z, NULL);
        Cell *list = cons(&cells, x, sigma * (y - x), cons(&cells, y, x * (rho - z) - y, third));
        Closure *closure = &(Closure){moved, h};
        state = map(&cells, closure, list);
    }
    return state->first;
}
