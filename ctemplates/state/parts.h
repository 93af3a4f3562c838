/* Recording the part of a block that a machine runs step by step (tape.h: Part). */
#ifndef CK_PARTS_H
#define CK_PARTS_H

#include "state/machine.h"

/* part_take_over: the block, taped as a whole so far, becomes a part that continues at `step`;
 * `record` is where its record would have been. part_reach: the steps before `step` have been made. */
void part_begin(Machine *machine, uint32_t start);
void part_take_over(Machine *machine, const Word *record, uint32_t step);
void part_reach(Machine *machine, uint32_t step);
void part_end(Machine *machine);

#endif
