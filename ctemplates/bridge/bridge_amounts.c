/* Sequences of values and amounts, which cross as wholes, and what reversing asks of Python: see bridge.h. */
#include "bridge/pulls.h"

/* Sequences of values */

typedef struct Sequence {
    Passage x;
    Heap *heap;
    Side *side;
    const Value *values;
    Value *out;
    size_t count;
    PyObject *python, *errors;
    bool amounts, done;
} Sequence;

static void open_sequence(Sequence *s) {
    passage_begin(&s->x, s->heap, NULL);
    s->x.amounts = s->amounts;
    if (s->side) s->x.side = *s->side;
    s->x.side.registers = 0;
}

static void clean_sequence(void *arguments) {
    Sequence *s = arguments;
    if (s->side && s->x.side.registers > s->side->registers) s->side->registers = s->x.side.registers;
    passage_end(&s->x);
}

static void report(const Sequence *s) {
    PyObject *error = take_exception();
    if (error && s->errors && PyList_Append(s->errors, error) < 0) PyErr_Clear();
    Py_XDECREF(error);
}

static bool append_all(Sequence *s) {
    for (size_t i = 0; i < s->count; i++) {
        PyObject *value = export_value(&s->x, s->values[i], true);
        const bool appended = value && PyList_Append(s->python, value) == 0;
        Py_XDECREF(value);
        if (!appended) return false;
    }
    return export_rest(&s->x);
}

static void export_sequence(void *arguments) {
    Sequence *s = arguments;
    open_sequence(s);
    s->done = classes() && append_all(s);
    if (!s->done) report(s);
}

static void import_sequence(void *arguments) {
    Sequence *s = arguments;
    open_sequence(s);
    if (classes()) {
        PyObject **items = PySequence_Fast_ITEMS(s->python);
        for (size_t i = 0; i < s->count; i++) s->out[i] = nothing();
        for (size_t i = 0; i < s->count; i++) s->out[i] = import_value(&s->x, items[i]);
        s->done = import_rest(&s->x);
    }
    if (s->done) return;
    for (size_t i = 0; i < s->count; i++) drop(s->heap, s->out[i]);
    report(s);
}

bool bridge_export(Heap *heap, const Side *side, const Value *values, size_t count, void *list, void *errors) {
    Side own = *side;
    Sequence s = {.heap = heap, .side = &own, .values = values, .count = count, .python = list, .errors = errors};
    guarded(heap, export_sequence, clean_sequence, &s);
    return s.done;
}

bool bridge_import(Heap *heap, Side *side, void *sequence, Value *out, size_t count, void *errors) {
    Sequence s = {.heap = heap, .side = side, .out = out, .count = count, .python = sequence, .errors = errors};
    guarded(heap, import_sequence, clean_sequence, &s);
    return s.done;
}

bool bridge_export_amounts(Heap *heap, const Value *amounts, size_t count, void *list, void *errors) {
    Sequence s = {.heap = heap, .values = amounts, .count = count, .python = list, .errors = errors, .amounts = true};
    guarded(heap, export_sequence, clean_sequence, &s);
    return s.done;
}

bool bridge_import_amounts(Heap *heap, void *sequence, Value *out, size_t count, void *errors) {
    Sequence s = {.heap = heap, .out = out, .count = count, .python = sequence, .errors = errors, .amounts = true};
    guarded(heap, import_sequence, clean_sequence, &s);
    return s.done;
}

/* Amounts that C cannot add */

typedef struct Sum {
    Passage x;
    Heap *heap;
    Value operands[2], value;
    PyObject *result;
    bool done;
} Sum;

static void clean_sum(void *arguments) {
    Sum *sum = arguments;
    Py_CLEAR(sum->result);
    passage_end(&sum->x);
}

