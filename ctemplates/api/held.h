/* Held objects: what Python refers to in a heap, and which thread may access the heap.
 *
 * In: every entry from Python, through held_run. Out: one thread at a time in a heap; what Python drops is released, at
 * once if no other thread is in the heap, else when that thread leaves it.
 *
 * A Held is one reference of a Python wrapper: to a state, tape, machine, cotangent or sweep, or to the heap alone.
 * The garbage collector may drop it in any thread, also while a run without the GIL is in the heap: dropping only
 * appends it to a list, which the next thread that enters processes. A Held keeps the heap alive; the last one to be
 * released frees the heap.
 *
 * A thread may enter a heap that it is already in (from a step that Python performs). No lock of the system is held,
 * so a process that forks within a step can continue in both processes.
 */
#ifndef CK_HELD_H
#define CK_HELD_H

#include "driver/driver.h"

typedef enum HeldKind { HELD_HEAP, HELD_STATE, HELD_TAPE, HELD_MACHINE, HELD_COTANGENT, HELD_SWEEP } HeldKind;

typedef struct Held {
    struct Held *next; /* the next one of the list of dropped ones */
    Heap *heap;
    HeldKind kind;
    bool abandoned; /* its content may be inconsistent: it is freed with the heap, not earlier */
    union {
        State *state;
        Tape *tape;
        Machine *machine;
        Cotangent *cotangent;
        Sweep *sweep;
    };
} Held;

/* Returns the machine that is held, or the running machine of a sweep; NULL: there is none. */
static inline Machine *held_machine(const Held *held) {
    return held->kind == HELD_SWEEP ? held->sweep->machine : held->machine;
}

extern const HeapHooks HELD_HOOKS; /* of every heap */

/* Returns the holder of a new heap with a gate. NULL: no memory. */
Held *held_new_heap(size_t limit);

/* Returns a new holder of the same heap, still empty: called within an entry, before the content is created. Jumps to
 * the heap's escape if there is no memory. */
Held *held_new(const Held *other, HeldKind kind);

void held_drop(Held *held); /* in any thread; NULL is nothing */

/* Enters the heap of `held`, calls `body`, leaves; every entry from Python uses it. false: memory ran out, and `body`
 * was aborted by a jump. */
typedef void (*Body)(void *arguments);
bool held_run(const Held *held, Body body, void *arguments);

#endif
