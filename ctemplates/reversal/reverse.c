/* Reverses a tape, the last block first: the ends of blocks, and the steps of those that ran as a whole.
 *
 * In: a tape, and the cotangent of the state where it ended. Out: that of the state where it began; the tape is used
 * up, unless it is kept (tape.h). The end of a block is reversed first, by the rules of checkpoint/cps/adjoint.py: the accumulators of the next
 * block's parameters are taken out of the window, the slots that the block does not hand on are set to 0, and what was
 * taken is added where it came from, the last first. Then the operations of the block's steps.
 *
 * The order of additions is that of checkpoint/interp/hybrid: equal in every bit.
 */
#include "reversal/reverse.h"

#include "foreign/reversing.h"
#include "machine/fast.h"
#include "reversal/field_actions.h"
#include "reversal/reverse_end.h"
#include "reversal/reverse_part.h"
#include "reversal/reverse_program.h"
#include "scalars/scalars.h"

/* SLICE: the blocks of one call, about 20 ms. WORDS_OF_BLOCK: the words of a run that take as long as a block. */
enum { SLICE = 1 << 18, WORDS_OF_BLOCK = 16 };

/* Ends */

/* Steps */

/* Reverses any scalar by its partials, the last operand first. */
static void scale(Value *window, const Action *action, const Word *record) {
    const Scalar *scalar = &SCALARS[action->scalar];
    const double cotangent = window[action->source].real;
    double values[3];
    if (scalar->singular && cotangent == 0.0) return;
    for (int i = 0; i < action->count; i++)
        values[i] = action->values[i] < 0 ? action->constants[i] : record[action->values[i]].real;
    const double result = action->values[3] < 0 ? 0.0 : record[action->values[3]].real;
    for (int i = action->count; i-- > 0;)
        if (action->operands[i] != NO_REGISTER && !is_flat(scalar, (uint32_t)i))
            window[action->operands[i]].real += scalar->partials[i](values, result) * cotangent;
}

#define ACCUMULATOR(OFFSET) (*(Value *)(void *)((char *)w + (OFFSET)))
#define PLACE(OFFSET) ((OFFSET) == NO_REGISTER ? NULL : &ACCUMULATOR(OFFSET))
#define S ACCUMULATOR(op->source).real
#define A ACCUMULATOR(op->a).real
#define B ACCUMULATOR(op->b).real
#define X record[op->x].real
#define Y record[op->y].real
#define Z record[op->z].real
#define NEXT goto *labels[(++op)->kind]
#define ONE(NAME, BY_A)                                                                                        \
    NAME : A += BY_A; NEXT;                                                                                    \
    NAME##_a : A = 0.0 + BY_A; NEXT;
#define TWO(NAME, BY_B, BY_A)                                                                                  \
    NAME : B += BY_B; A += BY_A; NEXT;                                                                         \
    NAME##_a : B += BY_B; A = 0.0 + BY_A; NEXT;                                                                \
    NAME##_b : B = 0.0 + BY_B; A += BY_A; NEXT;                                                                \
    NAME##_ab : B = 0.0 + BY_B; A = 0.0 + BY_A; NEXT;
#define ONE_LABELS(NAME, label) &&label, &&label##_a,
#define TWO_LABELS(NAME, label) &&label, &&label##_a, &&label##_b, &&label##_ab,
#define OTHER_LABEL(NAME, label) &&label,