static void add(void *arguments) {
    Sum *sum = arguments;
    Passage *x = &sum->x;
    passage_begin(x, sum->heap, NULL);
    x->amounts = true;
    if (!classes()) return;
    PyObject *a = export_value(x, sum->operands[0], false), *b = export_value(x, sum->operands[1], false);
    sum->result = a && b && export_rest(x) ? PyNumber_Add(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    if (!sum->result) return;
    x->done = x->count;
    sum->value = import_value(x, sum->result);
    sum->done = import_rest(x);
}

/* Amounts of one location are alike, so only memory can be missing. */
Value foreign_amount_add(Heap *heap, Value a, Value b) {
    Sum sum = {.heap = heap, .operands = {a, b}, .value = nothing()};
    guarded(heap, add, clean_sum, &sum);
    drop(heap, a);
    drop(heap, b);
    if (!sum.done) heap_exhausted(heap);
    return sum.value;
}

/* Origins */

typedef struct Reversing {
    Passage x;
    Cotangent *c;
    const Block *block;
    const Origin *origin;
    Value received, *accumulators;
    uint32_t count;
    Outcome outcome;
    Call call;
    PyObject *answer;
    Pull pull;
} Reversing;

static void clean_reversing(void *arguments) {
    Reversing *r = arguments;
    call_end(&r->call);
    Py_CLEAR(r->answer);
    pull_end(&r->pull);
    passage_end(&r->x);
}

/* The call holds the tuple before it is filled: memory may end in between. */
static void add_accumulators(Reversing *r) {
    PyObject *given = PyTuple_New(r->count), **const place = &r->call.operands[r->call.count];
    call_add(&r->call, given);
    for (uint32_t i = 0; *place && i < r->count; i++) {
        PyObject *accumulator = export_value(&r->x, r->accumulators[i], false);
        PyTuple_SET_ITEM(given, i, accumulator);
        if (!accumulator) Py_CLEAR(*place);
    }
    if (*place && !export_rest(&r->x)) Py_CLEAR(*place);
}

/* The new accumulators: a sequence as long as the old one, with None where there was none. */
static bool take_accumulators(Reversing *r) {
    PyObject *items = PySequence_Fast(r->answer, "accumulators are a sequence");
    if (!items) return false;
    Py_SETREF(r->answer, items);
    if (PySequence_Fast_GET_SIZE(items) != r->count) {
        PyErr_SetString(PyExc_SystemError, "a reversed step in Python has answered wrongly");
        return false;
    }
    Value *taken = heap_allocate(r->c->heap, (r->count + 1) * sizeof *taken);
    r->x.done = r->x.count;
    for (uint32_t i = 0; i < r->count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        taken[i] = item == Py_None ? nothing() : import_value(&r->x, item);
    }
    const bool whole = import_rest(&r->x);
    for (uint32_t i = 0; i < r->count; i++) {
        drop(r->c->heap, whole ? r->accumulators[i] : taken[i]);
        if (whole) r->accumulators[i] = taken[i];
    }
    heap_free(r->c->heap, taken, (r->count + 1) * sizeof *taken);
    return whole;
}

static void reverse_in_python(void *arguments) {
    Reversing *r = arguments;
    passage_begin(&r->x, r->c->heap, NULL);
    r->x.amounts = true;
    if (r->origin->key >= 0) {
        const Step *step = &r->block->steps[r->origin->key];
        const Pulling done =
            array_reverse(&r->pull, r->c->heap, step, r->origin->python, r->received, r->accumulators, r->count);
        if (done == PULLED) r->outcome = STOPPED;
        if (done == REFUSED) tell_error(r->c->peer);
        if (done != NOT_HERE) return;
    }
    if (!classes()) {
        tell_error(r->c->peer);
        return;
    }
    call_begin(&r->call, r->c->peer);
    call_add(&r->call, Py_NewRef((PyObject *)r->block->python));
    call_add_integer(&r->call, r->origin->key);
    call_add(&r->call, Py_NewRef((PyObject *)r->origin->python));
    call_add(&r->call, export_value(&r->x, r->received, false));
    add_accumulators(r);
    r->answer = call_do(&r->call, classes()->reverse);
    if (r->answer == Py_None) return; /* the peer has its error */
    if (r->answer && take_accumulators(r))
        r->outcome = STOPPED;
    else
        tell_error(r->c->peer);
}

Outcome foreign_reverse_on(Cotangent *c, const Block *block, const Origin *origin, Value received,
                           Value *accumulators, uint32_t count) {
    Reversing reversing = {.c = c, .block = block, .origin = origin, .received = received,
                           .accumulators = accumulators, .count = count, .outcome = FAILED};
    guarded(c->heap, reverse_in_python, clean_reversing, &reversing);
    return reversing.outcome;
}
