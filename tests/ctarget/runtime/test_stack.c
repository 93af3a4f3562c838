/* Tests of the stack, against a simple model: any order of pushing, popping, sharing and letting go. What no
 * stack can reach any more must be gone at once. */
#include <time.h>

#include "checks.h"

enum { POINTS = 9, STACKS = 12, DEEPEST = 4000, WIDEST = 600, REGISTERS = WIDEST };

typedef struct ModelFrame {
    uint32_t point;
    int first; /* the number of its first value; the others follow */
    const Block *call;
} ModelFrame;

typedef struct ModelStack {
    uint32_t depth;
    ModelFrame frames[DEEPEST];
} ModelStack;

static const uint32_t counts[POINTS] = {0, 1, 1, 2, 2, 3, 5, 40, WIDEST};
static Register numbers[WIDEST];
static ReturnPoint points[POINTS];
static Block calls[2];

static Heap *heap;
static Stack stacks[STACKS]; /* the first is the run's, the others are those of states */
static ModelStack models[STACKS];
static int next_number;

static void start(void) {
    for (uint32_t i = 0; i < WIDEST; i++) numbers[i] = i;
    for (uint32_t i = 0; i < POINTS; i++) points[i] = (ReturnPoint){.count = counts[i], .saved = numbers};
    for (int i = 0; i < STACKS; i++) {
        stacks[i] = (Stack){.chunk = NULL, .top = 0};
        models[i].depth = 0;
    }
    next_number = 0;
    heap = heap_create(SIZE_MAX, &TEST_HOOKS);
}

/* A number that is free again; they are used in turn. */
static int fresh_numbers(uint32_t count) {
    if (next_number + (int)count > OBJECTS) next_number = 0;
    const int first = next_number;
    next_number += (int)count;
    return first;
}

static void push(void) {
    ModelStack *model = &models[0];
    const uint32_t point = random_below(random_below(30) ? POINTS - 2 : POINTS), count = counts[point];
    if (model->depth == DEEPEST) return;
    const Block *call = random_below(2) ? &calls[random_below(2)] : NULL;
    const int first = fresh_numbers(count);
    for (uint32_t i = 0; i < count; i++)
        if (alive[first + (int)i]) return; /* that number is still in use */
    Value *saved = stack_push(heap, &stacks[0], &points[point], call);
    for (uint32_t i = 0; i < count; i++) saved[i] = object_value(heap, first + (int)i);
    model->frames[model->depth++] = (ModelFrame){point, first, call};
}

static void check_values(const Value *values, const ModelFrame *frame) {
    for (uint32_t i = 0; i < counts[frame->point]; i++) CHECK(number_of(values[i]) == frame->first + (int)i);
}

static void pop(void) {
    ModelStack *model = &models[0];
    Value values[REGISTERS];
    if (!model->depth) return;
    const ModelFrame *frame = &model->frames[--model->depth];
    const FrameHead *top = stack_top(&stacks[0]);
    CHECK(top->point == &points[frame->point] && top->call == frame->call);
    check_values(stack_top_saved(&stacks[0]), frame);
    if (random_below(2))
        stack_pop(heap, &stacks[0], values);
    else
        CHECK(stack_return(heap, &stacks[0], values) == &points[frame->point]);
    check_values(values, frame);
    for (uint32_t i = 0; i < counts[frame->point]; i++) drop(heap, values[i]);
}

static void share(uint32_t from, uint32_t to) {
    if (from == to) return;
    stack_release(heap, &stacks[to]);
    stacks[to] = stack_share(heap, &stacks[from]);
    models[to].depth = models[from].depth;
    memcpy(models[to].frames, models[from].frames, models[from].depth * sizeof(ModelFrame));
}

static void let_go(uint32_t at) {
    stack_release(heap, &stacks[at]);
    models[at].depth = 0;
}

static void set_call(void) {
    if (!models[0].depth) return;
    const Block *call = &calls[random_below(2)];
    stack_set_call(heap, &stacks[0], call);
    models[0].frames[models[0].depth - 1].call = call;
}

static void check_stack(const Stack *stack, const ModelStack *model) {
    FrameWalk walk = stack_walk(stack);
    FrameHead head;
    const Value *saved;
    uint32_t depth = model->depth;
    stack_check(stack);
    while (stack_next(&walk, &head, &saved)) {
        CHECK(depth > 0);
        const ModelFrame *frame = &model->frames[--depth];
        CHECK(head.point == &points[frame->point] && head.call == frame->call);
        check_values(saved, frame);
    }
    CHECK(depth == 0 && (model->depth > 0) == (stack->chunk != NULL));
}

