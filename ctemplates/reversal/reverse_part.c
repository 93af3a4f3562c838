/* Reverses a part of a block that was run step by step, as checkpoint/interp/hybrid/reversal.py does.
 *
 * In: a part, and the cotangent of the state where it ended. Out: that of the state where it began. The end, or the
 * raise, is reversed first; then the actions of the steps that were made. A step that left an origin is reversed by
 * its origin: by Python, or by the tape of its arithmetic on duals.
 *
 * An integer operand is a constant. If a value was not recorded, because no partial reads it, it is not known whether
 * the operand is one: its accumulator then receives a contribution that is never read.
 */
#include "reversal/reverse_part.h"

#include "foreign/reversing.h"
#include "reversal/field_actions.h"
#include "reversal/reverse_end.h"
#include "reversal/reverse_program.h"
#include "reversal/reverse_whole.h"
#include "scalars/step_tape.h"
#include "state/cotangent_stack.h"

typedef struct Reversal {
    Cotangent *c;
    const Part *part;
    const Block *block;
    const Backward *program;
} Reversal;

/* Slots */

/* Sets all slots of the block but those of a point to 0. */
static void keep_point(const Reversal *r, const Block *block, uint32_t index) {
    Cotangent *c = r->c;
    uint32_t count;
    const Register *kept = point_registers(block, index, &count);
    for (uint32_t i = 0; i < count; i++) c->scratch[i] = take_accumulator(&c->window[kept[i]]);
    for (uint32_t i = 0; i < r->block->slot_count; i++) clear_accumulator(c->heap, &c->window[r->block->slots[i]]);
    for (uint32_t i = 0; i < count; i++) c->window[kept[i]] = c->scratch[i];
}

static void clear_slots(const Reversal *r) {
    for (uint32_t i = 0; i < r->block->slot_count; i++)
        clear_accumulator(r->c->heap, &r->c->window[r->block->slots[i]]);
}

static bool is_done(Outcome outcome) { return outcome != FAILED && outcome != NO_MEMORY; }

/* Origins */

enum { FEW_OPERANDS = 8 };

/* Reverses a step on whole values that C has done; false: only Python can reverse it. */
static bool reverse_values(Cotangent *c, const Whole *whole, Value *received, const Operand *operands, uint32_t count) {
    Register at[MOST_WHOLE];
    const bool lifts = whole->kind == WHOLE_LIFT; /* the procedure is the first operand of its end */
    for (uint32_t i = 0; i < MOST_WHOLE; i++) at[i] = i + lifts < count ? operands[i + lifts].at : NO_REGISTER;
    if (whole->kind == WHOLE_GRADIENT || whole->kind == WHOLE_RAISE)
        return c->heap->hooks->reverse_gradient(c, whole, received, at);
    reverse_whole(c, whole, received, at);
    return true;
}

/* Reverses a step or end by its origin: an operand may occur twice, and then has one accumulator. */
static Outcome reverse_origin(const Reversal *r, Origin *origin, Value *received, const Operand *operands,
                              uint32_t count) {
    Cotangent *c = r->c;
    if (origin->numbers) {
        step_tape_reverse(c->heap, origin->numbers, *received, c->window);
        c->mixed = true;
        return STOPPED;
    }
    if (origin->copies) {
        give_copies(c, origin->copies);
        return STOPPED;
    }
    if (origin->whole && !origin->python) {
        if (reverse_values(c, origin->whole, received, operands, count)) return STOPPED;
        origin->python = foreign_origin_of(c, r->block, origin->key, origin->whole);
        if (!origin->python) return FAILED;
    }
    Value few[FEW_OPERANDS], *accumulators = few;
    if (count > FEW_OPERANDS) accumulators = heap_allocate(c->heap, count * sizeof(Value));
    for (uint32_t i = 0; i < count; i++)
        accumulators[i] = operands[i].at == NO_REGISTER ? nothing() : copied(c->window[operands[i].at]);
    const Outcome outcome = foreign_reverse_on(c, r->block, origin, received, accumulators, count);
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].at == NO_REGISTER) continue;
        drop(c->heap, c->window[operands[i].at]);
        c->window[operands[i].at] = accumulators[i];
        c->mixed |= accumulators[i].tag != REAL;
    }
    if (accumulators != few) heap_free(c->heap, accumulators, count * sizeof(Value));
    return outcome;
}

