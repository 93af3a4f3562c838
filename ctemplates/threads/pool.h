/* Helpers: threads of the process that take part in one task at a time.
 *
 * In: a task, and the function that a helper runs for it. The thread that opens the pool owns it until it closes it; a
 * second one finds it busy, and does its work alone. Helpers are started when they are first needed, and sleep between
 * tasks.
 *
 * What always holds: helpers touch neither Python nor what a heap owns, take no signals, and round as the owner does. In
 * the child of a fork there are none until they are needed again.
 */
#ifndef CK_POOL_H
#define CK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many threads take part in a task, its owner's among them; at first 1, so there are no helpers. */
enum { MOST_THREADS = 256 };
void pool_set_threads(int threads);
int pool_threads(void);

/* Begins a task: each helper calls `help(task)` once, if it comes before the pool is closed. false: there are no
 * helpers, or the pool is busy. */
bool pool_open(void (*help)(void *task), void *task);
void pool_close(void); /* waits until all helpers have returned from `help` */

/* Returns so many bytes, aligned as vectors are, which the owner has until it closes the pool; NULL: no memory. */
void *pool_scratch(size_t bytes);

/* Waits a moment, in a loop that looks for a change that another thread is about to make. Returns false when it has
 * taken so long that the thread had better sleep. */
bool pool_spins(int *turns);

#endif
