/* Steps and ends of the machine that are not worth inlining in its loop.
 *
 * What always holds: a function either completes a step or refuses it before any side effect; Python then performs it.
 */
#include "machine/vm_steps.h"

#include <string.h>

#include "containers/containers.h"
#include "natives/natives.h"
#include "scalars/numbers.h"
#include "scalars/scalars.h"

Outcome wants_code(Machine *m, const Block *block, int64_t steps, Form form) {
    m->block = block;
    m->steps = steps;
    m->wanted = form;
    if (form != STEPPED) m->index = 0;
    return WANTS_CODE;
}

/* Parts */

bool record_mixed(const Block *block, const Value *registers, Word *values) {
    for (uint32_t i = 0; i < block->value_count; i++) {
        const Value v = registers[block->values[i]];
        if (kind_of(v) == INTEGER || kind_of(v) == BOOLEAN)
            values[i].real = (double)v.integer;
        else if (v.tag != REAL)
            return false;
    }
    return true;
}

/* Operands of steps and ends */

static Value *result_of(const Machine *m, const Instruction *pc) {
    return (Value *)(void *)((char *)m->registers + pc->d);
}

/* Arithmetic */

/* Converts the operands to reals, if at least one is a real and the others are integers that are exact as reals. */
static bool as_reals(const Value *operands, uint32_t count, double *reals) {
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        const Value v = operands[i];
        if (v.tag == REAL)
            reals[i] = v.real, found = true;
        else if ((v.tag == INTEGER || v.tag == BOOLEAN) && is_exact(v.integer))
            reals[i] = (double)v.integer;
        else
            return false;
    }
    return found;
}

static bool on_integers(const Scalar *scalar, const Value *operands, uint32_t count, Value *result) {
    int64_t integers[2];
    if (!scalar->integers) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].tag != INTEGER) return false;
        integers[i] = operands[i].integer;
    }
    return scalar->integers(integers, result);
}

static Done dual_step(Machine *m, const Instruction *pc, const Step *step, const Value *operands, bool stepped) {
    Value result;
    if (!m->tape) {
        Numbers numbers = {.heap = m->heap, .tape = NULL};
        if (!numbers_apply(&numbers, step->scalar, operands, &result, true)) return BY_PYTHON;
    } else if (!stepped) {
        return BY_PART;
    } else {
        StepTape *tape;
        Register places[2];
        for (uint32_t i = 0; i < step->count; i++) places[i] = step->operands[i].at;
        if (!numbers_apply_taped(m->heap, step->scalar, operands, places, &result, &tape)) return BY_PYTHON;
        if (tape) part_add_numbers(m->heap, m->part, (int32_t)pc->step, tape);
    }
    drop_moved(m, step->operands, step->count);
    *result_of(m, pc) = result;
    return DONE;
}

Done scalar_step(Machine *m, const Instruction *pc, bool stepped) {
    const Step *step = &m->block->steps[pc->step];
    const Scalar *scalar = &SCALARS[step->scalar];
    Value operands[3];
    double reals[3], z;
    bool dual = false;
    if (step->count > 2) return BY_PYTHON;
    for (uint32_t i = 0; i < step->count; i++) {
        operands[i] = operand_value(m, m->block, &step->operands[i]);
        dual |= kind_of(operands[i]) == DUAL;
    }
    if (dual) return dual_step(m, pc, step, operands, stepped);
    if (!scalar->takes_integers) return BY_PYTHON;
    if (as_reals(operands, step->count, reals)) {
        if (!scalar->value(reals, &z)) return BY_PYTHON;
        *result_of(m, pc) = scalar->is_predicate ? of_boolean(z != 0.0) : of_real(z);
        return DONE;
    }
    Value result;
    if (on_integers(scalar, operands, step->count, &result)) {
        *result_of(m, pc) = result;
        return DONE;
    }
    Note found = {0};
    if (step->native == NO_NATIVE) return BY_PYTHON;
    if (!NATIVES[step->native].run(m, operands, step->count, &result, &found)) return BY_PYTHON;
    if (found.copies) part_take_copies(m->heap, m->part, (int32_t)pc->step, found.copies);
    drop_moved(m, step->operands, step->count);
    *result_of(m, pc) = result;
    return DONE;
}

/* Native steps */

