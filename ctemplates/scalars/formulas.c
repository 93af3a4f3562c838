/* Formulas: see formulas.h.
 *
 * What always holds: a thread writes the results of its own items, and in memory of its own besides. Behind the last item a
 * block computes with the reals of the last one, and writes nothing.
 */
#include "scalars/formulas.h"

#include <stdlib.h>
#include <string.h>

#include "scalars/scalars.h"
#include "threads/portions.h"

enum {
    BLOCK = 128,          /* items */
    SPACING = BLOCK + 8,
    WIDE = 4,             /* reals of a vector */
    LINE = 64,            /* bytes of a line of caches */
    FAR = 1 << 15,        /* items of columns that seldom are in the nearest caches */
    SCALAR_STEPS = 16     /* as many steps a scalar takes as long as */
};

typedef double Vector __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));
typedef int64_t Mask __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

static bool are_finite(const double *reals, int64_t count) {
    bool finite = true;
    for (int64_t i = 0; i < count; i++) finite &= reals[i] - reals[i] == 0.0;
    return finite;
}

/* Applies a scalar to the first `count` items, behind which the last result is repeated; false: it fails. */
static bool apply_scalar(const FormulaStep step, double *const *at, int64_t count) {
    const Scalar *scalar = &SCALARS[(step.code - FORMULA_SCALAR) / 2];
    bool (*const function)(const double *, double *) = (step.code - FORMULA_SCALAR) % 2 ? scalar->value : scalar->ieee;
    const double *x = at[step.x], *y = at[step.y];
    double *to = at[step.to], last = 0.0;
    for (int64_t i = 0; i < count; i++) {
        if (!function((const double[2]){x[i], y[i]}, &last)) return false;
        to[i] = last;
    }
    for (int64_t i = count; i < BLOCK; i++) to[i] = last;
    return true;
}

/* Does the steps of a block. at: the reals of each place. Returns whether no step fails for the first `count` items. It is
 * compiled for each kind of vector. */
#define EACH_VECTOR(value) \
    for (int i = 0; i < BLOCK / WIDE; i++) to[i] = (value); \
    break
#define TRUTH(test) ((Vector)((Mask)(test) & (Mask)one))
#define CHOICE(test, x, y) ((Vector)(((test) & (Mask)(x)) | (~(test) & (Mask)(y))))
#define BLOCK_FUNCTION(name, attribute) \
    attribute static bool name(const Formula *f, double *const *at, int64_t count) { \
        const Vector one = {1.0, 1.0, 1.0, 1.0}, zero = {0.0, 0.0, 0.0, 0.0}; \
        bool fails = false; \
        for (int32_t k = 0; k < f->steps && !fails; k++) { \
            const FormulaStep step = f->step[k]; \
            const Vector *x = (const Vector *)at[step.x], *y = (const Vector *)at[step.y], *z = (const Vector *)at[step.z]; \
            Vector *to = (Vector *)at[step.to]; \
            switch (step.code) { \
            case FORMULA_ADD: EACH_VECTOR(x[i] + y[i]); \
            case FORMULA_SUBTRACT: EACH_VECTOR(x[i] - y[i]); \
            case FORMULA_MULTIPLY: EACH_VECTOR(x[i] * y[i]); \
            case FORMULA_DIVIDE: EACH_VECTOR(x[i] / y[i]); \
            case FORMULA_NEGATE: EACH_VECTOR(-x[i]); \
            case FORMULA_QUOTIENT: EACH_VECTOR(x[i] / y[i]); \
            case FORMULA_LESS: EACH_VECTOR(TRUTH(x[i] < y[i])); \
            case FORMULA_LESS_EQUAL: EACH_VECTOR(TRUTH(x[i] <= y[i])); \
            case FORMULA_EQUAL: EACH_VECTOR(TRUTH(x[i] == y[i])); \
            case FORMULA_CHOOSE: EACH_VECTOR(CHOICE((Mask)(x[i] != zero), y[i], z[i])); \
            default: fails = !apply_scalar(step, at, count); \
            } \
            if (step.code == FORMULA_QUOTIENT) fails = !are_finite(at[step.to], count); \
        } \
        return !fails; \
    }

/* Copies every second real of a row, as columns of pairs have them, to a block. */
#define HALF_FUNCTION(name, attribute) \
    attribute static void name(double *to, const double *from) { \
        for (int i = 0; i < BLOCK; i += WIDE) { \
            const Vector a = *(const Vector *)(const void *)(from + 2 * i), b = *(const Vector *)(const void *)(from + 2 * i + 3); \
            *(Vector *)(void *)(to + i) = (Vector){a[0], a[2], b[1], b[3]}; \
        } \
    }

/* The functions for a kind of vector. */
typedef struct Functions {
    bool (*block)(const Formula *f, double *const *at, int64_t count);
    void (*half)(double *to, const double *from);
} Functions;

