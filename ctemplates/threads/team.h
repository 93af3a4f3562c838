/* A task in parts, which several threads do at once, and the caller begins and ends in order.
 *
 * What always holds: only the caller calls `begin`, `end` and `drop`, part by part in order, while other threads may be
 * at later parts. What a part does has no task of its own. If memory runs out in its heap then, all threads stop before the jump continues.
 */
#ifndef CK_TEAM_H
#define CK_TEAM_H

#include "memory/heap.h"

enum { MOST_SLOTS = 64 };

typedef struct TeamTask {
    void *context;
    bool (*begin)(void *context, int slot);              /* prepares a part; false: there is none */
    void (*work)(void *context, int slot, bool is_helper); /* any thread */
    bool (*end)(void *context, int slot);                /* false: the parts that follow are void */
    void (*drop)(void *context, int slot);               /* releases a part that is void; all threads have stopped */
} TeamTask;

/* Returns whether there are helpers, and callers do not rest from them: a task would most likely find them. Not within a part. */
bool team_is_there(void);

/* Returns how many parts may have been begun and not ended: there is a slot for each. */
int team_slots(void);

/* For tests: whether callers leave all work to helpers, however long these take to wake, and never rest from them. */
void team_waits_for_helpers(bool waits);

/* Does a task: `prepare` first, when the caller has the pool. heap: that of the caller, NULL if the task has none. false: there are no helpers, or `prepare` returned false;
 * then nothing was done. */
bool team_run(Heap *heap, const TeamTask *task, bool (*prepare)(void *context));

#endif
