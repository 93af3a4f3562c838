/* Records the part of a block that a machine runs step by step (tape.h: Part). */
#include "state/parts.h"

#include <string.h>

/* Returns a value as a part keeps it: reals, integers and booleans as they are, of other values the kind alone. */
static Value kept_value(Value v) {
    return kind_of(v) <= BOOLEAN ? v : (Value){.tag = kind_of(v), .integer = 0};
}

/* Keeps the values that steps before `step` define; block->values are in the order of the steps. */
static void keep_values(Machine *m, uint32_t step) {
    Part *part = m->part;
    const Block *block = part->block;
    while (part->values_kept < block->value_count && block->value_step[part->values_kept] < (int32_t)step) {
        part->values[part->values_kept] = kept_value(m->registers[block->values[part->values_kept]]);
        part->values_kept++;
    }
}

void part_begin(Machine *m, uint32_t start) {
    m->part = tape_add_part(m->tape, m->block, start);
    keep_values(m, start);
}

void part_take_over(Machine *m, const Word *record, uint32_t step) {
    const Block *block = m->block;
    const Word *notes = record + block->value_count; /* still there: the record is undone, not overwritten */
    tape_undo(m->tape, block);
    Word copies[block->note_count + 1];
    memcpy(copies, notes, block->note_at[step] * sizeof(Word));
    m->part = tape_add_part(m->tape, block, 0);
    if (m->part->notes) memcpy(m->part->notes, copies, block->note_at[step] * sizeof(Word));
    part_reach(m, step);
}

void part_reach(Machine *m, uint32_t step) {
    keep_values(m, step);
    m->part->stop = step;
}

void part_end(Machine *m) {
    if (!m->part) return;
    part_reach(m, m->part->block->step_count);
    m->part->ended = true;
    m->part = NULL;
}
