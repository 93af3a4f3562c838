/* Formulas: see formulas.h.
 *
 * What always holds: a part is a range of items that one thread has claimed; it writes the results of these alone, and in
 * memory of its own besides. Behind the last item a block computes with the reals of the last one, and writes nothing.
 */
#include "scalars/formulas.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads/pool.h"
#include "threads/team.h"

enum {
    BLOCK = 128,          /* items */
    WIDE = 4,             /* reals of a vector */
    PART = 1 << 17,       /* steps of items that a thread claims at once: some 50 us */
    LEAST_SHARED = 1 << 20 /* steps of items for which other threads are asked */
};

typedef double Vector __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

/* Does the steps of a block. at: the reals of each place. Returns whether all checked quotients of the first `count` items
 * are finite. It is compiled for each kind of vector. */
#define EACH_VECTOR(value) \
    for (int i = 0; i < BLOCK / WIDE; i++) to[i] = (value); \
    break
#define BLOCK_FUNCTION(name, attribute) \
    attribute static bool name(const Formula *f, double *const *at, int64_t count) { \
        bool finite = true; \
        for (int32_t k = 0; k < f->steps; k++) { \
            const FormulaStep step = f->step[k]; \
            const Vector *x = (const Vector *)at[step.x], *y = (const Vector *)at[step.y]; \
            Vector *to = (Vector *)at[step.to]; \
            switch (step.code) { \
            case FORMULA_ADD: EACH_VECTOR(x[i] + y[i]); \
            case FORMULA_SUBTRACT: EACH_VECTOR(x[i] - y[i]); \
            case FORMULA_MULTIPLY: EACH_VECTOR(x[i] * y[i]); \
            case FORMULA_NEGATE: EACH_VECTOR(-x[i]); \
            default: EACH_VECTOR(x[i] / y[i]); \
            } \
            if (step.code == FORMULA_QUOTIENT) finite &= are_finite(at[step.to], count); \
        } \
        return finite; \
    }

static bool are_finite(const double *reals, int64_t count) {
    bool finite = true;
    for (int64_t i = 0; i < count; i++) finite &= reals[i] - reals[i] == 0.0;
    return finite;
}

typedef bool BlockFunction(const Formula *f, double *const *at, int64_t count);

BLOCK_FUNCTION(narrow_block, )
#if defined(__x86_64__) && defined(__GNUC__)
BLOCK_FUNCTION(wide_block, __attribute__((target("avx2"))))
static BlockFunction *block_function(void) { return __builtin_cpu_supports("avx2") ? wide_block : narrow_block; }
#else
static BlockFunction *block_function(void) { return narrow_block; }
#endif

/* Blocks */

/* Copies the reals of a column's items; behind the last of `count` items it is repeated. */
static void gather(double *to, FormulaColumn column, int64_t start, int64_t count) {
    const char *from = column.reals + start * column.stride;
    for (int64_t i = 0; i < count; i++) to[i] = *(const double *)(const void *)(from + i * column.stride);
    for (int64_t i = count; i < BLOCK; i++) to[i] = to[count - 1];
}

static void scatter(FormulaColumn column, const double *from, int64_t start, int64_t count) {
    char *to = column.reals + start * column.stride;
    if (column.stride == sizeof(double))
        memcpy(to, from, (size_t)count * sizeof(double));
    else
        for (int64_t i = 0; i < count; i++) *(double *)(void *)(to + i * column.stride) = from[i];
}

typedef struct Task {
    const Formula *formula;
    const FormulaColumn *columns;
    BlockFunction *block;
    int64_t items, part;
    atomic_llong next; /* the first item that nobody has claimed */
    atomic_bool not_finite;
} Task;

/* The places of a thread: room for a block in each, and where the reals of each are. */
typedef struct Places {
    double **at, *room;
} Places;

static bool places_begin(Places *p, const Formula *f) {
    const size_t places = (size_t)f->places;
    p->at = malloc(places * (sizeof *p->at + BLOCK * sizeof *p->room) + sizeof(Vector));
    if (!p->at) return false;
    p->room = (double *)(((uintptr_t)(p->at + places) + sizeof(Vector) - 1) & ~(uintptr_t)(sizeof(Vector) - 1));
    for (size_t i = 0; i < places; i++) p->at[i] = p->room + i * BLOCK;
    for (int32_t i = 0; i < f->constants; i++)
        for (int k = 0; k < BLOCK; k++) p->at[f->inputs + i][k] = f->constant[i];
    return true;
}

static bool do_block(const Task *task, Places *p, int64_t start, int64_t count) {
    const Formula *f = task->formula;
    for (int32_t i = 0; i < f->inputs; i++) {
        const FormulaColumn column = task->columns[i];
        const bool is_row = column.stride == sizeof(double) && count == BLOCK;
        p->at[i] = is_row ? (double *)(void *)column.reals + start : p->room + (size_t)i * BLOCK;
        if (!is_row) gather(p->at[i], column, start, count);
    }
    if (!task->block(f, p->at, count)) return false;
    for (int32_t i = 0; i < f->results; i++) scatter(task->columns[f->inputs + i], p->at[f->result[i]], start, count);
    return true;
}

/* Does parts until there are none. Returns whether there was memory. */
static bool work(Task *task) {
    Places places;
    if (!places_begin(&places, task->formula)) return false;
    while (!atomic_load(&task->not_finite)) {
        const int64_t begin = atomic_fetch_add(&task->next, task->part);
        const int64_t end = begin + task->part < task->items ? begin + task->part : task->items;
        if (begin >= task->items) break;
        for (int64_t at = begin; at < end; at += BLOCK)
            if (!do_block(task, &places, at, end - at < BLOCK ? end - at : BLOCK)) {
                atomic_store(&task->not_finite, true);
                break;
            }
    }
    free(places.at);
    return true;
}

static void help(void *task) { (void)work(task); }

FormulaOutcome formula_run(const Formula *formula, const FormulaColumn *columns, int64_t items) {
    const int64_t each = formula->steps + formula->inputs + formula->results;
    Task task = {.formula = formula, .columns = columns, .block = block_function(), .items = items};
    task.part = (PART / each + BLOCK) / BLOCK * BLOCK;
    const bool shared = items > task.part && each * items >= LEAST_SHARED && team_is_there() && pool_open(help, &task);
    const bool worked = work(&task);
    if (shared) pool_close();
    if (!worked) return FORMULA_REFUSED;
    return atomic_load(&task.not_finite) ? FORMULA_NOT_FINITE : FORMULA_DONE;
}
