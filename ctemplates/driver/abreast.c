/* Several segments taped at once: see abreast.h.
 *
 * A machine is ahead only if it has reached the entry at which the first one has paused, within FEW_STEPS.
 */
#include "driver/abreast.h"

#include "bridge/gil.h"
#include "machine/vm.h"

/* WORTH: where less than one part in so many of a segment is taped at once, others are begun for nothing. */
enum { FEW_STEPS = 1 << 14, WORTH = 4 };

static uint64_t beside;

uint64_t segments_abreast(void) { return __atomic_load_n(&beside, __ATOMIC_RELAXED); }

/* Returns how large each tape ahead may become: with all of them there is room for one of the size that is wanted. */
static size_t share(const Sweep *s) {
    const size_t wanted = s->now.bytes, held = sweep_held(s), most = s->series.whole.held;
    const size_t left = held < most && wanted < most - held ? most - held - wanted : 0;
    return left / ABREAST < wanted ? left / ABREAST : wanted;
}

/* Returns whether a machine that begins the tape that is `now` should pause. */
static bool may_pause(const Sweep *s) {
    const Series *series = &s->series;
    if (!series->active || series->whole.kind != DO_UNWIND || s->abreast.refused || s->abreast.count) return false;
    return s->now.step != TO_THE_END && series->whole.count - series->done >= ABREAST && s->kept_count >= ABREAST &&
           share(s) >= s->now.bytes / WORTH;
}

static void destroy(Machine *machine) {
    Tape *tape = machine->tape;
    machine_destroy(machine);
    void *lock = python_lock();
    tape_destroy(tape);
    python_unlock(lock);
}

static void drop_ahead(Sweep *s) {
    Abreast *abreast = &s->abreast;
    while (abreast->count) destroy(abreast->ahead[--abreast->count]);
}

void abreast_end(Sweep *s) {
    if (!s->abreast.runs) drop_ahead(s);
    s->abreast.refused = false;
}

/* Returns the machine that has begun the segment from the current state; NULL: there is none. */
static Machine *take(Sweep *s) {
    Abreast *abreast = &s->abreast;
    if (!abreast->count) return NULL;
    Machine *machine = abreast->ahead[0];
    if (machine->tape_from != s->current->steps || machine->tape->bound != s->now.bytes) {
        drop_ahead(s);
        return NULL;
    }
    for (size_t i = 1; i < abreast->count; i++) abreast->ahead[i - 1] = abreast->ahead[i];
    abreast->count--;
    machine->helper = s->helper;
    return machine;
}

Machine *abreast_machine(Sweep *s) {
    Machine *machine = take(s);
    s->last_taped.tape = machine ? machine->tape : tape_create(s->heap);
    if (machine) return machine;
    machine = machine_create(s->heap, s->current, s->last_taped.tape, s->helper);
    machine->pauses = may_pause(s);
    return machine;
}

/* Returns a machine from a state that has paused at an entry; NULL: it has not. Without a helper it ends before a step of
 * Python's. */
static Machine *another(Sweep *s, const State *state, int64_t to, size_t bytes, const UnitEntry *entry) {
    Tape *tape = tape_create(s->heap);
    Machine *machine = machine_create(s->heap, state, tape, NULL);
    tape->bound = s->now.bytes;
    machine->tape_limit = bytes;
    machine->pauses = true;
    s->abreast.ahead[s->abreast.count++] = machine;
    const Outcome outcome = machine_run(machine, to, FEW_STEPS);
    const bool is_there = outcome == SLICED && machine->paused == entry;
    machine->pauses = false;
    machine->paused = NULL;
    return is_there ? machine : NULL;
}

/* Makes the machines ahead; false: some have not paused at the entry. */
static bool find_others(Sweep *s, const UnitEntry *entry, Machine **machines, int64_t *stops) {
    const size_t bytes = share(s);
    for (size_t i = 1; i < ABREAST; i++) {
        const Kept *next = &s->kept[s->kept_count - 1 - i];
        stops[i] = next[1].step;
        machines[i] = another(s, next->state, stops[i], bytes, entry);
        if (!machines[i]) return false;
    }
    return true;
}

void abreast_begin(Sweep *s, int64_t to) {
    Machine *machines[ABREAST] = {s->machine};
    int64_t stops[ABREAST] = {to};
    const UnitEntry *entry = s->machine->paused;
    const Unit *unit = entry->unit;
    s->machine->paused = NULL;
    s->abreast.runs = true;
    if (find_others(s, entry, machines, stops)) {
        const int64_t before = s->machine->steps;
        while (unit->abreast(unit, machines, entry->head, stops)) {}
        s->abreast.refused = s->machine->steps - before < (to - s->from) / WORTH;
        if (s->machine->steps > before) __atomic_store_n(&beside, segments_abreast() + ABREAST - 1, __ATOMIC_RELAXED);
    } else {
        drop_ahead(s);
        s->abreast.refused = true;
    }
    s->abreast.runs = false;
}
