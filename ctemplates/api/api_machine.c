/* Entry points for tapes and machines: see api_machine.h. */
#include "api/api_machine.h"

#include "machine/clock.h"
#include "machine/vm.h"

typedef struct TapeCreation {
    const Held *any;
    Held *result;
} TapeCreation;

static void create_tape(void *arguments) {
    TapeCreation *given = arguments;
    given->result = held_new(given->any, HELD_TAPE);
    given->result->tape = tape_create(given->any->heap);
}

Held *ck_tape_create(const Held *any) {
    TapeCreation given = {.any = any};
    if (held_run(any, create_tape, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

size_t ck_tape_bytes(const Held *tape) { return tape->tape->bytes; }
void ck_tape_keep(const Held *tape) { tape_keep(tape->tape); }
void ck_tape_rewind(const Held *tape) { tape_rewind(tape->tape); }

typedef struct MachineCreation {
    const Held *state;
    const Held *tape;
    size_t tape_limit;
    void *helper;
    Held *result;
} MachineCreation;

static void create_machine(void *arguments) {
    MachineCreation *given = arguments;
    Tape *tape = given->tape ? given->tape->tape : NULL;
    given->result = held_new(given->state, HELD_MACHINE);
    Machine *machine = machine_create(given->state->heap, given->state->state, tape, given->helper);
    machine->tape_limit = given->tape_limit;
    given->result->machine = machine;
}

Held *ck_machine_create(const Held *state, const Held *tape, size_t tape_limit, uintptr_t helper) {
    MachineCreation given = {.state = state, .tape = tape, .tape_limit = tape_limit, .helper = (void *)helper};
    if (held_run(state, create_machine, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

void ck_machine_stop_at_calls(Held *held, int64_t function) { held->machine->calls = function; }

typedef struct MachineRun {
    Machine *machine;
    int64_t limit, slice;
    Outcome outcome;
} MachineRun;

static void run_machine(void *arguments) {
    MachineRun *given = arguments;
    Machine *machine = given->machine;
    const int64_t end = machine->steps + given->slice;
    const int64_t until = given->slice > SLICE ? clock_microseconds() + CALL_MICROSECONDS : 0;
    do {
        const int64_t left = end - machine->steps;
        given->outcome = machine_run(machine, given->limit, left < SLICE ? left : SLICE);
    } while (given->outcome == SLICED && machine->steps < end && clock_microseconds() < until);
}

Outcome ck_machine_run(Held *held, int64_t limit, int64_t slice) {
    MachineRun given = {.machine = held->machine, .limit = limit, .slice = slice, .outcome = NO_MEMORY};
    if (!held_run(held, run_machine, &given)) given.outcome = NO_MEMORY;
    held->abandoned = given.outcome == FAILED || given.outcome == NO_MEMORY;
    return given.outcome;
}

Position ck_machine_position(const Held *held) {
    const Machine *machine = held_machine(held);
    if (!machine) return (Position){.block = NULL};
    return (Position){.block = machine->block,
                      .index = machine->index,
                      .wanted = machine->wanted,
                      .steps = machine->steps,
                      .births = machine->births,
                      .tags = machine->tags,
                      .run = machine->writer.epoch};
}

typedef struct StateTaking {
    const Held *held;
    Held *result;
} StateTaking;

static void take_state(void *arguments) {
    StateTaking *given = arguments;
    given->result = held_new(given->held, HELD_STATE);
    given->result->state = machine_state(given->held->machine);
}

Held *ck_machine_state(const Held *machine) {
    StateTaking given = {.held = machine};
    if (held_run(machine, take_state, &given)) return given.result;
    held_drop(given.result);
    return NULL;
}

uint32_t ck_machine_calls(const Held *machine, const Block **calls, uint32_t room) {
    const Machine *at_work = held_machine(machine);
    if (!at_work) return 0; /* a sweep between two runs */
    FrameWalk walk = stack_walk(&at_work->stack);
    FrameHead head;
    const Value *saved;
    uint32_t count = 0;
    while (count < room && stack_next(&walk, &head, &saved))
        if (head.call) calls[count++] = head.call;
    return count;
}

uint32_t ck_machine_lanes(const Held *machine, LaneMark *marks, uint32_t room) {
    const Machine *at_work = held_machine(machine);
    return at_work ? stack_lanes(&at_work->stack, marks, room) : 0;
}
