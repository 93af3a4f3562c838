/* Helpers: see pool.h.
 *
 * What always holds: all of `pool` but `threads` is changed with `lock` held; `inside` counts the helpers in `help`.
 * The lock is held for a few instructions only, so a fork waits for it, and finds everything consistent.
 */
#define _GNU_SOURCE
#include "threads/pool.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SPINS = 2000, VECTOR = 64, STACK = 4 * 1024 * 1024 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t opened, left;
    atomic_int threads;
    int started, inside;
    bool busy, open;
    atomic_ullong tasks; /* so far */
    void (*help)(void *task);
    void *task;
    fenv_t rounding;
    void *scratch, *aligned;
    size_t scratch_bytes;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .opened = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER,
          .threads = 1};

void pool_set_threads(int threads) {
    atomic_store(&pool.threads, threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads);
}

int pool_threads(void) { return atomic_load(&pool.threads); }

bool pool_spins(int *turns) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    return ++*turns < SPINS;
}

/* Forks */

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork(void) { pthread_mutex_unlock(&pool.lock); }
static void in_child(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.opened, NULL);
    pthread_cond_init(&pool.left, NULL);
    pool.started = pool.inside = 0;
    pool.busy = pool.open = false;
}

/* Helpers */

/* Waits until there is a task that this helper has not seen. The lock is held before and after. */
static void wait_for_task(unsigned long long seen) {
    pthread_mutex_unlock(&pool.lock);
    for (int turns = 0; atomic_load(&pool.tasks) == seen && pool_spins(&turns);) {}
    pthread_mutex_lock(&pool.lock);
    while (!pool.open || atomic_load(&pool.tasks) == seen) pthread_cond_wait(&pool.opened, &pool.lock);
}

static void *helper(void *number) {
    const int own = (int)(intptr_t)number;
    pthread_mutex_lock(&pool.lock);
    for (unsigned long long seen = 0;;) {
        wait_for_task(seen);
        seen = atomic_load(&pool.tasks);
        if (own >= pool_threads()) continue; /* there are fewer now */
        pool.inside++;
        void (*const help)(void *) = pool.help;
        void *const task = pool.task;
        const fenv_t rounding = pool.rounding;
        pthread_mutex_unlock(&pool.lock);
        fesetenv(&rounding);
        help(task);
        pthread_mutex_lock(&pool.lock);
        if (!--pool.inside) pthread_cond_signal(&pool.left);
    }
    return NULL;
}

/* Starts one more helper, without signals; false: the system has no thread for it. */
static bool start_helper(void) {
    static bool knows_forks;
    if (!knows_forks) knows_forks = pthread_atfork(before_fork, after_fork, in_child) == 0;
    pthread_attr_t attributes;
    if (!knows_forks || pthread_attr_init(&attributes)) return false;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const bool started = !pthread_create(&thread, &attributes, helper, (void *)(intptr_t)(pool.started + 1));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    pool.started += started;
    return started;
}

/* Tasks */

bool pool_open(void (*help)(void *task), void *task) {
    const int threads = pool_threads();
    if (threads == 1) return false;
    pthread_mutex_lock(&pool.lock);
    while (!pool.busy && pool.started + 1 < threads && start_helper()) {}
    const bool opens = !pool.busy && pool.started > 0;
    if (opens) {
        pool.busy = pool.open = true;
        pool.help = help;
        pool.task = task;
        fegetenv(&pool.rounding);
        atomic_fetch_add(&pool.tasks, 1);
        pthread_cond_broadcast(&pool.opened);
    }
    pthread_mutex_unlock(&pool.lock);
    return opens;
}

void pool_close(void) {
    pthread_mutex_lock(&pool.lock);
    pool.open = false;
    for (int turns = 0; pool.inside && pool_spins(&turns);) {
        pthread_mutex_unlock(&pool.lock);
        pthread_mutex_lock(&pool.lock);
    }
    while (pool.inside) pthread_cond_wait(&pool.left, &pool.lock);
    pool.busy = false;
    pthread_mutex_unlock(&pool.lock);
}

void *pool_scratch(size_t bytes) {
    if (bytes > pool.scratch_bytes) {
        free(pool.scratch);
        pool.scratch = malloc(bytes + VECTOR);
        pool.scratch_bytes = pool.scratch ? bytes : 0;
        pool.aligned = (char *)pool.scratch + (-(uintptr_t)pool.scratch & (VECTOR - 1));
    }
    return pool.scratch ? pool.aligned : NULL;
}
