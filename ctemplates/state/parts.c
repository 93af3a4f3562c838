/* Records the part of a block that a machine runs step by step (tape.h: Part). */
#include "state/parts.h"

#include <string.h>

/* Returns a value as a part keeps it (tape.h). */
static Value kept_value(const Heap *heap, Value v) {
    if (kind_of(v) <= BOOLEAN) return v;
    Value kept = {.tag = FOREIGN};
    const bool is_integer = kind_of(v) == FOREIGN && heap->hooks->large_integer && heap->hooks->large_integer(v, &kept.real);
    return is_integer ? kept : nothing();
}

/* Keeps the values that steps before `step` define; block->values are in the order of the steps. */
static void keep_values(Machine *m, uint32_t step) {
    Part *part = m->part;
    const Block *block = part->block;
    while (part->values_kept < block->value_count && block->value_step[part->values_kept] < (int32_t)step) {
        part->values[part->values_kept] = kept_value(m->heap, m->registers[block->values[part->values_kept]]);
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
