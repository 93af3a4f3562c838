/* Machines and states: a run begins at a state, and states are taken of machines.
 *
 * What always holds: at a point, the registers own what is live there (at index 0: all parameters), and nothing else in
 * the window is owned. A state owns its values and its place in the stack, and is never changed.
 */
#include "state/machine.h"

#include <string.h>

enum { LEAST_WINDOW = 16 }; /* enough for what is built in */
enum { DEEPEST_VALUE = 8 }; /* the tuples within tuples up to which the value of a run is looked at */

static bool is_live_at_head(const Block *block, Register at) {
    const uint32_t *live = block->live[0];
    for (uint32_t i = 1; i <= live[0]; i++)
        if (live[i] == at) return true;
    return false;
}

static uint32_t window_for(const Block *block) {
    const uint32_t registers = block->procedure ? block->procedure->registers : 0;
    return registers < LEAST_WINDOW ? LEAST_WINDOW : registers;
}

Machine *machine_create(Heap *heap, const State *state, Tape *tape, void *helper) {
    const uint32_t window = state->window;
    uint32_t count;
    Machine *machine = heap_allocate(heap, sizeof(Machine));
    Value *registers = heap_allocate(heap, window * sizeof(Value));
    memset(registers, 0, window * sizeof(Value));
    Stack shared = state->stack;
    *machine = (Machine){
        .heap = heap, .registers = registers, .window = window, .stack = stack_share(heap, &shared),
        .block = state->block, .index = state->index, .steps = state->steps, .births = state->births,
        .tags = state->tags, .tape = tape, .tape_limit = SIZE_MAX,
        .tape_from = state->steps, .helper = helper,
    };
    writer_begin(heap, &machine->writer, state->version);
    const Register *to = point_registers(state->block, state->index, &count);
    for (uint32_t i = 0; i < count; i++) registers[to[i]] = copied(state->values[i]);
    return machine;
}

void machine_destroy(Machine *machine) {
    Heap *heap = machine->heap;
    uint32_t count;
    const Register *live = point_registers(machine->block, machine->index, &count);
    const bool outer = heap_hold(heap);
    for (uint32_t i = 0; i < count; i++) drop(heap, machine->registers[live[i]]);
    stack_release(heap, &machine->stack);
    writer_end(heap, &machine->writer);
    heap_free(heap, machine->registers, machine->window * sizeof(Value));
    heap_free(heap, machine, sizeof(Machine));
    heap_resume(heap, outer);
}

/* Grows the window, at least to twice its size: a run that enters ever larger procedures moves its registers rarely. */
void machine_reserve(Machine *machine, uint32_t registers) {
    if (registers <= machine->window) return;
    const uint32_t old = machine->window, room = registers < 2 * old ? 2 * old : registers;
    machine->registers = heap_resize(
        machine->heap, machine->registers, old * sizeof(Value), room * sizeof(Value));
    memset(machine->registers + old, 0, (room - old) * sizeof(Value));
    machine->window = room;
}
void machine_enter(Machine *m, Value closure, const Value *args, uint32_t count) {
    const Procedure *procedure = procedure_of(closure);
    if (UNLIKELY(procedure->registers > m->window)) machine_reserve(m, procedure->registers);
    Value *r = m->registers;
    if (kind_of(closure) == CLOSURE) {
        const Cells *environment = (const Cells *)closure.object;
        for (uint32_t i = 0; i < procedure->capture_count; i++) store(r++, copied(load(&environment->cells[i])));
        if (procedure->passes_environment) store(r++, copied(of_object(ENVIRONMENT, closure.object)));
    } else if (procedure->passes_environment) {
        store(r++, nothing());
    }
    for (uint32_t i = 0; i < count; i++) store(r++, load(&args[i]));
    m->block = procedure->entry;
    m->index = 0;
}

void drop_live(const Machine *machine, uint32_t index, Register except) {
    const uint32_t *live = machine->block->live[index];
    for (uint32_t i = 1; i <= live[0]; i++)
        if (live[i] != except) drop_register(machine, live[i]);
}

/* States */

static size_t state_size(uint32_t value_count) { return sizeof(State) + value_count * sizeof(Value); }

State *state_create(Heap *heap, const Block *block, uint32_t index, uint32_t value_count, Version *version) {
    State *state = heap_allocate(heap, state_size(value_count));
    *state = (State){.count = 1, .block = block, .index = index, .value_count = value_count,
                     .window = window_for(block), .version = version};
    for (uint32_t i = 0; i < value_count; i++) state->values[i] = nothing();
    return state;
}

/* Returns whether no container is reached from a value, by looking no deeper than so many tuples. */
static bool reaches_no_container(Value v, int deepest) {
    if (!is_counted(v) || kind_of(v) == FOREIGN || kind_of(v) == RANGE) return true;
    if ((kind_of(v) != PAIR && kind_of(v) != RECORD) || !deepest) return false;
    for (uint32_t i = 0; i < v.object->length; i++)
        if (!reaches_no_container(cells_of(v)[i], deepest - 1)) return false;
    return true;
}

/* Returns the version of the current state, held for it. The end of a run has one of its own if its value reaches no container:
 * so the containers of the run, and what they hold, are not kept for it. */
static Version *version_of_state(Machine *machine) {
    const bool apart = machine->block->end.kind == FINISH && reaches_no_container(machine->registers[0], DEEPEST_VALUE);
    return apart ? version_create(machine->heap) : writer_version(machine->heap, &machine->writer);
}

State *machine_state(Machine *machine) {
    uint32_t count;
    const Block *block = machine->block;
    const Register *from = point_registers(block, machine->index, &count);
    Version *version = version_of_state(machine);
    State *state = state_create(machine->heap, block, machine->index, count, version);
    state->stack = stack_share(machine->heap, &machine->stack);
    state->window = machine->window;
    state->steps = machine->steps;
    state->births = machine->births;
    state->tags = machine->tags;
    for (uint32_t i = 0; i < count; i++)
        if (machine->index || is_live_at_head(block, from[i])) state->values[i] = copied(machine->registers[from[i]]);
    return state;
}

void state_release(Heap *heap, State *state) {
    if (--state->count) return;
    const bool outer = heap_hold(heap);
    for (uint32_t i = 0; i < state->value_count; i++) drop(heap, state->values[i]);
    stack_release(heap, &state->stack);
    version_release(heap, state->version);
    heap_free(heap, state, state_size(state->value_count));
    heap_resume(heap, outer);
}

size_t state_bytes(const State *state) {
    return state_size(state->value_count) + stack_bytes(&state->stack) + version_bytes(state->version);
}
