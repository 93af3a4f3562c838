/* Held objects: what Python refers to in a heap, and which thread may access the heap.
 *
 * In: every entry from Python, through held_run. Out: one thread at a time in a heap; what Python drops is released, at
 * once if no other thread is in the heap, else when that leaves.
 *
 * A Held is one reference of a Python wrapper: to a state, tape, machine, cotangent or sweep, or to the heap alone. The
 * garbage collector may drop it in any thread, also while a run without the GIL is in the heap: dropping only appends it
 * to a list, which the next thread that enters works off. A Held keeps the heap alive; the last one to be released frees
 * the heap.
 *
 * A thread may enter a heap that it is already in (from a step that Python performs). No lock of the system is held, so a
 * process that forks within a step can continue in both processes.
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
