/* Entering Python: with the GIL, and with an `escape` of its own, so that when memory runs out the GIL is released and
 * Python's objects are released before the jump continues to the caller's escape.
 */
#ifndef CK_GUARD_H
#define CK_GUARD_H

#include "bridge/passage.h"
#include "program/value.h"

/* Calls `body`, then `clean`, both with the GIL; if memory ran out in `body`, `clean`, and then heap_exhausted. The GIL
 * is held from then on, so that the next call has it already, until let_python: which every entry from Python calls at
 * its end (held.c), and this does once in a while. So other threads wait for a slice of a run at most. */
typedef void (*Work)(void *arguments);
void guarded(Heap *heap, Work body, Work clean, void *arguments);
void let_python(Heap *heap);

/* A call of a method of the helper, whose operands are released; NULL: it failed (also where one of them is NULL). */
enum { MOST_IN_CALL = 9 };
typedef struct Call {
    PyObject *operands[MOST_IN_CALL]; /* the helper is the first */
    size_t count;
} Call;
void call_begin(Call *call, void *helper);
void call_end(Call *call); /* releases the operands of a call that was not made */
void call_add(Call *call, PyObject *operand); /* takes the reference */
void call_add_integer(Call *call, int64_t i);
PyObject *call_do(Call *call, PyObject *name);

/* Stores Python's current exception in the helper, as its `error`. */
void report_error(void *helper);

/* Adds operands of a step or end, exported, as a tuple with None for constants. */
void call_add_operands(Call *call, Passage *x, const Value *registers, const Operand *operands, uint32_t count);

/* Adds a value, exported. */
void call_add_value(Call *call, Passage *x, Value value);

#endif
