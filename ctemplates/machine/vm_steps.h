/* Steps and ends of the machine that are not worth inlining in its loop (vm.c). */
#ifndef CK_VM_STEPS_H
#define CK_VM_STEPS_H

#include "bridge/constants.h"
#include "state/parts.h"

/* Stops the machine at a block that lacks a form of its code. */
Outcome wants_code(Machine *machine, const Block *block, int64_t steps, Form form);

/* Returns whether point `index` of a block is before something that counts as a step. */
static inline bool step_counts(const Block *block, uint32_t index) {
    return index < block->step_count || block->end.counts;
}

/* Writes a record in which some values are not reals; false: some are neither integers nor booleans. */
bool record_mixed(const Block *block, const Value *registers, Word *values);

typedef enum Done { DONE, BY_PART, BY_PYTHON } Done;
/* Performs arithmetic on operands outside the fast path of the instruction. */
Done scalar_step(Machine *machine, const Instruction *pc, bool stepped);
/* Performs a native step; advances *note if it writes a note. */
bool native_step(Machine *machine, const Instruction *pc, Word **note);

/* Returns the element of a plain tuple or a list; NULL: there is none, or it is something else. */
const Value *element_of(Value x, int64_t place);
int64_t element_count(Value x);
/* Returns a plain tuple of the operands; NOTHING: one is a constant, or FOREIGN. */
Value make_tuple(Machine *machine, const Value *registers, const Step *step);
Value make_closure(Machine *machine, const Value *registers, const Block *block, const Instruction *pc);
Value make_environment(Machine *machine, const Value *registers, const Operand *captures, uint32_t count);

/* Asks, after a step or an end of Python's, whether the run ends here; sets `ends_at` if it does. */
static inline bool ends_here(Machine *m) {
    if (!m->is_over || !m->is_over(m->owner)) return false;
    m->ends_at = m->steps;
    return true;
}

/* Moves the machine to the point after a step of plain code, whose block goes on step by step; false: it already does. */
static inline bool leaves_plain(Machine *m, const Instruction *pc, bool stepped) {
    if (!stepped) m->index = pc->step + 1;
    return !stepped;
}

/* Ends; both leave the target's parameters in their registers. */
const Block *call_procedure(Machine *machine, const Block *block, Value called);
void push_install(Machine *machine, const Block *block, const Value *registers);

static inline Value closure_of(const Procedure *procedure, Value environment) {
    const bool captures = environment.tag == ENVIRONMENT;
    return of_procedure(captures ? CLOSURE : PROCEDURE, procedure, captures ? environment.object : NULL);
}
static inline bool takes(Value called, uint32_t count) {
    const Kind kind = kind_of(called);
    return (kind == CLOSURE || kind == PROCEDURE) && procedure_of(called)->arity == count;
}
static inline uint64_t birth_of(Value v) { return is_counted(v) ? v.object->birth : 0; }

#endif
