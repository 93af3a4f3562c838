/* Things in portions: see portions.h.
 *
 * A portion is a part of a team's task: a range of things that one thread does. Portions become smaller towards the end, so
 * that few have to be begun, and no thread waits long for the last one.
 */
#include "threads/portions.h"

#include <stddef.h>

#include "threads/pool.h"
#include "threads/team.h"

enum {
    LEAST = 1 << 17,        /* effort of a portion: some 15 us */
    LEAST_SHARED = 1 << 19, /* effort for which other threads are asked */
    TURNS = 4               /* portions of one size that each thread would have of all that is left */
};

typedef struct Task {
    DoRange *range;
    const void *context;
    int64_t count, least, together, next; /* least: things of a portion; next: the first thing of none so far */
    int64_t start[MOST_SLOTS], end[MOST_SLOTS]; /* of the portion in each slot its things, and what has become of it */
    int done[MOST_SLOTS], outcome;
} Task;

static bool begin_portion(void *context, int slot) {
    Task *task = context;
    const int64_t rest = task->count - task->next, share = rest / (TURNS * pool_threads());
    if (rest <= 0) return false;
    const int64_t portion = (share > task->least ? share : task->least) / task->together * task->together;
    task->start[slot] = task->next;
    task->end[slot] = task->next += portion < rest ? portion : rest;
    return true;
}

static void do_portion(void *context, int slot, bool is_helper) {
    (void)is_helper;
    Task *task = context;
    task->done[slot] = task->range(task->context, task->start[slot], task->end[slot]);
}

static bool end_portion(void *context, int slot) {
    Task *task = context;
    task->outcome = task->done[slot];
    return task->outcome == 0;
}

static void drop_portion(void *context, int slot) { (void)context, (void)slot; }
static bool is_ready(void *context) { return context != NULL; }

bool are_shared(int64_t count, int64_t effort) { return effort * count >= LEAST_SHARED && team_is_there(); }

int do_in_portions(DoRange *range, const void *context, int64_t count, int64_t effort, int64_t together) {
    Task task = {.range = range, .context = context, .count = count, .together = together};
    task.least = LEAST / effort + together;
    const TeamTask portions = {.context = &task, .begin = begin_portion, .work = do_portion, .end = end_portion, .drop = drop_portion};
    if (are_shared(count, effort) && team_run(NULL, &portions, is_ready)) return task.outcome;
    return range(context, 0, count);
}
