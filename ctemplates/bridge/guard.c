/* Entering Python: see guard.h. */
#include "bridge/guard.h"

#include "bridge/gil.h"
#include "bridge/passage_export.h"
#include "memory/exceptions.h"

/* How often the GIL is used before other threads may have it. */
enum { USES = 64 };

void let_python(Heap *heap) {
    if (!heap->hold.held) return;
    python_unlock(heap->hold.lock);
    heap->hold = (PythonHold){0};
}

static void hold_python(Heap *heap) {
    PythonHold *hold = &heap->hold;
    if (hold->held && ++hold->uses > USES) let_python(heap);
    if (!hold->held) *hold = (PythonHold){.held = true, .lock = python_lock()};
}

void guarded(Heap *heap, Work body, Work clean, void *arguments) {
    hold_python(heap);
    jmp_buf here, *const outer = heap->escape;
    heap->escape = &here;
    volatile bool whole = false;
    if (setjmp(here) == 0) {
        body(arguments);
        whole = true;
    }
    heap->escape = outer;
    if (!whole) forget_exception();
    clean(arguments);
    if (!whole) heap_exhausted(heap);
}

void call_begin(Call *call, void *helper) {
    call->operands[0] = Py_NewRef((PyObject *)helper);
    call->count = 1;
}

void call_end(Call *call) {
    for (size_t i = 0; i < call->count; i++) Py_XDECREF(call->operands[i]);
    call->count = 0;
}

void call_add(Call *call, PyObject *operand) { call->operands[call->count++] = operand; }

void call_add_integer(Call *call, int64_t i) { call_add(call, PyLong_FromLongLong(i)); }

PyObject *call_do(Call *call, PyObject *name) {
    PyObject *answer = NULL;
    bool whole = true;
    for (size_t i = 0; i < call->count; i++) whole = whole && call->operands[i];
    if (whole) answer = PyObject_VectorcallMethod(name, call->operands, call->count, NULL);
    call_end(call);
    return answer;
}

void report_error(void *helper) {
    PyObject *error = take_exception();
    if (!error || PyObject_SetAttrString(helper, "error", error) < 0) forget_exception();
    Py_XDECREF(error);
}

/* The call owns the tuple before it is filled: memory may run out in between. */
void call_add_operands(Call *call, Passage *x, const Value *registers, const Operand *operands, uint32_t count) {
    PyObject *given = PyTuple_New(count), **const place = &call->operands[call->count];
    call_add(call, given);
    for (uint32_t i = 0; *place && i < count; i++) {
        PyObject *operand =
            operands[i].at == NO_REGISTER ? Py_NewRef(Py_None) : export_value(x, registers[operands[i].at], false);
        PyTuple_SET_ITEM(given, i, operand);
        if (!operand) Py_CLEAR(*place);
    }
    if (*place && !export_rest(x)) Py_CLEAR(*place);
}

void call_add_value(Call *call, Passage *x, Value value) {
    PyObject **const place = &call->operands[call->count];
    call_add(call, export_value(x, value, false));
    if (*place && !export_rest(x)) Py_CLEAR(*place);
}
