/* The forward loop: machine_run.
 *
 * In: a machine at a point, a limit of steps. Out: the machine at the point where it stopped, and why.
 *
 * A block runs as a whole by its plain code, or on a tape by its taped code. It runs by its stepped code if the limit
 * is within it, if it was entered in its middle, and on a tape from the first step on that leaves an origin (give_up).
 * Every slot has its own register, so all values that a block has computed are still there then. Plain and taped code
 * count all steps of the block on entry: `steps - cost` were made before it.
 *
 * Local variables cache the machine's fields: SYNC writes them back before other code reads the machine.
 */
#include "machine/vm.h"

#include "containers/collector.h"
#include "foreign/ends.h"
#include "foreign/steps.h"
#include "machine/fast.h"
#include "machine/vm_families.h"
#include "machine/vm_steps.h"
#include "scalars/scalars.h"

/* LEAST_LOOSE: the shortest slice that units may pass (strips.h) as far as the limit; a shorter one, which is there to look
 * often, by LOOSE_BY, which is room for a strip. NEARLY: with less than one part in so many of a slice left it
 * ends where a unit is left. */
enum { LEAST_LOOSE = 1 << 16, LOOSE_BY = 1 << 22, NEARLY = 8 };

Outcome machine_run(Machine *m, int64_t limit, int64_t slice) {
    static const void *const labels[OPCODES] = {
#define OPCODE(NAME, label) &&label,
#define FAMILY(NAME, label) LABELS(label),
#include "program/opcodes.def"
#undef OPCODE
#undef FAMILY
    };
    Heap *const heap = m->heap;
    Tape *const tape = m->tape;
    const Form form = tape ? TAPED : PLAIN;
    Value *r = m->registers;
    const Block *block = m->block;
    const Instruction *pc;
    int64_t steps = m->steps;
    const int64_t first = steps;
    if (UNLIKELY(m->ends_at)) limit = m->ends_at; /* code was made since */
    if (has_suspects(heap) && slice > SUSPICIOUS_SLICE) slice = SUSPICIOUS_SLICE;
    int64_t stop = slice < limit - steps ? steps + slice : limit;
    m->limit = slice < LEAST_LOOSE && limit - stop > LOOSE_BY ? stop + LOOSE_BY : limit;
    bool stepped = false;
    Word *note = NULL, *values = NULL; /* where the block's notes and values are written; NULL: nothing is recorded */
    Outcome outcome;
    bool jumped;
    int64_t place;

    if (UNLIKELY(must_collect(heap))) collect(heap);
    writer_show(heap, &m->writer);
    if (m->index) goto enter_stepped;

enter:
    ENTER();
no_code:
    return wants_code(m, block, steps, form);

enter_taped:
    pc = CODE_OF(block, taped);
    if (UNLIKELY(!pc)) goto no_code;
    if (UNLIKELY(steps + block->cost > stop)) goto no_room;
    if (UNLIKELY(pc->op == OP_HALT)) goto halt;
    if (UNLIKELY(tape->bytes > m->tape_limit && steps > m->tape_from && block->cost > 0)) {
        SYNC();
        m->index = 0;
        return TAPE_FULL;
    }
    if (UNLIKELY(pc->op == OP_FAST) && run_unit(m, pc++, block, steps, stop)) goto unit_left;
    values = tape_push(tape, block);
    note = values + block->value_count;
    steps += block->cost;
    goto *labels[pc->op];

no_room: /* the limit, or the end of the slice, lies within the block */
    SYNC();
    m->index = 0;
    if (block->end.kind == FINISH) return FINISHED;
    if (stop < limit) {
        if (steps > first) return SLICED;
        stop = block->cost < limit - steps ? steps + block->cost : limit; /* it is longer than a slice */
        goto enter;
    }
    if (steps >= limit) return STOPPED;
    if (tape && tape->bytes > m->tape_limit && steps > m->tape_from) return TAPE_FULL;

enter_stepped: /* from m->index on */
    if (UNLIKELY(!CODE_OF(block, stepped) || (tape && !block->has_adjoint))) return wants_code(m, block, steps, STEPPED);
    if (m->index && steps >= limit && step_counts(block, m->index)) {
        SYNC();
        return STOPPED;
    }
    m->block = block;
    stepped = true;
    values = note = NULL;
    if (tape) part_begin(m, m->index);
    pc = m->index ? block->stepped + block->step_at[m->index] : block->stepped;
    goto *labels[pc->op];

give_up: /* taped code: continue from the step `pc->step` as a part */
    SYNC();
    m->index = pc->step;
    steps += (int64_t)pc->step - (int64_t)block->cost;
    part_take_over(m, values, pc->step);
    stepped = true;
    values = note = NULL;
    pc = block->stepped + block->step_at[pc->step];
    goto *labels[pc->op];

step:
    if (m->part) {
        part_reach(m, pc->step);
        note = m->part->notes + block->note_at[pc->step];
    }
    if (pc->c) {
        if (UNLIKELY(steps >= limit)) {
            SYNC();
            m->index = pc->step;
            m->part = NULL;
            return STOPPED;
        }
        steps++;
    }
    NEXT;

record: {
    const Register *slots = block->values;
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < block->value_count; i++) {
        const Value v = load(&r[slots[i]]);
        kinds |= v.tag;
        values[i].real = v.real;
    }
    if (UNLIKELY(kinds != REAL) && !record_mixed(block, r, values)) goto give_up;
    NEXT;
}

    ARITHMETIC(add, +, __builtin_add_overflow)
    ARITHMETIC(subtract, -, __builtin_sub_overflow)
    ARITHMETIC(multiply, *, __builtin_mul_overflow)
    FORMS(divide, DIVIDE_REALS, NO_INTEGERS, /, )
    COMPARISON(less, <)
    COMPARISON(less_equal, <=)
    COMPARISON(greater, >)
    COMPARISON(greater_equal, >=)
    COMPARISON(equal, ==)
    COMPARISON(not_equal, !=)

