/* What Python holds of a heap, and who may touch the heap when.
 *
 * In: every entry from Python, between `held_enter` and `held_leave` of the heap. Out: one thread at a time in a
 * heap; what Python lets go of is released, at once where nobody else is in the heap, else when he leaves.
 *
 * A Held is what a Python wrapper has: one reference to a state, tape, machine, cotangent, sweep, or the heap alone.
 * The garbage collector may drop it in any thread, also while a run without the GIL is in the heap: dropping
 * only puts it on a list, which whoever enters next works off. What is held keeps the heap; the last one to be
 * released takes the heap along.
 *
 * A thread may enter a heap that it is in already (a step that Python does comes back); no lock of the system is
 * held, so a process that forks within a step goes on in both.
 */
#ifndef CK_HELD_H
#define CK_HELD_H

#include "driver/driver.h"

typedef enum HeldKind { HELD_HEAP, HELD_STATE, HELD_TAPE, HELD_MACHINE, HELD_COTANGENT, HELD_SWEEP } HeldKind;

typedef struct Held {
    struct Held *next; /* of those that were dropped */
    Heap *heap;
    HeldKind kind;
    bool abandoned; /* what it holds may be in no order: it is freed with the heap, no sooner */
    union {
        State *state;
        Tape *tape;
        Machine *machine;
        Cotangent *cotangent;
        Sweep *sweep;
    };
} Held;

/* Also the one that a sweep has at work; NULL: it has none. */
static inline Machine *held_machine(const Held *held) {
    return held->kind == HELD_SWEEP ? held->sweep->machine : held->machine;
}

extern const HeapHooks HELD_HOOKS; /* of every heap */

/* A heap of its own, with a gate. NULL: no memory. */
Held *held_new_heap(size_t limit);

/* A new holder of the same heap, of nothing yet: to be called in an entry, before what it shall hold is made.
 * Jumps to the heap's escape where there is no memory. */
Held *held_new(const Held *other, HeldKind kind);

void held_drop(Held *held); /* in any thread; NULL is nothing */

/* Every entry from Python: enters the heap of `held`, does `body`, leaves. false: memory ended, and `body` was left
 * where it stood. */
typedef void (*Body)(void *arguments);
bool held_run(const Held *held, Body body, void *arguments);

#endif