/* Reverses a step by its origin, from the accumulator of its result. */
static Outcome reverse_recorded_step(const Reversal *r, Origin *origin, uint32_t index) {
    const Step *step = &r->block->steps[index];
    Value received = of_real(0.0);
    if (step->result != NO_REGISTER) received = take_accumulator(&r->c->window[step->result]);
    const Outcome outcome = reverse_origin(r, origin, &received, step->operands, step->count);
    drop(r->c->heap, received);
    return outcome;
}

/* Steps */

/* Stores the operands of a scalar as reals. False: there is nothing to reverse, since none of them is a real. */
static bool scalar_values(const Part *part, const Action *action, Value *values) {
    bool found = false;
    for (int i = 0; i < action->count; i++) {
        if (action->operands[i] == NO_REGISTER) {
            values[i] = of_real(action->constants[i]);
        } else if (action->values[i] < 0) {
            values[i] = of_real(0.0);
            found = true;
        } else {
            values[i] = part->values[action->values[i]];
            found |= values[i].tag == REAL;
            if (values[i].tag == NOTHING) return false;
        }
    }
    return found;
}

/* Returns a real, or an integer beside reals, as a real. */
static double as_real(Value v) { return v.tag == REAL || v.tag == FOREIGN ? v.real : (double)v.integer; }

static Outcome scale_by_python(const Reversal *r, const Action *action, const Value *values, Value result) {
    Cotangent *c = r->c;
    double cotangents[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < action->count; i++)
        if (action->operands[i] != NO_REGISTER) cotangents[i] = c->window[action->operands[i]].real;
    const Outcome outcome = foreign_scale(c, r->block, action, values, result, cotangents);
    if (!is_done(outcome)) return outcome;
    for (int i = 0; i < action->count; i++)
        if (action->operands[i] != NO_REGISTER) c->window[action->operands[i]] = of_real(cotangents[i]);
    return STOPPED;
}

static Outcome reverse_scale(const Reversal *r, const Action *action) {
    Value *const window = r->c->window;
    const Value received = window[action->source];
    Value values[3], result = of_real(0.0);
    double reals[3];
    if (received.tag != REAL || !scalar_values(r->part, action, values)) return STOPPED;
    if (action->values[3] >= 0) result = r->part->values[action->values[3]];
    if (action->scalar == NO_SCALAR) return scale_by_python(r, action, values, result);
    const Scalar *scalar = &SCALARS[action->scalar];
    if (scalar->singular && received.real == 0.0) return STOPPED;
    for (int i = 0; i < action->count; i++) reals[i] = as_real(values[i]);
    for (int i = action->count; i-- > 0;)
        if (action->operands[i] != NO_REGISTER && values[i].tag == REAL && !is_flat(scalar, (uint32_t)i))
            window[action->operands[i]].real += scalar->partials[i](reals, as_real(result)) * received.real;
    return STOPPED;
}

static Outcome reverse_one(const Reversal *r, const Action *action) {
    if (action->kind == ADD || action->kind == TAKE || action->kind == GIVE) {
        reverse_action(r->c, action, r->part->notes);
        return STOPPED;
    }
    Origin *origin = part_origin(r->part, (int32_t)action->step);
    if (origin) return reverse_recorded_step(r, origin, action->step);
    if (action->kind == SCALE) return reverse_scale(r, action);
    reverse_action(r->c, action, r->part->notes);
    return STOPPED;
}

static Outcome reverse_made_steps(const Reversal *r) {
    const Part *part = r->part;
    bool split = false;
    for (uint32_t i = 0; i < r->block->action_count; i++) {
        const Action *action = &r->block->actions[i];
        if (action->step < part->start || action->step >= part->stop) continue;
        split |= action->step == 0;
        const Outcome outcome = reverse_one(r, action);
        if (!is_done(outcome)) return outcome;
    }
    const bool built_in = !r->block->procedure && r->block->step_count && part->start < part->stop;
    Origin *origin = built_in && !split ? part_origin(part, 0) : NULL;
    return origin ? reverse_recorded_step(r, origin, 0) : STOPPED;
}

/* Ends */

static Outcome reverse_recorded_end(const Reversal *r, Value *received) {
    Origin *origin = part_origin(r->part, END_ORIGIN);
    const End *end = &r->block->end;
    return origin ? reverse_origin(r, origin, received, end->operands, end->count) : STOPPED;
}