negate:
    if (UNLIKELY(R(pc->a).tag != REAL)) goto slow;
    PUT_REAL(-R(pc->a).real);
    NEXT;

scalar: {
    const Scalar *s = pc->pointer;
    double x[2] = {R(pc->a).real, 0.0}, z;
    uint64_t kinds = R(pc->a).tag;
    if (s->arity == 2) {
        x[1] = R(pc->b).real;
        kinds |= R(pc->b).tag;
    }
    if (UNLIKELY(kinds != REAL || !s->value(x, &z))) goto slow;
    if (s->is_predicate)
        PUT(BOOLEAN, z != 0.0);
    else
        PUT_REAL(z);
    NEXT;
}

slow: /* arithmetic on anything else */
    SYNC();
    switch (scalar_step(m, pc, stepped)) {
    case DONE: break;
    case BY_PART: goto give_up;
    case BY_PYTHON: goto foreign;
    }
    goto tested_branch;

move:
    PUT(R(pc->a).tag, R(pc->a).integer);
    if (!(pc->flags & FLAG_MOVES_A)) keep(GET(a));
    NEXT;

constant:
    PUT(pc->c, pc->integer);
    NEXT;

counted:
    SET(copied(constant_value(heap, block, pc->c)));
    NEXT;

drop_register: {
    const Value v = GET(a);
    store(&R(pc->a), nothing());
    drop(heap, v);
    NEXT;
}

cons: {
    Cells *pair = new_born_cells(heap, PAIR, 2, m->births);
    if (note) (note++)->birth = (uint64_t)m->births;
    m->births++;
    store(&pair->cells[0], used(GET(a), pc->flags & FLAG_MOVES_A));
    store(&pair->cells[1], used(GET(b), pc->flags & FLAG_MOVES_B));
    SET(of_object(PAIR, pair));
    NEXT;
}

car:
    jumped = false; /* here: the number of the field */
    goto field;
cdr:
    jumped = true;
field: {
    const Value pair = GET(a);
    if (UNLIKELY(kind_of(pair) != PAIR)) goto foreign;
    const Value found = load(&cells_of(pair)[jumped]);
    if (note) (note++)->birth = birth_to_note(pair.object, found);
    if ((pc->flags & FLAG_MOVES_A) && pair.object->count == 1) {
        const Value other = load(&cells_of(pair)[!jumped]); /* the field moves out of the pair, which is freed */
        heap_put(heap, pair.object, (uint32_t)pair.object->size_class);
        SET(found);
        drop(heap, other);
        NEXT;
    }
    keep(found);
    pair.object->count -= pc->flags & FLAG_MOVES_A;
    SET(found);
    NEXT;
}

is_null:
    jumped = R(pc->a).tag == NOTHING;
    goto tested;
is_pair:
    jumped = kind_of(R(pc->a)) == PAIR;
tested:
    if (pc->flags & FLAG_MOVES_A) drop(heap, GET(a));
    SET(of_boolean(jumped));
    NEXT;

close:
    SET(make_closure(m, r, block, pc));
    if (note && block->steps[pc->step].count) (note++)->birth = birth_of(GET(d));
    NEXT;

member: {
    const Procedure *procedure = pc->pointer;
    const Value environment = pc->a == NO_REGISTER ? nothing() : used(GET(a), pc->flags & FLAG_MOVES_A);
    SET(closure_of(procedure, environment));
    NEXT;
}

environment:
    SET(make_environment(m, r, &block->steps[pc->step].operands[pc->integer], pc->c));
    if (note) (note++)->birth = birth_of(GET(d));
    NEXT;

item: /* of a plain tuple or a list */
    place = R(pc->b).integer;
    if (UNLIKELY(R(pc->b).tag != INTEGER)) goto native;
    goto element;
item_ri:
    place = pc->integer;
