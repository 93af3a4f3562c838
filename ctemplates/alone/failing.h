/* What a program raises where a step fails, and what it says: checkpoint/driver/raised.py, checkpoint/ad/tangent.py.
 *
 * A raised value goes to its handler (foreign/unwind.h), which may be in the run around; where there is none, `raise` has it
 * until somebody takes it, and the run fails. It has the place where it was raised first.
 */
#ifndef CK_FAILING_H
#define CK_FAILING_H

#include "alone/buffer.h"
#include "alone/program.h"
#include "memory/heap.h"

enum { SHOWN_CHARACTERS = 60 }; /* of an operand, or of what is called */

typedef struct Raise {
    const TextPlace *place;
    const TextPlace *step; /* of the first step whose run it has left; NULL: it has left none */
    Value value; /* owned, if it is `uncaught` */
    bool uncaught;
    Buffer mismatch; /* what a cotangent of a run within a step has been instead of its value's; empty: it fits */
} Raise;

extern Raise raise;

/* Returns the failure of a step with these operands. name: its primitive's, or what it calls, as a text. */
Value failure_of(Heap *heap, const char *name, const Value *operands, uint32_t count, const char *message);

/* Ends the process with an error. */
_Noreturn void end_run(const TextPlace *place, const char *message);

void print_error(const TextPlace *place, const char *message);

/* Says of a call with so many arguments why it cannot be made; false: it can. */
bool call_fails(Buffer *message, Value called, uint32_t count);

/* Says where and how a tangent differs from the shape of its value's; false: it does not. what: a tangent, or cotangent. */
bool tangent_differs(Heap *heap, Buffer *message, const char *what, Value value, Value tangent);

void note_mismatch(Heap *heap, Value value, Value cotangent); /* of HeapHooks */

/* Says of a scalar function and these operands why it fails. */
const char *scalar_failure(const Operation *operation, const Value *operands, uint32_t count);

#endif
