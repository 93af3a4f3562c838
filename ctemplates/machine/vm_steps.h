/* Steps and ends of the machine that are not worth inlining in its loop (vm.c). */
#ifndef CK_VM_STEPS_H
#define CK_VM_STEPS_H

#include "bridge/constants.h"
#include "state/parts.h"

/* A block lacks a form of its code. */
Outcome wants_code(Machine *machine, const Block *block, int64_t steps, Form form);

/* Return whether point `index` of a block is before something that counts as a step. */
static inline bool step_counts(const Block *block, uint32_t index) {
    return index < block->step_count || block->end.counts;
}

/* Writes a record in which some values are no reals; false: some are neither integers nor booleans. */
bool record_mixed(const Block *block, const Value *registers, Word *values);

typedef enum Done { DONE, BY_PART, BY_PYTHON } Done;
/* Arithmetic on operands that are not what the instruction is quick at. */
Done scalar_step(Machine *machine, const Instruction *pc, int64_t now, bool stepped);
/* A native step; moves *note on where it notes something. */
bool native_step(Machine *machine, const Instruction *pc, int64_t now, Word **note);

/* The element of a plain tuple, or of a list that is not stale; NULL: there is none, or it is something else. */
const Value *element_of(Value x, int64_t place, int64_t now);
int64_t element_count(Value x);
/* A plain tuple of the operands; NOTHING: one is a constant, or FOREIGN. */
Value make_tuple(Machine *machine, const Value *registers, const Step *step);
Value make_closure(Machine *machine, const Value *registers, const Block *block, const Instruction *pc);
Value make_environment(Machine *machine, const Value *registers, const Operand *captures, uint32_t count);

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