static uint64_t end_birth(const Reversal *r) {
    const uint32_t count = r->block->note_count;
    return count ? r->part->notes[count - 1].birth : 0;
}

/* Reverses j*: the procedure's argument was made of the operands; the frame that holds the tag is removed first. */
static Outcome reverse_differentiate(const Reversal *r) {
    Cotangent *c = r->c;
    const Block *entered = c->block;
    const uint32_t count = entered->parameter_count;
    for (uint32_t i = 0; i < count; i++) c->scratch[i] = take_accumulator(&c->window[entered->parameters[i]]);
    Value received = count ? c->scratch[count - 1] : of_real(0.0);
    clear_slots(r);
    drop(c->heap, cotangent_pop(c));
    take_frame(c, r->block->end.point);
    if (entered->procedure) give_environment(c, end_birth(r), entered->procedure->capture_count);
    const Outcome outcome = reverse_recorded_end(r, &received);
    drop(c->heap, received);
    return outcome;
}

/* Reverses resume: adds to the slots of the capsule's state and of its frames, from their copies: those of the current
 * point, and frames on the stack. Python knows the state, and removes the frames from the stack. */
static Outcome reverse_resume(const Reversal *r) {
    Cotangent *c = r->c;
    uint32_t count;
    const Register *at = point_registers(c->block, c->index, &count);
    if (r->part->resumed && !is_done(foreign_resumed(c, r->part->resumed))) return FAILED;
    for (uint32_t i = 0; i < count; i++) clear_accumulator(c->heap, &c->window[at[i]]);
    clear_slots(r);
    take_frame(c, r->block->end.point);
    Value received = of_real(0.0);
    return reverse_recorded_end(r, &received);
}

/* Reverses a raise: the frames that it removed are restored, with zero accumulators except for the handler's; the
 * raised value is pulled back through its strippings to its operand. */
static Outcome reverse_raise(const Reversal *r) {
    Cotangent *c = r->c;
    const Part *part = r->part;
    const Block *handler = c->block;
    Value raised = take_accumulator(&c->window[handler->parameters[0]]);
    for (uint32_t i = 1; i < handler->parameter_count; i++)
        cotangent_push(c, take_accumulator(&c->window[handler->parameters[i]]));
    for (uint32_t i = part->unwound_count - 1; part->unwound_count && i-- > 0;)
        for (uint32_t k = 0; k < part->unwound[i]; k++) cotangent_push(c, of_real(0.0));
    clear_slots(r);
    for (uint32_t k = part->stripped; k-- > 0;) {
        const Origin *origin = part_origin(part, STRIPPED_ORIGIN - (int32_t)k);
        Value stripped = of_real(0.0);
        if (origin && !is_done(foreign_reverse_on(c, r->block, origin, &raised, &stripped, 1))) return FAILED;
        drop(c->heap, raised);
        raised = stripped;
        c->mixed |= raised.tag != REAL;
    }
    Origin *origin = part_origin(part, (int32_t)part->stop);
    const End *end = &r->block->end;
    Outcome outcome = STOPPED;
    if (origin) {
        const Step *step = &r->block->steps[part->stop];
        outcome = reverse_origin(r, origin, &raised, step->operands, step->count);
    } else if (end->kind == THROW && end->operands[0].at != NO_REGISTER) {
        accumulate(c->heap, &c->window[end->operands[0].at], raised);
        return STOPPED;
    }
    drop(c->heap, raised);
    return outcome;
}

static Outcome reverse_way_out(const Reversal *r) {
    const Part *part = r->part;
    const End *end = &r->block->end;
    if (part->raised) return reverse_raise(r);
    if (!part->ended) {
        keep_point(r, r->block, part->stop);
        return STOPPED;
    }
    if (end->kind == CONTROL) return end->resumes ? reverse_resume(r) : reverse_differentiate(r);
    reverse_end(r->c, r->program, end_birth(r), true);
    return STOPPED;
}

Outcome reverse_part(Part *part, Cotangent *c) {
    const Block *block = part->block;
    const Reversal r = {c, part, block, program_of(c, block)};
    Outcome outcome = reverse_way_out(&r);
    if (is_done(outcome)) outcome = reverse_made_steps(&r);
    if (!is_done(outcome)) return outcome;
    keep_point(&r, block, part->start);
    c->block = block;
    c->index = part->start;
    return STOPPED;
}
