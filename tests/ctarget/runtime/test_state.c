/* Tests of machines and states: what is live is copied, kept and dropped, and nothing else. */
#include "checks.h"

/* A block with the parameters 3, 0, 5; at its head 3 and 5 are live, before step 1 what is in 2 and 17. */
static const Register parameters[] = {3, 0, 5};
static const uint32_t live_0[] = {2, 3, 5}, live_1[] = {2, 2, 17};
static const uint32_t *const live[] = {live_0, live_1};
static const Procedure procedure = {.registers = 18};
static const Procedure larger = {.registers = 100};
static const Block block = {.procedure = &procedure, .parameters = parameters, .parameter_count = 3, .live = live};
static const uint32_t halt_live_0[] = {1, 0};
static const uint32_t *const halt_live[] = {halt_live_0};
static const Register first[] = {0};
static const Block halt = {.parameters = first, .parameter_count = 1, .live = halt_live};
static const Register saved[] = {1, 4};
static const ReturnPoint point = {.block = &block, .count = 2, .saved = saved};

static State *first_state(Heap *heap) {
    State *state = state_create(heap, &block, 0, 3, version_create(heap));
    state->steps = 7;
    state->births = 9;
    state->tags = 2;
    for (int i = 0; i < 3; i++) state->values[i] = object_value(heap, i);
    Value *frame = stack_push(heap, &state->stack, &point, NULL);
    frame[0] = object_value(heap, 3);
    frame[1] = of_real(2.5);
    return state;
}

static void check_machine(const Machine *machine, const State *state) {
    CHECK(machine->steps == 7 && machine->births == 9 && machine->tags == 2 && machine->block == state->block);
    CHECK(machine->index == 0 && machine->tape_from == 7 && machine->window >= 18);
    for (int i = 0; i < 3; i++) CHECK(number_of(machine->registers[parameters[i]]) == i);
}

/* The machine goes on: parameter 0 is used up, a frame is returned to, another block point is reached. */
static void continue_sweep(Heap *heap, Machine *machine) {
    for (int i = 0; i < 3; i++) drop(heap, machine->registers[parameters[i]]);
    stack_return(heap, &machine->stack, machine->registers);
    CHECK(number_of(machine->registers[1]) == 3 && machine->registers[4].real == 2.5);
    drop(heap, machine->registers[1]);
    machine_reserve(machine, larger.registers);
    CHECK(machine->window >= 100);
    machine->registers[99] = of_real(1.0);
    machine->index = 1;
    machine->registers[2] = object_value(heap, 10);
    machine->registers[17] = object_value(heap, 11);
}

static void finish(Heap *heap, Machine *machine) {
    drop(heap, machine->registers[17]);
    const Value value = machine->registers[2];
    machine->registers[0] = value;
    machine->block = &halt;
    machine->index = 0;
}

static void life(Heap *heap) {
    State *state = first_state(heap);
    Machine *machine = machine_create(heap, state, NULL, NULL);
    Machine *other = machine_create(heap, state, NULL, NULL);
    CHECK(machine->writer.epoch > FROZEN && other->writer.epoch == machine->writer.epoch + 1);
    check_machine(machine, state);
    State *same = machine_state(machine);
    CHECK(same->value_count == 3 && number_of(same->values[0]) == 0 && same->values[1].tag == NOTHING);
    CHECK(state_bytes(same) > sizeof(State));
    state_release(heap, state);
    CHECK(alive[0] && alive[1] && alive[3]); /* machines have them */
    continue_sweep(heap, machine);
    CHECK(alive[0] && alive[1]); /* the other machine has */
    machine_destroy(other);
    CHECK(alive[0] && !alive[1] && alive[2] && alive[3]); /* the state has not what is dead */
    State *middle = machine_state(machine);
    CHECK(middle->value_count == 2 && middle->index == 1 && !middle->stack.chunk);
    finish(heap, machine);
    State *last = machine_state(machine);
    CHECK(last->value_count == 1 && number_of(last->values[0]) == 10);
    middle->count++;
    state_release(heap, middle);
    CHECK(alive[11]);
    machine_destroy(machine);
    state_release(heap, middle);
    CHECK(alive[10] && !alive[11]);
    state_release(heap, last);
    CHECK(!alive[10] && alive_in_all == 3);
    state_release(heap, same);
    CHECK(alive_in_all == 0 && heap->bytes == 0);
}

/* A state for each of many steps of a deep run: they share what they can. */
static void states_share(void) {
    enum { STATES = 1000, DEPTH = 100000 };
    static State *states[STATES];
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    State *state = first_state(heap);
    Machine *machine = machine_create(heap, state, NULL, NULL);
    for (int i = 0; i < DEPTH; i++) {
        Value *frame = stack_push(heap, &machine->stack, &point, NULL);
        frame[0] = frame[1] = of_real(i);
    }
    const size_t before = heap->bytes;
    for (int i = 0; i < STATES; i++) {
        states[i] = machine_state(machine);
        stack_return(heap, &machine->stack, machine->registers);
        if (i % 3) {
            Value *frame = stack_push(heap, &machine->stack, &point, NULL);
            frame[0] = frame[1] = of_real(i);
        }
        stack_check(&machine->stack);
    }
    CHECK(heap->bytes < 2 * before);
    for (int i = 0; i < STATES; i++) state_release(heap, states[i * 7 % STATES]);
    state_release(heap, state);
    machine_destroy(machine);
    CHECK(heap->bytes == 0 && alive_in_all == 0);
    heap_check(heap);
    heap_destroy(heap);
}

int main(void) {
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    life(heap);
    heap_check(heap);
    heap_destroy(heap);
    with_every_failure(life);
    states_share();
    return 0;
}
