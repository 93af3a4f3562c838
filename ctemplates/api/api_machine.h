/* Entry points for tapes and machines (checkpoint/ctarget/engine.py, run.py); the rules of api.h apply. */
#ifndef CK_API_MACHINE_H
#define CK_API_MACHINE_H

#include "api/api.h"

Held *ck_tape_create(const Held *any);
size_t ck_tape_bytes(const Held *tape);
void ck_tape_keep(const Held *tape); /* these two as in tape.h */
void ck_tape_rewind(const Held *tape);

/* A machine at the state. tape: NULL, or what it records on until that has `tape_limit` bytes. The helper and what
 * it refers to must outlive the machine. After FAILED and NO_MEMORY only its position may be read. */
Held *ck_machine_create(const Held *state, const Held *tape, size_t tape_limit, uintptr_t helper);
void ck_machine_stop_at_calls(Held *machine, int64_t function); /* of the function with this number */
Outcome ck_machine_run(Held *machine, int64_t limit, int64_t slice);
Position ck_machine_position(const Held *machine); /* or sweep: of the machine at work; block is NULL if none is */
Held *ck_machine_state(const Held *machine);

/* The calls that its frames (or a sweep's machine's) wait for and that are to be shown, at most `room`, the innermost
 * first; how many. */
uint32_t ck_machine_calls(const Held *machine, const Block **calls, uint32_t room);
uint32_t ck_machine_lanes(const Held *machine, LaneMark *marks, uint32_t room); /* see stack_lanes */

#endif
