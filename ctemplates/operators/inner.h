/* A run within a step, and its reversal, in the heap of the run around it.
 *
 * In: a procedure and its argument, whose numbers get as many components as there are tags (components.h). Out: the value
 * at the end of the run; for its cotangent, which the caller adds, that of what the run began with. The run counts its
 * own steps and births. Its helper is the heap's `within`; without one, as in Python, the first step that needs Python ends
 * it; so do too many steps, too deep a nest, too little code. Nothing that anybody can see has happened by then: the whole step is Python's, and so are some
 * of those that follow with the same procedure, twice as many each time.
 *
 * What always holds: between inner_begin, if it succeeds, and inner_end nothing of the run around it is touched.
 */
#ifndef CK_INNER_H
#define CK_INNER_H

#include "driver/driver.h"
#include "operators/components.h"
#include "state/built_in.h"

typedef struct Inner {
    Heap *heap;
    Tags tags;  /* its own, of the duals that its numbers become */
    int64_t first; /* the smallest of them */
    Locations u; /* the numbers of procedure and argument */
    Procedure *procedure;
    bool is_derived; /* there are tags */
    uint32_t of_procedure; /* how many of them are the procedure's; the others are in u.all behind them */
    double *reals; /* their components, a row for each */
    const ReturnPoint *halt; /* where it ends; NULL, when it is opened: as every run does */
    State *start;
    Sweep *sweep;
    Cotangent *cotangent;
} Inner;

/* Has procedures leave a run within a step to Python, which may sample it, each time that their runs have made about so
 * many steps more (0: never). inner_taken returns the steps and runs of a procedure so far, which begin at 0 again; it is
 * due after `patience` times as many. */
void inner_watch(int64_t steps);
void inner_taken(Procedure *procedure, int64_t patience, int64_t *steps, int64_t *runs);

/* Finds the numbers in what a run is to begin with; `at`: the registers of procedure and argument. false: it is refused;
 * inner_end is called in any case. */
bool inner_open(Inner *run, Heap *heap, Value procedure, Value argument, const Register *at);

/* Makes room for the components, of so many tags, the first of them `first`. false: this one is left to Python. */
bool inner_tagged(Inner *run, uint32_t count, int64_t first);

/* Fills in the components, where they are those of the numbers: `tags` are theirs, as many as the run's own. */
void inner_fill(Inner *run, const Tags *tags);

/* Makes the state at which it begins. */
void inner_start(Inner *run, Value procedure, Value argument);

/* Starts, and runs to the end; false: it is Python's. base: how many steps are taped at once; where the memory of an executable is
 * bounded, as many as fit. Then inner_value is the value, and the cotangent waits for its own. */
bool inner_run(Inner *run, Value procedure, Value argument, int64_t base);
static inline Value inner_value(const Inner *run) { return run->sweep->end->values[0]; }
static inline int64_t inner_tags(const Inner *run) { return run->sweep->end->tags; }

/* Adds to the cotangent of a number of the value, at its place within that. */
void inner_seed(Inner *run, const Location *number, const double *row);

/* Pulls the cotangent back; false: it is Python's. Then `reals` are the components of the cotangents of `u`. */
bool inner_reverse(Inner *run);

void inner_end(Inner *run);

#endif
