/* The bridge to Python: values of one as values of the other, and the steps that Python does. Python.h
 * is included by bridge*.c, passage*.c, peek.c, memory.c and array_memory.c alone; these functions take the GIL
 * themselves.
 *
 * exported: a new Python value (checkpoint/ad/values.py, containers.py), sharing within one call kept, births
 * kept, reals new floats. imported: the reverse. Lists are copied either way; their staleness and owner are kept:
 * an owner that is the machine's run is `machine.owner` in Python. Neither recurses.
 */
#ifndef CK_BRIDGE_H
#define CK_BRIDGE_H

#include "reversal/reverse.h"

/* Step `step` of the machine's block, on its operands; moved operands are dropped. RAISED is not an outcome:
 * what was raised has been sent to a handler, and the machine stands at its head: `*jumped` is true. */
Outcome foreign_step(Machine *machine, uint32_t step, bool *jumped);
/* The block's end, one that C cannot do: CONTROL, THROW, a CALL of what cannot be called so, a BRANCH on what is no
 * boolean. The machine then stands at the head of a block (or at a point). STOPPED: done, go on. */
Outcome foreign_end(Machine *machine);

/* What machine_unwind (unwind.c) leaves to Python. The k-th exit of a j* that a raised value passes: it loses its
 * tangents; false: Python failed, and the value is gone. Where there is no handler: the peer makes the error. Both
 * consume the value. */
bool foreign_strip(Machine *machine, uint32_t k, int64_t tag, Value *raised);
void foreign_uncaught(Machine *machine, Value raised);

/* A callback for reversal: an origin, on accumulators that the caller has collected: aligned with the operands of
 * the step or end, NOTHING for constants; they are replaced. For a stripping there is one, of what was raised.
 * `received` is borrowed: the amount of the result. */
Outcome foreign_reverse_on(Cotangent *cotangent, const Block *block, const Origin *origin, Value received,
                           Value *accumulators, uint32_t count);

/* a + b of amounts that are no reals, by Python. */
Value foreign_amount_add(Heap *heap, Value a, Value b);

/* A counted constant of a block as a value of this heap; borrowed. */
Value constant_value(Heap *heap, const Block *block, uint32_t index);

/* What an operand of a block is; borrowed. */
static inline Value operand_value(const Machine *machine, const Block *block, const Operand *operand) {
    if (operand->at != NO_REGISTER) return load(&machine->registers[operand->at]);
    if (!block->counted_constants[operand->constant]) return block->constants[operand->constant];
    return constant_value(machine->heap, block, operand->constant);
}

void foreign_release(void *python); /* gives a reference up */

/* What lists belong to on either side, and what imported closures need. */
typedef struct Side {
    uint64_t run;       /* a list of this run belongs, in Python, to `owner`; NOBODY: there is no run */
    void *owner;        /* PyObject *, borrowed; NULL: there is none */
    uint32_t registers; /* raised to the most that the procedure of an imported closure needs */
} Side;

/* What Python calls through api.c, with values of whole states: all of them cross at once, so that what they share
 * stays shared. false: the Python exception that stopped it has been appended to `errors` (a list). */

/* Appends the values to the list; they stay the caller's. Each number is a new object. */
bool bridge_export(Heap *heap, const Side *side, const Value *values, size_t count, void *list, void *errors);
/* The items of a list or tuple of at least `count`; the values are then the caller's. */
bool bridge_import(Heap *heap, Side *side, void *sequence, Value *out, size_t count, void *errors);

/* The same for amounts: float and REAL, Both and DUAL, all else FOREIGN. */
bool bridge_export_amounts(Heap *heap, const Value *amounts, size_t count, void *list, void *errors);
bool bridge_import_amounts(Heap *heap, void *sequence, Value *out, size_t count, void *errors);

/* The GIL, taken in whatever thread this is, and given back (held.c). */
void *python_lock(void);
void python_unlock(void *lock);

/* For a hash of one pointer-like word. */
static inline size_t bridge_mix(const void *pointer) {
    uint64_t bits = (uint64_t)(uintptr_t)pointer >> 4;
    return (size_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
}

#endif