element: {
    const Value x = GET(a);
    const Value *found = element_of(x, place);
    if (UNLIKELY(!found)) goto native;
    if (note) {
        note[0].birth = birth_to_note(x.object, *found);
        note[1].field = place < 0 ? place + element_count(x) : place;
        note += 2;
    }
    const Value element = copied(load(found));
    if (pc->flags & FLAG_MOVES_A) drop(heap, x);
    SET(element);
    NEXT;
}

tuple: {
    const Value made = make_tuple(m, r, &block->steps[pc->step]);
    if (UNLIKELY(made.tag == NOTHING)) goto native;
    if (note) (note++)->birth = birth_of(made);
    SET(made);
    NEXT;
}

native:
    SYNC();
    if (UNLIKELY(!native_step(m, pc, &note))) goto foreign;
    NEXT;

foreign: /* Python performs the step */
    if (tape && !stepped) goto give_up;
    m->block = block;
    m->steps = NOW();
    m->index = pc->step;
    outcome = foreign_step(m, pc->step, &jumped);
    r = m->registers;
    if (UNLIKELY(outcome != STOPPED)) return outcome;
    if (UNLIKELY(ends_here(m))) stop = limit = m->ends_at, jumped = jumped || leaves_plain(m, pc, stepped);
    if (UNLIKELY(jumped)) goto arrive;
    if (note && (pc->flags & FLAG_NOTES_BIRTH) && !(pc->flags & FLAG_NOTES_FIELD)) note->birth = birth_of(GET(d));

tested_branch: /* of a comparison fused with its branch, R[d] is the test */
    if (pc->op >= OP_BRANCH_LESS && pc->op <= OP_BRANCH_NOT_EQUAL_RI) {
        if (UNLIKELY(R(pc->d).tag != BOOLEAN)) goto foreign_end;
        if (!R(pc->d).integer) pc += pc->c;
    }
    NEXT;

arrive: /* at m's point, reached by other means than the block's own end */
    m->part = NULL;
    block = m->block;
    steps = m->steps;
    if (m->index) goto enter_stepped;
    goto enter;

go_to:
    if (stepped) part_end(m);
    block = pc->pointer;
    ENTER();

branch: {
    const Value test = GET(a);
    if (UNLIKELY(test.tag != BOOLEAN)) goto foreign_end;
    if (!test.integer) pc += pc->c;
    NEXT;
}

branch_null:
    jumped = R(pc->a).tag == NOTHING;
    goto test_branch;
branch_pair:
    jumped = kind_of(GET(a)) == PAIR;
test_branch:
    if (pc->flags & FLAG_MOVES_A) drop(heap, GET(a));
    if (!jumped) pc += pc->c;
    NEXT;

call: {
    const End *end = &block->end;
    if (UNLIKELY(end->operands[0].at == NO_REGISTER)) goto foreign_end; /* a constant is not a procedure */
    const Value called = load(&r[end->operands[0].at]);
    if (UNLIKELY(!takes(called, end->count - 1))) goto foreign_end;
    if (note) note->birth = birth_of(called);
    if (stepped) part_end(m);
    block = call_procedure(m, block, called);
    r = m->registers;
    if (UNLIKELY(m->calls) && block->procedure->function == m->calls) m->ends_at = stop = limit = steps;
    ENTER();
}

return_: {
    const Value value = GET(a);
    if (stepped) part_end(m);
    block = stack_return(heap, &m->stack, r)->block;
    store(&r[block->parameters[0]], value);
    ENTER();
}

install:
    push_install(m, block, r);
    if (stepped) part_end(m);
    block = block->end.targets[0];
    ENTER();

foreign_end:
    if (tape && !stepped) goto give_up;
    if (note && block->end.kind == CONTROL && !block->end.resumes && block->end.operands[0].at != NO_REGISTER)
        note->birth = birth_of(r[block->end.operands[0].at]); /* of the environment that j* calls */
    m->block = block;
    m->steps = stepped ? steps : steps - (int64_t)block->cost + (int64_t)block->step_count + block->end.counts;
    m->index = block->step_count;
    outcome = foreign_end(m);
    r = m->registers;
    if (UNLIKELY(outcome != STOPPED)) return outcome;
    if (UNLIKELY(ends_here(m))) stop = limit = m->ends_at;
    goto arrive;

fast: /* of plain code */
    if (!run_unit(m, pc, block, steps - (int64_t)block->cost, stop)) NEXT;
unit_left: /* at the start of a block, m->index is 0 */
    r = m->registers;
    block = m->block;
    steps = m->steps;
    if (UNLIKELY(m->paused)) return SLICED;
    /* The unit had no room for a path, probably: the slice ends here, rather than within the path, which this and the next
     * slice would do block by block. */
    if (m->inner && stop < limit && steps > first && stop - steps <= slice / NEARLY) return SLICED;
    ENTER();

halt:
    SYNC();
    m->index = 0;
    return FINISHED;
}