/* All stacks are as the models, and exactly what they can reach is alive. */
static void check_all(void) {
    static bool reached[OBJECTS];
    int count = 0;
    memset(reached, 0, sizeof(reached));
    for (int i = 0; i < STACKS; i++) {
        check_stack(&stacks[i], &models[i]);
        for (uint32_t j = 0; j < models[i].depth; j++) {
            const ModelFrame *frame = &models[i].frames[j];
            for (uint32_t k = 0; k < counts[frame->point]; k++) {
                bool *place = &reached[frame->first + (int)k];
                count += !*place;
                *place = true;
            }
        }
    }
    CHECK(alive_in_all == count);
    heap_check(heap);
}

/* Phases of calling, of returning and of both, so that chunks are filled, crossed and left. */
static void random_step(uint32_t phase, uint32_t sharing) {
    const uint32_t choice = random_below(100);
    if (choice >= sharing) {
        if (random_below(10) < (phase == 0 ? 8u : phase == 1 ? 2u : 5u))
            push();
        else
            pop();
    } else if (random_below(3) == 0)
        share(0, random_below(STACKS)); /* a state is taken */
    else if (random_below(4) == 0)
        share(random_below(STACKS), 0); /* a run begins at one */
    else if (random_below(3) == 0)
        set_call();
    else if (random_below(3) == 0)
        let_go(1 + random_below(STACKS - 1));
}

static void finish(void) {
    on_release = NULL;
    for (uint32_t i = 0; i < STACKS; i++) let_go((i * 5 + 3) % STACKS);
    CHECK(alive_in_all == 0 && heap->bytes == 0);
    heap_check(heap);
    heap_destroy(heap);
}

/* Python that comes back while something is let go of: another state goes with it. */
static void come_back(void *python) {
    (void)python;
    if (random_below(20) == 0) let_go(1 + random_below(STACKS - 1));
}

static void random_orders(uint64_t seed, int steps) {
    random_seed(seed);
    start();
    on_release = seed % 2 ? come_back : NULL;
    uint32_t phase = 0, sharing = 10;
    for (int step = 0; step < steps; step++) {
        if (random_below(150) == 0) phase = random_below(3), sharing = random_below(3) * 15 + 1;
        random_step(phase, sharing);
        if (random_below(20) == 0) check_all();
    }
    check_all();
    finish();
}

static void failure_body(Heap *failing) {
    random_seed(5);
    start();
    heap_destroy(heap);
    heap = failing;
    for (int step = 0; step < 1500; step++) random_step(step / 200 % 3, 20);
}

/* A million frames: pushed, shared, and freed all at once or popped one by one. */
static double nanoseconds(clock_t from, double count) {
    return (double)(clock() - from) / CLOCKS_PER_SEC * 1e9 / count;
}

static void push_many(Stack *stack, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) stack_push(heap, stack, &points[1], NULL)[0] = of_integer(i);
}

static void pop_many(Stack *stack, uint32_t count) {
    Value registers[2];
    for (uint32_t i = count; i-- > 0;) {
        stack_return(heap, stack, registers);
        CHECK(registers[0].integer == i);
    }
    CHECK(!stack->chunk);
}

/* All that lies below 8 MiB is in chunks of 64 KiB, the rest in large pages, of which less than one is empty. */
static void check_deep(const Stack *stack, size_t used) {
    int chunks = 0;
    for (const Chunk *chunk = stack->chunk; chunk; chunk = chunk->previous) chunks++;
    CHECK(chunks < 160);
    CHECK(heap->bytes < used + used / 64 + 2 * 1024 * 1024);
}

static void deep(bool tell) {
    enum { COUNT = 1000000 };
    start();
    Stack *run = &stacks[0], *state = &stacks[1];
    push_many(run, COUNT);
    check_deep(run, COUNT * 32);
    *state = stack_share(heap, run);
    stack_release(heap, run);
    stack_release(heap, state);
    CHECK(heap->bytes == 0);
    clock_t from = clock();
    push_many(run, COUNT);
    if (tell) printf("a frame pushed: %.1f ns\n", nanoseconds(from, COUNT));
    from = clock();
    pop_many(run, COUNT);
    if (tell) printf("a frame popped: %.1f ns\n", nanoseconds(from, COUNT));
    push_many(run, COUNT);
    *state = stack_share(heap, run);
    from = clock();
    pop_many(run, COUNT);
    if (tell) printf("a shared frame popped: %.1f ns\n", nanoseconds(from, COUNT));
    pop_many(state, COUNT);
    from = clock();
    for (int i = 0; i < COUNT; i++) push_many(run, 1), pop_many(run, 1);
    if (tell) printf("a frame pushed and popped: %.1f ns\n", nanoseconds(from, COUNT));
    CHECK(heap->bytes == 0);
    heap_check(heap);
    heap_destroy(heap);
}

int main(int count, char **arguments) {
    const int more = count > 1 ? atoi(arguments[1]) : 0;
    for (uint64_t seed = 1; seed <= (uint64_t)(more ? more : 12); seed++) random_orders(seed, 5000);
    with_every_failure(failure_body);
    deep(more > 0);
    return 0;
}
