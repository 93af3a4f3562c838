/* Two nested loops, the inner one of a length that changes, and their gradient by hand.
 *
 * In: n, a power of two, and y. Out: the value; the gradient in `g`. For i = 1 .. n: y = sqrt(y * y), as often as
 * n / 2^floor(lg(1 + (1007 * 3^i mod n))) says. How many steps that makes is not known before, so checkpoints
 * are taken online: one every so many steps, wherever that is in the loops.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Spot { /* turn i of the outer loop, with 3^i mod n, of which `left` steps are still to be done */
    double y;
    int64_t i, power, left;
} Spot;

static int64_t inner_count(int64_t n, int64_t power) {
    uint64_t remainder = (uint64_t)(1007 * power) & (uint64_t)(n - 1);
    return n >> (63 - __builtin_clzll(1 + remainder));
}

static Spot beginning(int64_t n, double y) {
    int64_t power = 3 & (n - 1);
    return (Spot){y, 1, power, inner_count(n, power)};
}

/* At most `limit` steps; each y before one goes to `stored`, if there is one. How many steps they were. */
static inline int64_t advance(int64_t n, Spot *spot, int64_t limit, double *stored) {
    double y = spot->y;
    int64_t done = 0, i = spot->i, power = spot->power, left = spot->left;
    while (done < limit && i <= n) {
        int64_t now = left < limit - done ? left : limit - done;
        for (int64_t k = 0; k < now; k++) {
            if (stored) stored[done + k] = y;
            y = sqrt(y * y);
        }
        done += now;
        left -= now;
        if (left == 0) {
            i++;
            power = (3 * power) & (n - 1);
            left = inner_count(n, power);
        }
    }
    *spot = (Spot){y, i, power, left};
    return done;
}

static double reverse(int64_t steps, const double *stored, double g) {
    for (int64_t k = steps - 1; k >= 0; k--) {
        double y = stored[k], half = g * (0.5 / sqrt(y * y));
        g = y * half + y * half;
    }
    return g;
}

double nested(int64_t n, double y) {
    Spot spot = beginning(n, y);
    advance(n, &spot, INT64_MAX, NULL);
    return spot.y;
}

/* How many times y is changed. */
int64_t nested_steps(int64_t n) {
    int64_t steps = 0, power = 1;
    for (int64_t i = 1; i <= n; i++) {
        power = (3 * power) & (n - 1);
        steps += inner_count(n, power);
    }
    return steps;
}

/* The spots every `every` steps, of which there is room for more whenever that is needed. false: no memory. */
static bool keep(Spot **kept, int64_t *room, int64_t count, Spot spot) {
    if (count == *room) {
        int64_t more = 2 * *room + 64;
        Spot *larger = realloc(*kept, (size_t)more * sizeof spot);
        if (!larger) return false;
        *kept = larger;
        *room = more;
    }
    (*kept)[count] = spot;
    return true;
}

/* NaN: there is no memory. */
double nested_checkpoints(int64_t n, double y, double *g, int64_t every) {
    Spot *kept = NULL, spot = beginning(n, y);
    int64_t room = 0, count = 0;
    double *stored = malloc((size_t)every * sizeof *stored);
    bool enough = stored != NULL;
    while (enough && spot.i <= n) {
        enough = keep(&kept, &room, count, spot);
        count++;
        advance(n, &spot, every, NULL);
    }
    *g = 1;
    for (int64_t k = count - 1; enough && k >= 0; k--) {
        Spot from = kept[k];
        *g = reverse(advance(n, &from, every, stored), stored, *g);
    }
    free(kept);
    free(stored);
    return enough ? spot.y : NAN;
}
