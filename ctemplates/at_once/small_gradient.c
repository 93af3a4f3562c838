/* The entry point of small gradients: see small_gradient.h. */
#include "bridge/trees.h"

#include "at_once/small_gradient.h"

#include "bridge/classes.h"
#include "bridge/guard.h"
#include "bridge/passage_import.h"
#include "memory/exceptions.h"
#include "reversal/reverse.h"
#include "reversal/reverse_program.h"

typedef struct Taking {
    const SmallGradient *call;
    Heap *heap;
    PyObject *closure, *arguments, *positions, *found;
    Passage x; /* of the closure */
    int64_t births;
    double seed;
    State *start;
    Sweep *sweep;
    Cotangent *cotangent;
    int64_t steps;
    bool done;
} Taking;

/* The first state */

static bool import_closure_of(Taking *t, Value *to) {
    *to = of_procedure(PROCEDURE, t->call->procedure, NULL);
    if (!t->closure) return true;
    *to = import_value(&t->x, t->closure);
    return import_rest(&t->x);
}

static bool make_start(Taking *t) {
    const SmallGradient *call = t->call;
    Heap *heap = t->heap;
    Tree tree = {.heap = heap, .births = t->births, .parts = LARGEST_TREE};
    Value closure, arguments;
    if (!import_closure_of(t, &closure) || !tree_import(&tree, t->arguments, &arguments)) return false;
    State *start = t->start = state_create(heap, call->entry, 0, 2, version_create(heap));
    start->steps = start->tags = 0;
    start->births = tree.births;
    start->values[0] = closure;
    start->values[1] = arguments;
    stack_push(heap, &start->stack, call->halt, NULL);
    return true;
}

/* The sweep */

static bool follow(Taking *t, DirectiveKind kind) {
    Sweep *sweep = t->sweep;
    sweep->now = (Directive){.kind = kind, .bytes = t->call->tape};
    sweep->now.step = kind == DO_REVERSE ? LAST_TAPE : TO_THE_END;
    sweep->busy = true;
    return sweep_continue(sweep, false) == SWEEP_FOLLOWED;
}

static bool run_taped(Taking *t) {
    Sweep *sweep = t->sweep = sweep_create(t->heap, t->start, TO_THE_END, 0, UNBOUNDED, NULL);
    sweep->pace = t->call->steps;
    if (!follow(t, DO_KEEP) || !follow(t, DO_TAPE)) return false;
    return sweep->report.finished;
}

static void seed_end(Taking *t, const State *end) {
    Cotangent *c = t->cotangent = cotangent_create(t->heap, NULL);
    programs_create(c);
    c->block = end->block;
    c->index = end->index;
    if (end->block->procedure) cotangent_reserve(c, end->block->procedure->registers);
    uint32_t count;
    const Register *slots = point_registers(c->block, c->index, &count);
    c->window[slots[0]] = of_real(t->seed);
    t->sweep->cotangent = c;
}

static bool reverse_all(Taking *t) {
    t->sweep->pace = INT64_MAX;
    return follow(t, DO_REVERSE);
}

/* The results */

static bool add(Taking *t, PyObject *made) {
    const bool added = made && PyList_Append(t->found, made) == 0;
    Py_XDECREF(made);
    return added;
}

/* Adds the cotangent of each argument that is asked for; false: one of them holds no real. */
static bool add_cotangents(Taking *t) {
    version_show(t->heap, t->start->version);
    const Cells *arguments = (const Cells *)t->start->values[1].object;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(t->positions); i++) {
        const Py_ssize_t at = PyLong_AsSsize_t(PyTuple_GET_ITEM(t->positions, i));
        size_t reals = 0;
        if (at < 0 || at >= (Py_ssize_t)arguments->head.length - 1) return false;
        if (!add(t, tree_cotangent(t->cotangent, arguments->cells[at + 1], arguments->head.birth, at, &reals)))
            return false;
        if (!reals) return false;
    }
    return true;
}

static void take_gradient(void *arguments) {
    Taking *t = arguments;
    if (!classes() || !make_start(t) || !run_taped(t)) return;
    const State *end = t->sweep->last_taped.end;
    const Value value = end ? end->values[0] : nothing();
    if (!end || kind_of(value) != REAL) return;
    seed_end(t, end);
    t->done = reverse_all(t) && add(t, PyFloat_FromDouble(value.real)) && add_cotangents(t);
}

static void clean_taking(void *arguments) {
    Taking *t = arguments;
    passage_end(&t->x);
    forget_exception();
}

static void release_all(const Taking *t) {
    if (t->sweep) {
        if (!t->done) sweep_lose(t->sweep, false);
        sweep_destroy(t->sweep);
    }
    if (t->cotangent) {
        programs_destroy(t->cotangent);
        cotangent_destroy(t->cotangent);
    }
    if (t->start) state_release(t->heap, t->start);
}

static void enter(void *arguments) {
    Taking *t = arguments;
    guarded(t->heap, take_gradient, clean_taking, t);
    if (t->done) t->steps = t->sweep->counts.taped;
    release_all(t);
}

/* If memory runs out, all that is left is freed with the heap. */
int64_t ck_small_gradient(const SmallGradient *call, uintptr_t closure, int64_t births, uintptr_t arguments,
                          uintptr_t positions, double seed, uintptr_t found) {
    Held *held = held_new_heap(call->held);
    if (!held) return -1;
    Taking t = {.call = call, .heap = held->heap, .closure = (PyObject *)closure, .births = births, .steps = -1};
    t.arguments = (PyObject *)arguments;
    t.positions = (PyObject *)positions;
    t.found = (PyObject *)found;
    t.seed = seed;
    passage_begin(&t.x, held->heap, NULL);
    if (!held_run(held, enter, &t)) t.steps = -1;
    held_drop(held);
    return t.steps;
}
