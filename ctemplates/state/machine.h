/* The machine: one run of a program, forward (vm.c), and the states it stops at.
 *
 * A point is (block, index): before the step `index` of the block. At index 0 all parameters of the block are in their
 * registers, at another index the slots live there. `steps` counts the steps made; `births` and `tags` number the next
 * object and the next tag of a dual. The epoch of the writer owns the containers that this run makes.
 *
 * A native step either completes or refuses before any side effect; Python then performs it (foreign/). So every
 * failure, message and rare value is produced by hybrid's own code.
 */
#ifndef CK_MACHINE_H
#define CK_MACHINE_H

#include "program/points.h"
#include "state/outcomes.h"
#include "state/stack.h"
#include "state/tape.h"
#include "state/versions.h"

typedef struct Machine {
    Heap *heap;
    Value *registers; /* the window; the content of slots that are not live is not owned */
    uint32_t window;  /* how many registers there are: enough for all frames on the stack */
    Stack stack;
    const Block *block;
    uint32_t index;
    int64_t steps, births, tags;
    int64_t limit; /* as far as the run may go beyond the end of a slice, where that is cheaper */
    bool inner;    /* the slice is followed by another of the same call: it may end a little early */
    Writer writer; /* of mutable containers */
    Tape *tape;       /* NULL: nothing is recorded */
    Part *part;       /* the record of `stepped` code; NULL if there is none */
    size_t tape_limit;
    int64_t tape_from; /* the step it was taped from: TAPE_FULL only after one */
    int64_t calls;      /* the number of the function whose next call stops it, when that has been made; 0: none */
    bool (*is_over)(void *owner); /* asked after each step of Python's: the run ends before the next step; or NULL */
    void *owner;
    int64_t ends_at;    /* the step at which it ends for one of these reasons; 0: there is none yet */
    Form wanted;
    bool pauses; /* on a tape: it is SLICED where it would enter a unit that tapes several segments at once */
    const struct UnitEntry *paused; /* the entry at which it was, until the caller clears it; or NULL */
    void *helper;       /* PyObject *: it performs foreign steps (checkpoint/ctarget/foreign.py), borrowed; NULL: a run
                           with such steps FAILS before the first of them */
    void *python;     /* PyObject *: the helper's machine for this run, borrowed; NULL: not made yet (plans.h) */
} Machine;

/* A moment of a run: immutable, counted by its holders. Its mutable containers have their contents while its version
 * is shown. */
typedef struct State {
    uint32_t count;
    const Block *block;
    uint32_t index;
    uint32_t value_count;
    uint32_t window; /* how many registers its point and all of its frames need */
    Stack stack;
    Version *version; /* of the mutable containers that it reaches */
    int64_t steps, births, tags;
    Value values[]; /* the registers of block->live[index] (index 0: of the parameters, NOTHING for dead ones) */
} State;

Machine *machine_create(Heap *heap, const State *state, Tape *tape, void *helper);
void machine_destroy(Machine *machine); /* drops the live values */

State *machine_state(Machine *machine); /* the current point, which may be in a block's middle */
/* Returns a state whose values and stack the caller fills; consumes the hold on the version. */
State *state_create(Heap *heap, const Block *block, uint32_t index, uint32_t value_count, Version *version);
void state_release(Heap *heap, State *state);
size_t state_bytes(const State *state); /* of itself, its stack, as if it were not shared, and its saves; without objects */

/* Drops the value of a register, or the operands that are used for the last time; these stay in their registers, for
 * the record of the block. */
static inline void drop_register(const Machine *machine, Register at) {
    const Value v = load(&machine->registers[at]);
    store(&machine->registers[at], nothing());
    drop(machine->heap, v);
}
static inline void drop_moved(const Machine *machine, const Operand *operands, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].moves) drop(machine->heap, load(&machine->registers[operands[i].at]));
}

/* Drops all slots that are live at a point of its block but one. */
void drop_live(const Machine *machine, uint32_t index, Register except);

/* Pushes a frame, to which the values that the point saves are moved. */
static inline void push_frame(Machine *machine, const ReturnPoint *point, const Block *call) {
    Value *saved = stack_push(machine->heap, &machine->stack, point, call);
    for (uint32_t i = 0; i < point->count; i++) store(&saved[i], load(&machine->registers[point->saved[i]]));
}

/* Makes room for a procedure's registers (a foreign step may add procedures): registers may move. */
void machine_reserve(Machine *machine, uint32_t registers);

/* Enters a procedure that takes `count` arguments: captures, environment and arguments to its entry's registers.
 * Consumes the references to the arguments; `closure` is borrowed. */
void machine_enter(Machine *machine, Value closure, const Value *args, uint32_t count);

#endif