BLOCK_FUNCTION(narrow_block, )
HALF_FUNCTION(narrow_half, )
#if defined(__x86_64__) && defined(__GNUC__)
BLOCK_FUNCTION(wide_block, __attribute__((target("avx2"))))
HALF_FUNCTION(wide_half, __attribute__((target("avx2"))))
static Functions functions(void) {
    return __builtin_cpu_supports("avx2") ? (Functions){wide_block, wide_half} : (Functions){narrow_block, narrow_half};
}
#else
static Functions functions(void) { return (Functions){narrow_block, narrow_half}; }
#endif

/* Blocks */

/* Copies the reals of a column's items; behind the last of `count` items it is repeated. */
static void gather(double *restrict to, FormulaColumn column, int64_t start, int64_t count) {
    const char *restrict from = column.reals + start * column.stride;
    for (int64_t i = 0; i < count; i++, from += column.stride) to[i] = *(const double *)(const void *)from;
    for (int64_t i = count; i < BLOCK; i++) to[i] = to[count - 1];
}

static void scatter(FormulaColumn column, const double *restrict from, int64_t start, int64_t count) {
    char *restrict to = column.reals + start * column.stride;
    if (column.stride == sizeof(double))
        memcpy(to, from, (size_t)count * sizeof(double));
    else
        for (int64_t i = 0; i < count; i++, to += column.stride) *(double *)(void *)to = from[i];
}

/* The places of a thread */

bool formula_places_begin(FormulaPlaces *p, const Formula *f) {
    const size_t places = (size_t)f->places;
    p->formula = f;
    p->at = malloc(places * (sizeof *p->at + SPACING * sizeof *p->room) + sizeof(Vector));
    if (!p->at) return false;
    p->room = (double *)(((uintptr_t)(p->at + places) + sizeof(Vector) - 1) & ~(uintptr_t)(sizeof(Vector) - 1));
    for (size_t i = 0; i < places; i++) p->at[i] = p->room + i * SPACING;
    for (int32_t i = 0; i < f->constants; i++)
        for (int k = 0; k < BLOCK; k++) p->at[f->inputs + i][k] = f->constant[i];
    return true;
}

void formula_places_end(FormulaPlaces *p) { free(p->at); }

static bool do_block(FormulaPlaces *p, const Functions *by, const FormulaColumn *columns, int64_t start, int64_t count) {
    const Formula *f = p->formula;
    for (int32_t i = 0; i < f->inputs; i++) {
        const ptrdiff_t stride = columns[i].stride, real = sizeof(double);
        double *first = (double *)(void *)(columns[i].reals + start * stride);
        p->at[i] = stride == real && count == BLOCK ? first : p->room + (size_t)i * SPACING;
        if (stride == 2 * real && count == BLOCK)
            by->half(p->at[i], first);
        else if (p->at[i] != first)
            gather(p->at[i], columns[i], start, count);
    }
    if (!by->block(f, p->at, count)) return false;
    for (int32_t i = 0; i < f->results; i++) scatter(columns[f->inputs + i], p->at[f->result[i]], start, count);
    return true;
}

bool formula_items(FormulaPlaces *places, const FormulaColumn *columns, int64_t start, int64_t end) {
    const Functions by = functions();
    bool finite = true;
    for (int64_t at = start; finite && at < end; at += BLOCK)
        finite = do_block(places, &by, columns, at, end - at < BLOCK ? end - at : BLOCK);
    return finite;
}

int64_t formula_effort(const Formula *formula) {
    int64_t each = formula->steps + formula->inputs + formula->results;
    for (int32_t k = 0; k < formula->steps; k++)
        if (formula->step[k].code >= FORMULA_SCALAR) each += SCALAR_STEPS - 1;
    return each;
}

/* All items alike */

typedef struct Run {
    const Formula *formula;
    const FormulaColumn *columns;
    int32_t far; /* how many columns come from memory: all or none */
} Run;

/* Asks for the lines of a column's items, so that they come from memory while the block before is computed. The processor
 * does so by itself only within a page, and not for what is written. */
static void fetch(FormulaColumn column, int64_t start, int64_t end) {
    const ptrdiff_t apart = column.stride < 0 ? -column.stride : column.stride;
    const int64_t each = apart == 0 ? end - start : apart < LINE ? LINE / apart : 1;
    for (int64_t i = start; i < end; i += each) __builtin_prefetch(column.reals + i * column.stride);
}

static int do_items(const void *context, int64_t start, int64_t end) {
    const Run *run = context;
    FormulaPlaces places;
    if (!formula_places_begin(&places, run->formula)) return FORMULA_REFUSED;
    bool finite = true;
    for (int64_t at = start, next = at; finite && at < end; at = next) {
        next = end - at < BLOCK ? end : at + BLOCK;
        for (int32_t i = 0; i < run->far; i++) fetch(run->columns[i], next, end - next < BLOCK ? end : next + BLOCK);
        finite = formula_items(&places, run->columns, at, next);
    }
    formula_places_end(&places);
    return finite ? FORMULA_DONE : FORMULA_NOT_FINITE;
}

FormulaOutcome formula_run(const Formula *formula, const FormulaColumn *columns, int64_t items) {
    const Run run = {formula, columns, items < FAR ? 0 : formula->inputs + formula->results};
    return (FormulaOutcome)do_in_portions(do_items, &run, items, formula_effort(formula), BLOCK);
}
