/* Sequences of values and of cotangents: see sequences.h. */
#include "bridge/sequences.h"

#include "bridge/classes.h"
#include "bridge/guard.h"
#include "bridge/passage_export.h"
#include "bridge/passage_import.h"
#include "memory/exceptions.h"

typedef struct Sequence {
    Passage x;
    Heap *heap;
    Side *side;
    const Value *values;
    Value *out;
    size_t count;
    PyObject *python, *errors;
    bool cotangents, done;
} Sequence;

static void open_sequence(Sequence *s) {
    passage_begin(&s->x, s->heap, NULL);
    s->x.cotangents = s->cotangents;
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
    if (error && s->errors && PyList_Append(s->errors, error) < 0) forget_exception();
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

bool bridge_keep(Heap *heap, const Block *block, const uintptr_t *points, size_t count) {
    const PyGILState_STATE lock = PyGILState_Ensure();
    bool kept = heap_keep(heap, block->python);
    for (size_t i = 0; kept && i < count; i++) {
        const ReturnPoint *point = (const ReturnPoint *)points[i];
        if (i && points[i] == points[i - 1]) continue; /* as in a deep recursion */
        kept = heap_keep(heap, point->block->python);
        if (kept && point->handler) kept = heap_keep(heap, point->handler->python);
    }
    if (!kept) forget_exception();
    PyGILState_Release(lock);
    return kept;
}

bool bridge_keep_all(Heap *heap, const Heap *other) {
    if (!other->keeps) return true;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *all = heap->keeps ? PyNumber_InPlaceOr(heap->keeps, other->keeps) : PySet_New(other->keeps);
    if (all) {
        Py_XDECREF(heap->keeps);
        heap->keeps = all;
    } else {
        forget_exception();
    }
    PyGILState_Release(lock);
    return all != NULL;
}

/* The reference is taken last: memory may run out before. */
Value bridge_share(Heap *heap, Value foreign) {
    PyObject *python = ((Foreign *)foreign.object)->python;
    const Value made = new_foreign(heap, python, false);
    const PyGILState_STATE lock = PyGILState_Ensure();
    Py_INCREF(python);
    PyGILState_Release(lock);
    return made;
}

bool bridge_export_cotangents(Heap *heap, const Value *cotangents, size_t count, void *list, void *errors) {
    Sequence s = {.heap = heap, .values = cotangents, .count = count, .python = list, .errors = errors};
    s.cotangents = true;
    guarded(heap, export_sequence, clean_sequence, &s);
    return s.done;
}

bool bridge_import_cotangents(Heap *heap, void *sequence, Value *out, size_t count, void *errors) {
    Sequence s = {.heap = heap, .out = out, .count = count, .python = sequence, .errors = errors};
    s.cotangents = true;
    guarded(heap, import_sequence, clean_sequence, &s);
    return s.done;
}
