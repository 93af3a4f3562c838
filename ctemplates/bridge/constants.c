/* Counted constants: imported on first use, then always the same object of the heap. */
#include "bridge/constants.h"

#include "bridge/classes.h"
#include "bridge/guard.h"
#include "memory/memo.h"
#include "bridge/passage_import.h"

typedef struct Constant {
    Passage x;
    Heap *heap;
    PyObject *python;
    Value value;
} Constant;

static void clean_constant(void *arguments) { passage_end(&((Constant *)arguments)->x); }

/* Imports a constant; its objects are remembered in both directions, so that each is always the same object. */
static void import_constant(void *arguments) {
    Constant *constant = arguments;
    Passage *x = &constant->x;
    passage_begin(x, constant->heap, NULL);
    if (!classes()) return;
    constant->value = import_value(x, constant->python);
    if (!import_rest(x)) return;
    for (size_t i = 0; i < x->count; i++) {
        const Known known = x->known[i];
        const Value own = of_object((Kind)known.object->kind, known.object);
        if (known.object->kind == DUAL) continue;
        heap_remember(x->heap, known.python, copied(own));
        heap_remember(x->heap, known.object, new_foreign(x->heap, known.python, true));
    }
    Value known;
    if (!heap_recall(x->heap, constant->python, &known)) heap_remember(x->heap, constant->python, constant->value);
}

Value constant_value(Heap *heap, const Block *block, uint32_t index) {
    Constant constant = {.heap = heap, .python = block->counted_constants[index]};
    if (heap_recall(heap, constant.python, &constant.value)) return constant.value;
    constant.value = nothing();
    guarded(heap, import_constant, clean_constant, &constant);
    return constant.value;
}
