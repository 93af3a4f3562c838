/* Tasks in parts: see team.h. Part n has the slot n modulo the number of slots.
 *
 * What always holds: offered - ended <= slots; a part is worked on by the one thread that has claimed its number, and
 * `done` of its slot says so afterwards. Who waits sleeps only after it has said so, and looks once more then.
 *
 * Where other processes have the cores, a helper may lie idle in the middle of a part that the owner waits for. So what the
 * owner waited is compared with the processor time of helpers, which it would have needed itself, however long a part is;
 * as long as it loses by them, it runs alone for longer and longer.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "threads/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "threads/pool.h"

/* Nanoseconds; a helper that comes late for a short task loses a few thousand. */
enum { PATIENCE = 100000, LEAST_REST = 5000000, MOST_REST = 500000000 };

typedef struct Team {
    const TeamTask *task;
    int slots;
    atomic_llong offered, claimed;     /* numbers of parts */
    atomic_llong done[MOST_SLOTS];     /* the number behind the part that was done last in the slot */
    long long ended;
    int64_t waited;                    /* the owner, in nanoseconds */
    atomic_llong helped;               /* processor time of helpers in parts, in nanoseconds */
    atomic_bool finished, owner_waits; /* no more parts come; the owner sleeps */
    atomic_int waiting;                /* helpers that sleep */
    pthread_mutex_t lock;
    pthread_cond_t changed;
} Team;

/* Rests */

static atomic_llong rest_until, rest;
static atomic_llong lost;      /* by tasks in a row: what their owners waited beyond the time of their helpers */
static atomic_bool leaves_all; /* to helpers */

void team_waits_for_helpers(bool waits) { atomic_store(&leaves_all, waits); }

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t now(void) { return nanoseconds(CLOCK_MONOTONIC); }

/* Rests, the longer the more often in turn, once more than PATIENCE has been lost. */
static void judge(const Team *team) {
    const int64_t loss = atomic_load(&lost) + team->waited - atomic_load(&team->helped);
    const bool gains = loss < 0 || atomic_load(&leaves_all), loses = !gains && loss > PATIENCE;
    atomic_store(&lost, gains || loses ? 0 : loss);
    if (gains) atomic_store(&rest, 0);
    if (!loses) return;
    const int64_t longer = 2 * atomic_load(&rest), length = longer < LEAST_REST ? LEAST_REST : longer;
    atomic_store(&rest, length < MOST_REST ? length : MOST_REST);
    atomic_store(&rest_until, now() + atomic_load(&rest));
}

static bool is_resting(void) { return atomic_load(&rest) && now() < atomic_load(&rest_until); }

/* Whether this thread is at a part: what it does there is no task of several threads. */
static _Thread_local bool at_part;

bool team_is_there(void) { return pool_threads() > 1 && !at_part && !is_resting(); }

int team_slots(void) {
    const int slots = 2 * pool_threads();
    return slots < MOST_SLOTS ? slots : MOST_SLOTS;
}

static void wake(Team *team) {
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

/* Returns the number of a part that nobody else does; -1: there is none now. */
static long long claim(Team *team) {
    long long part = atomic_load(&team->claimed);
    while (part < atomic_load(&team->offered))
        if (atomic_compare_exchange_weak(&team->claimed, &part, part + 1)) return part;
    return -1;
}

static void work_on(Team *team, long long part, bool is_helper) {
    const int slot = (int)(part % team->slots);
    const int64_t begun = is_helper ? nanoseconds(CLOCK_THREAD_CPUTIME_ID) : 0;
    at_part = true;
    team->task->work(team->task->context, slot, is_helper);
    at_part = false;
    if (is_helper) atomic_fetch_add(&team->helped, nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begun);
    atomic_store(&team->done[slot], part + 1);
    if (is_helper && atomic_load(&team->owner_waits)) wake(team);
}

/* Helpers */

static bool may_go_on(Team *team) {
    return atomic_load(&team->finished) || atomic_load(&team->claimed) < atomic_load(&team->offered);
}

static void wait_for_parts(Team *team) {
    for (int turns = 0; !may_go_on(team);) {
        if (pool_spins(&turns)) continue;
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->waiting, 1);
        while (!may_go_on(team)) pthread_cond_wait(&team->changed, &team->lock);
        atomic_fetch_sub(&team->waiting, 1);
        pthread_mutex_unlock(&team->lock);
    }
}

static void help(void *given) {
    Team *team = given;
    while (!atomic_load(&team->finished)) {
        const long long part = claim(team);
        if (part < 0)
            wait_for_parts(team);
        else
            work_on(team, part, true);
    }
}

/* The owner */

static bool is_done(Team *team) { return atomic_load(&team->done[team->ended % team->slots]) > team->ended; }

static void wait_for_first(Team *team) {
    for (int turns = 0; !is_done(team);) {
        if (pool_spins(&turns)) continue;
        pthread_mutex_lock(&team->lock);
        atomic_store(&team->owner_waits, true);
        while (!is_done(team)) pthread_cond_wait(&team->changed, &team->lock);
        atomic_store(&team->owner_waits, false);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Offers parts as far as there are slots; returns whether more may come. */
static bool offer(Team *team) {
    bool more = true;
    const long long before = atomic_load(&team->offered);
    long long offered = before;
    while (more && offered < team->ended + team->slots) {
        more = team->task->begin(team->task->context, (int)(offered % team->slots));
        if (more) atomic_store(&team->offered, ++offered);
    }
    if (offered > before && atomic_load(&team->waiting)) wake(team);
    return more;
}

static void run(Team *team) {
    const TeamTask *task = team->task;
    for (bool more = true;;) {
        if (more) more = offer(team);
        if (team->ended == atomic_load(&team->offered)) return;
        if (is_done(team)) {
            const int slot = (int)(team->ended++ % team->slots);
            if (!task->end(task->context, slot)) return;
            continue;
        }
        const long long part = atomic_load(&leaves_all) ? -1 : claim(team);
        if (part >= 0) {
            work_on(team, part, false);
            continue;
        }
        const int64_t begun = now();
        wait_for_first(team);
        team->waited += now() - begun;
    }
}

/* Has all threads stop, after the parts that they are at. */
static void stop(Team *team) {
    atomic_store(&team->claimed, INT64_MAX);
    atomic_store(&team->finished, true);
    wake(team);
    const int64_t begun = now();
    pool_close();
    team->waited += now() - begun;
    judge(team);
}

bool team_run(Heap *heap, const TeamTask *task, bool (*prepare)(void *context)) {
    if (at_part || is_resting()) return false;
    Team team = {.task = task, .slots = team_slots()};
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.changed, NULL);
    if (!pool_open(help, &team)) return false;
    jmp_buf here, *const outer = heap ? heap->escape : NULL;
    if (heap) heap->escape = &here;
    volatile bool whole = false, prepared = false;
    if (setjmp(here) == 0) {
        prepared = prepare(task->context);
        if (prepared) run(&team);
        whole = true;
    }
    stop(&team);
    if (heap) heap->escape = outer;
    pthread_cond_destroy(&team.changed);
    pthread_mutex_destroy(&team.lock);
    if (!whole) heap_exhausted(heap);
    for (long long part = team.ended; part < atomic_load(&team.offered); part++)
        task->drop(task->context, (int)(part % team.slots));
    return prepared;
}
