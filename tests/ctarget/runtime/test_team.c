/* Tests of tasks in parts (threads/team.h): each part is begun, worked on and ended once, in order, whoever works on
 * it; parts behind one that ends the task are dropped; and where memory ends, all threads have stopped. */
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "threads/pool.h"
#include "threads/team.h"

enum { MOST_PARTS = 400, NUMBERS = 64, WAYS = 60, IN_HEAP = 40 };

typedef struct Task {
    Heap *heap; /* NULL: nothing is allocated */
    int64_t parts, last; /* the part that ends the task */
    int64_t begun, ended, dropped, sum;
    int64_t number[MOST_SLOTS], results[MOST_SLOTS][NUMBERS];
    uint32_t weights[MOST_SLOTS];
} Task;

static int64_t result(int64_t part, int64_t i) { return part * 31 + i * i; }

static bool begin(void *context, int slot) {
    Task *task = context;
    if (task->begun == task->parts) return false;
    if (task->heap) (void)heap_allocate(task->heap, 48);
    task->weights[slot] = random_below(200);
    task->number[slot] = task->begun++;
    return true;
}

static void work(void *context, int slot, bool is_helper) {
    Task *task = context;
    volatile double x = 1.0;
    for (uint32_t i = 0; i < task->weights[slot] * (is_helper ? 2u : 1u); i++) x = x * 1.5 + 0.25;
    for (int64_t i = 0; i < NUMBERS; i++) task->results[slot][i] = result(task->number[slot], i);
}

static bool end(void *context, int slot) {
    Task *task = context;
    CHECK(task->number[slot] == task->ended);
    if (task->heap) (void)heap_allocate(task->heap, 80);
    for (int64_t i = 0; i < NUMBERS; i++) CHECK(task->results[slot][i] == result(task->ended, i));
    task->sum += task->ended;
    return task->ended++ != task->last;
}

static void drop_part(void *context, int slot) {
    Task *task = context;
    CHECK(task->number[slot] == task->ended + task->dropped);
    task->dropped++;
}

static bool prepare(void *context) {
    Task *task = context;
    return task->parts != 0;
}

static bool run(Heap *heap, Task *task) {
    const TeamTask all = {.context = task, .begin = begin, .work = work, .end = end, .drop = drop_part};
    return team_run(heap, &all, prepare);
}

static void tasks_of_any_length(Heap *heap) {
    for (int way = 0; way < WAYS; way++) {
        const int64_t parts = random_below(MOST_PARTS);
        Task task = {.parts = parts, .last = random_below(3) ? parts : random_below((uint32_t)parts + 1)};
        pool_set_threads(2 + (int)random_below(3));
        team_waits_for_helpers(random_below(2) == 0);
        const bool ran = run(heap, &task);
        if (!parts || !ran) { /* without helpers, or at rest from them */
            CHECK(task.begun == 0 && task.ended == 0);
            continue;
        }
        const int64_t all = task.last < parts ? task.last + 1 : parts;
        CHECK(task.ended == all && task.sum == all * (all - 1) / 2);
        CHECK(task.begun == task.ended + task.dropped);
    }
}

/* The jump out of it leaves nothing that a later task could meet. */
static void tasks_that_allocate(Heap *heap) {
    Task task = {.heap = heap, .parts = IN_HEAP, .last = IN_HEAP};
    team_waits_for_helpers(true);
    if (run(heap, &task)) CHECK(task.ended == IN_HEAP);
}

static void tasks_of_a_child(Heap *heap) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        tasks_of_any_length(heap);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int count, char **arguments) {
    (void)arguments;
    Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
    CHECK(!run(heap, &(Task){.parts = 1})); /* at first there is one thread */
    tasks_of_any_length(heap);
    if (count == 1) tasks_of_a_child(heap); /* no sanitizer of threads follows these */
    tasks_of_any_length(heap);
    heap_destroy(heap);
    with_every_failure(tasks_that_allocate);
    return 0;
}