/* Performs the operations of a block from `op` on, with its record. */
static void reverse_steps(Cotangent *c, const Backward *program, const BackOperation *op, const Word *record) {
    static const void *const labels[] = {BACK_KINDS(ONE_LABELS, TWO_LABELS, OTHER_LABEL)};
    Value *const w = c->window;
    const Word *const notes = record + program->block->value_count;
    goto *labels[op->kind];

    ONE(pass, S)
    ONE(minus, -S)
    ONE(times, op->constant * S)
    ONE(factor, X * S)
    ONE(divisor, -(Z / Y) * S)
    TWO(sum, S, S)
    TWO(difference, -S, S)
    TWO(product, X * S, Y * S)
    TWO(quotient, -(Z / Y) * S, 1.0 / Y * S)
copy:
copy_a: accumulate(c->heap, &ACCUMULATOR(op->a), take_accumulator(&ACCUMULATOR(op->source))); NEXT;
scaled: scale(w, op->action, record); NEXT;
taken: put_back(c, PLACE(op->a), notes[op->x].birth, op->y); NEXT;
given: give_to(c, &ACCUMULATOR(op->source), notes[op->x].birth, op->y); NEXT;
picked: give_to(c, &ACCUMULATOR(op->source), notes[op->x].birth, notes[op->x + 1].field); NEXT;
put: put_back(c, PLACE(op->a), notes[op->x].birth, notes[op->x + 1].field); NEXT;
zero: A = 0.0; NEXT;
skip: op += op->x; goto *labels[op->kind];
copied: give_copied(c, notes + op->x); NEXT;
end:
    return;
}

/* Blocks */

static inline void reverse_block(Cotangent *c, const Backward *program, const Word *record) {
    const Block *block = program->block;
    const BackOperation *from = program->start[c->block != block->end.targets[0]];
    if (UNLIKELY(!program->ends || c->mixed)) {
        const bool notes = block->end.kind == CALL && block->note_count;
        if (c->mixed) from = program->steps;
        reverse_end(c, program, notes ? record[block->record_size - 1].birth : 0, c->mixed);
    }
    reverse_steps(c, program, from, record);
    c->block = block;
    c->index = 0;
}

/* Returns the block's program: mostly the one that followed the same block the last time. */
static inline Backward *next_program(Cotangent *c, Backward *program, const Block *block) {
    if (LIKELY(program->before->block == block)) return program->before;
    Backward *found = program_of(c, block);
    program->before = found;
    return found;
}

/* Runs of translated code */

/* Clears all registers but those of the point: a unit does not drop an accumulator that it overwrites. */
static void clear_others(Cotangent *c) {
    const uint32_t count = c->block->parameter_count;
    const Register *parameters = c->block->parameters;
    for (uint32_t i = 0; i < count; i++) store(&c->scratch[i], take_accumulator(&c->window[parameters[i]]));
    for (uint32_t i = 0; i < c->registers; i++) clear_accumulator(c->heap, &c->window[i]);
    for (uint32_t i = 0; i < count; i++) store(&c->window[parameters[i]], c->scratch[i]);
}

/* Reverses the last run of the tape, and maybe some below, and returns about how much work that was, in blocks; 0: the helper has
 * the exception. */
static uint64_t reverse_run(Tape *tape, Cotangent *c) {
    const RunEnd *end = tape_last_run(tape);
    const Word *header = run_words(end), *up = run_ways(end);
    const size_t before = tape->bytes;
    if (c->mixed) clear_others(c);
    c->tape = tape;
    c->ahead = 0;
    if (!end->unit->reverse(end->unit, c, end, header, up, (const uint8_t *)(const void *)up)) {
        foreign_run_stays(c);
        return 0;
    }
    tape_pop_run(tape);
    for (; c->ahead && is_run(tape_last(tape)); c->ahead--) tape_pop_run(tape);
    return 1 + (before - tape->bytes) / (sizeof(Word) * WORDS_OF_BLOCK);
}

Outcome reverse_tape(Tape *tape, Cotangent *c) {
    Backward none = {.before = &none};
    Backward *program = &none;
    for (uint64_t left = SLICE; left; left--) {
        const uintptr_t mark = tape_last(tape);
        if (!mark) return STOPPED;
        if (UNLIKELY(is_run(mark))) {
            const uint64_t blocks = reverse_run(tape, c);
            if (!blocks) return FAILED;
            left -= blocks < left ? blocks : left - 1;
            program = &none;
        } else if (LIKELY(!is_part(mark))) {
            const Block *block = marked_block(mark);
            program = next_program(c, program, block);
            reverse_block(c, program, tape_pop(tape, block));
        } else {
            const Outcome outcome = reverse_part(marked_part(mark), c);
            if (outcome != STOPPED) return outcome;
            tape_drop_part(tape);
        }
    }
    return SLICED;
}
