/* Held objects and access to heaps: see held.h.
 *
 * What always holds: `holders` counts the Helds that have not been dropped and the drops in progress, so the gate
 * outlives every reader. What is on `dropped` is released by the thread in the heap, before or after it
 * leaves; a thread that drops something checks, after putting it there, whether the heap is free. So nothing stays
 * behind.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "api/held.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "arrays/accumulators.h"
#include "arrays/storage_table.h"
#include "bridge/gil.h"
#include "bridge/guard.h"
#include "containers/collector.h"
#include "containers/containers.h"
#include "containers/peek.h"
#include "operators/gradient.h"
#include "operators/gradient_reverse.h"
#include "reversal/reverse_program.h"
#include "unit_arrays/unit_elements.h"

static void destroy_container(Heap *heap, Object *object) {
    suspects_remove(heap, (const Storage *)object);
    if (object->kind == LIST)
        list_destroy(heap, (List *)object);
    else if (object->kind == INSTANCE)
        instance_destroy(heap, (Instance *)object);
    else
        dictionary_destroy(heap, (Dictionary *)object);
}

const HeapHooks HELD_HOOKS = {
    .release_python = python_release,
    .note_foreign = note_foreign,
    .large_integer = real_of_large_integer,
    .destroy_container = destroy_container,
    .forget_layouts = layouts_destroy,
    .add_foreign = foreign_sum,
    .gradient = gradient_step,
    .reverse_gradient = gradient_reverse,
    .elements = &ELEMENT_HOOKS,
};

typedef struct Gate Gate;
struct Gate {
    _Atomic(uintptr_t) owner; /* the thread that is in the heap; 0: none */
    unsigned depth;           /* how many times over it is */
    _Atomic(Held *) dropped;
    atomic_size_t holders;
};

/* A thread by the place of a variable of its own: unlike its number, a fork keeps that. */
static uintptr_t this_thread(void) {
    static _Thread_local char here;
    return (uintptr_t)&here;
}

static bool try_to_enter(Gate *gate) {
    uintptr_t nobody = 0;
    if (!atomic_compare_exchange_strong(&gate->owner, &nobody, this_thread())) return false;
    gate->depth = 1;
    return true;
}

static void enter(Gate *gate) {
    if (atomic_load(&gate->owner) == this_thread()) {
        gate->depth++;
        return;
    }
    const struct timespec a_moment = {.tv_nsec = 50000};
    while (!try_to_enter(gate)) nanosleep(&a_moment, NULL);
}

static void release_one(Held *held) {
    void *lock;
    switch (held->kind) {
    case HELD_HEAP:
        break;
    case HELD_STATE:
        if (held->state) state_release(held->heap, held->state);
        break;
    case HELD_TAPE:
        if (!held->tape) break;
        lock = python_lock();
        tape_destroy(held->tape);
        python_unlock(lock);
        break;
    case HELD_MACHINE:
        if (held->machine && !held->abandoned) machine_destroy(held->machine);
        break;
    case HELD_COTANGENT:
        if (!held->cotangent || held->abandoned) break;
        programs_destroy(held->cotangent);
        cotangent_destroy(held->cotangent);
        break;
    case HELD_SWEEP:
        if (held->sweep) sweep_destroy(held->sweep);
        break;
    }
    free(held);
}

/* By who is in the heap. */
static void release_dropped(Gate *gate) {
    Held *next = atomic_exchange(&gate->dropped, NULL);
    while (next) {
        Held *held = next;
        next = held->next;
        release_one(held);
        if (!next) next = atomic_exchange(&gate->dropped, NULL);
    }
}

static void leave(Gate *gate) {
    if (gate->depth > 1) {
        gate->depth--;
        return;
    }
    release_dropped(gate);
    gate->depth = 0;
    atomic_store(&gate->owner, 0);
    while (atomic_load(&gate->dropped) && try_to_enter(gate)) {
        release_dropped(gate);
        gate->depth = 0;
        atomic_store(&gate->owner, 0);
    }
}

bool held_run(const Held *held, Body body, void *arguments) {
    Heap *heap = held->heap;
    jmp_buf place, *outer;
    volatile bool done = false;
    enter(heap->gate);
    const PythonHold hold = heap->hold; /* of the call within which this one is; Python has released the GIL since */
    outer = heap->escape;
    heap->escape = &place;
    heap->hold = (PythonHold){0};
    if (setjmp(place) == 0) {
        body(arguments);
        done = true;
    }
    let_python(heap);
    heap->hold = hold;
    heap->escape = outer;
    leave(heap->gate);
    return done;
}

Held *held_new_heap(size_t limit) {
    Held *held = calloc(1, sizeof *held);
    Gate *gate = calloc(1, sizeof *gate);
    Heap *heap = held && gate ? heap_create(limit, &HELD_HOOKS) : NULL;
    if (!heap) {
        free(held);
        free(gate);
        return NULL;
    }
    atomic_init(&gate->owner, 0);
    atomic_init(&gate->dropped, NULL);
    atomic_init(&gate->holders, 1);
    heap->gate = gate;
    held->heap = heap;
    held->kind = HELD_HEAP;
    return held;
}

Held *held_new(const Held *other, HeldKind kind) {
    Held *held = calloc(1, sizeof *held);
    if (!held) heap_exhausted(other->heap);
    held->heap = other->heap;
    held->kind = kind;
    atomic_fetch_add(&other->heap->gate->holders, 1);
    return held;
}

static void destroy(Heap *heap) {
    Gate *gate = heap->gate;
    void *lock = python_lock();
    heap_destroy(heap);
    python_unlock(lock);
    free(gate);
}

void held_drop(Held *held) {
    if (!held) return;
    Heap *heap = held->heap;
    Gate *gate = heap->gate;
    held->next = atomic_load(&gate->dropped);
    while (!atomic_compare_exchange_weak(&gate->dropped, &held->next, held)) {
    }
    if (try_to_enter(gate)) leave(gate);
    if (atomic_fetch_sub(&gate->holders, 1) == 1) destroy(heap);
}