bool native_step(Machine *m, const Instruction *pc, Word **note) {
    const Step *step = &m->block->steps[pc->step];
    const NativeStep *native = &NATIVES[step->native];
    Value operands[step->count + 1], result;
    Note found = {0};
    for (uint32_t i = 0; i < step->count; i++) operands[i] = operand_value(m, m->block, &step->operands[i]);
    if (!native->run(m, operands, step->count, &result, &found)) return false;
    if (found.copies) part_take_copies(m->heap, m->part, (int32_t)pc->step, found.copies);
    drop_moved(m, step->operands, step->count);
    *result_of(m, pc) = result;
    if (*note && (pc->flags & (FLAG_NOTES_BIRTH | FLAG_NOTES_FIELD))) {
        ((*note)++)->birth = (uint64_t)found.birth;
        if (pc->flags & FLAG_NOTES_FIELD) ((*note)++)->field = found.field;
    }
    if (*note && (pc->flags & FLAG_NOTES_COPIES)) {
        (*note)[0].birth = (uint64_t)found.birth;
        (*note)[1].field = found.field;
        (*note)[2].birth = (uint64_t)found.made;
        (*note)[3].field = found.count;
        *note += 4;
    }
    return true;
}

int64_t element_count(Value x) {
    return kind_of(x) == LIST ? (int64_t)((const List *)x.object)->length : (int64_t)x.object->length - 1;
}

const Value *element_of(Value x, int64_t place) {
    const Kind kind = kind_of(x);
    const Value *elements;
    if (kind == RECORD && cells_of(x)[0].tag == NOTHING)
        elements = cells_of(x) + 1;
    else if (kind == LIST)
        elements = ((const List *)x.object)->values;
    else
        return NULL;
    const int64_t count = element_count(x);
    if (place < 0) place += count;
    return place >= 0 && place < count ? &elements[place] : NULL;
}

Value make_tuple(Machine *m, const Value *registers, const Step *step) {
    for (uint32_t i = 0; i < step->count; i++) {
        const Operand *operand = &step->operands[i];
        if (operand->at == NO_REGISTER || kind_of(load(&registers[operand->at])) == FOREIGN) return nothing();
    }
    Cells *made = new_born_cells(m->heap, RECORD, step->count + 1, m->births++);
    store(&made->cells[0], nothing());
    for (uint32_t i = 0; i < step->count; i++) {
        const Operand *operand = &step->operands[i];
        store(&made->cells[i + 1], used(load(&registers[operand->at]), operand->moves));
    }
    return of_object(RECORD, made);
}

/* Closures */

Value make_environment(Machine *m, const Value *registers, const Operand *captures, uint32_t count) {
    if (!count) return nothing();
    Cells *environment = new_born_cells(m->heap, ENVIRONMENT, count, m->births++);
    for (uint32_t i = 0; i < count; i++)
        store(&environment->cells[i], used(load(&registers[captures[i].at]), captures[i].moves));
    return of_object(ENVIRONMENT, environment);
}

Value make_closure(Machine *m, const Value *registers, const Block *block, const Instruction *pc) {
    const Step *step = &block->steps[pc->step];
    return closure_of(pc->pointer, make_environment(m, registers, step->operands, step->count));
}

/* Calls */

/* Pushes the frame that the run returns to; of a tail call, marks the top frame, if it does not wait for an outer
 * one. */
static void push_call(Machine *m, const Block *block, const Procedure *procedure) {
    const ReturnPoint *point = block->end.point;
    if (point) {
        push_frame(m, point, procedure->shown ? block : NULL);
    } else if (procedure->shown && block->end.counts) {
        const FrameHead *top = stack_top(&m->stack);
        if (!top->call && top->point->block->end.kind != FINISH) stack_set_call(m->heap, &m->stack, block);
    }
}

const Block *call_procedure(Machine *m, const Block *block, Value called) {
    const End *end = &block->end;
    const uint32_t count = end->count - 1;
    Value args[count + 1];
    for (uint32_t i = 0; i < count; i++)
        store(&args[i], used(operand_value(m, block, &end->operands[i + 1]), end->operands[i + 1].moves));
    push_call(m, block, procedure_of(called));
    machine_enter(m, called, args, count);
    if (end->operands[0].moves) drop(m->heap, called);
    return m->block;
}

void push_install(Machine *m, const Block *block, const Value *registers) {
    const ReturnPoint *point = block->end.point;
    Value *saved = stack_push(m->heap, &m->stack, point, NULL);
    for (uint32_t i = 0; i < point->count; i++)
        store(&saved[i], used(load(&registers[point->saved[i]]), !point->copies[i]));
}
