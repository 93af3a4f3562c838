/* Strips of lanes by several threads: see strip_team.h.
 *
 * A part is as many strips as take some `part_steps` steps, or fit in a chunk of the tape. What is chosen depends on steps
 * and words alone, never on time, so that the tape does not depend on how fast threads are.
 */
#include "machine/strip_team.h"

#include <string.h>

#include "memory/pages.h"
#include "threads/pool.h"
#include "threads/team.h"

enum { MOST_STRIPS = 256, MOST_SCRATCH = 1 << 18 };
/* The bytes of a chunk: about those of a large page, more where strips are large; less where the tape may not become large:
 * that of a thread is one in SHARE of the thread's share of the bytes that it has left. */
enum { USUAL = LARGE_PAGE - LARGE_PAGE / 16, LARGEST = 16 * USUAL, SHARE = 2, IN_CHUNK = 16 };

static uint64_t helped;
uint64_t strips_by_helpers(void) { return __atomic_load_n(&helped, __ATOMIC_RELAXED); }
static void count_helped(int64_t strips) { __atomic_fetch_add(&helped, (uint64_t)strips, __ATOMIC_RELAXED); }

/* A part: strips in a row. wanted: how many; count: those that have run. up, ways: where the tape is behind each. */
typedef struct StripPart {
    int64_t first, count, wanted;
    StripOutcome outcome;
    size_t words; /* reserved for the chunk; 0: there is none */
    WordChunk *chunk;
    Word *start, *header_end, *end;
    Word *up[MOST_STRIPS];
    uint8_t *ways[MOST_STRIPS];
    char *strips;
} StripPart;

typedef struct Forward {
    Machine *machine;
    StripTask *task;
    int64_t per_part, begun; /* strips */
    int64_t parts_left;      /* to be begun, of about as many strips each; 0: it is not known */
    size_t words;            /* of a chunk, as far as can be foreseen; 0: nothing is recorded */
    size_t reserved;         /* bytes of the chunks of parts that have not ended */
    StripPart *parts;        /* of the slots */
} Forward;

static size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Chooses how many strips a part has at most where they are recorded; 0: there is no room for what is worth other threads. */
static void choose_chunk(Forward *f) {
    const StripTask *task = f->task;
    const Tape *tape = f->machine->tape;
    const size_t left = tape->bytes < f->machine->tape_limit ? f->machine->tape_limit - tape->bytes : 0;
    const size_t each = (size_t)(task->words / task->strips + 1) * sizeof(Word);
    size_t bytes = USUAL;
    while (bytes < LARGEST && bytes < IN_CHUNK * each) bytes *= 2;
    while (bytes > left / SHARE / (size_t)pool_threads()) bytes /= 2;
    const int64_t fit = (int64_t)(bytes / each);
    f->per_part = fit < MOST_STRIPS ? fit : MOST_STRIPS;
    if (!fit && left > 3 * each) f->per_part = 1; /* the last ones of a tape, two at once */
    if ((int64_t)(left / each) * (task->steps / task->strips) < task->job->part_steps) f->per_part = 0;
}

/* Divides the strips that are to come, where their number is known, in parts for all threads alike. */
static void divide(Forward *f) {
    const int64_t coming = f->task->coming, threads = pool_threads();
    if (!f->per_part || coming > MOST_STRIPS * MOST_SLOTS) return;
    const int64_t turns = (coming + f->per_part * threads - 1) / (f->per_part * threads);
    f->parts_left = turns * threads;
    f->per_part = (coming + f->parts_left - 1) / f->parts_left;
}

/* Returns how many strips the next part has: none is larger by more than one than another, where their number is known. */
static int64_t next_part(Forward *f) {
    const int64_t rest = f->task->coming - f->begun;
    if (!f->parts_left) return rest < f->per_part ? rest : f->per_part;
    const int64_t parts = f->parts_left--;
    return (rest + parts - 1) / parts;
}

/* Chooses how many strips a part has; false: none. */
static bool choose(Forward *f) {
    const StripTask *task = f->task;
    if (f->machine->tags) return false;
    f->per_part = task->job->part_steps * task->strips / (task->steps + 1) + 1;
    if (f->per_part > MOST_STRIPS) f->per_part = MOST_STRIPS;
    if (f->machine->tape) choose_chunk(f);
    const int64_t fit = MOST_SCRATCH / (int64_t)padded(task->job->bytes);
    if (f->per_part > fit) f->per_part = fit;
    divide(f);
    if (f->machine->tape) {
        const size_t each = (size_t)(task->words / task->strips + 1), all = each * (size_t)f->per_part;
        f->words = all + all / 16 + each / 4; /* strips differ */
    }
    return f->per_part > 0;
}

static bool prepare(void *context) {
    Forward *f = context;
    const size_t bytes = padded(f->task->job->bytes) * (size_t)f->per_part, slots = (size_t)team_slots();
    char *scratch = pool_scratch((padded(sizeof(StripPart)) + bytes) * slots);
    if (!scratch) return false;
    f->parts = (StripPart *)(void *)scratch;
    char *strips = scratch + padded(sizeof(StripPart) * slots);
    for (size_t slot = 0; slot < slots; slot++) f->parts[slot] = (StripPart){.strips = strips + bytes * slot};
    return true;
}

static void *strip_in(const Forward *f, const StripPart *part, int64_t i) {
    return part->strips + (size_t)i * padded(f->task->job->bytes);
}

/* Makes room for what a part records; false: the tape, or the heap, has not enough left. */
static bool reserve(Forward *f, StripPart *part, size_t words) {
    const Machine *m = f->machine;
    const size_t bytes = words * sizeof(Word);
    if (m->tape->bytes + f->reserved + bytes > m->tape_limit) return false;
    if (m->heap->limit - m->heap->bytes < 4 * (bytes + LARGE_PAGE)) return false;
    part->words = words;
    part->chunk = tape_beside(m->tape, words + RUN_END_WORDS + 1);
    f->reserved += bytes;
    part->start = part->chunk->words;
    part->header_end = f->task->job->begin(f->task->given, part->start);
    part->end = part->start + part->chunk->room - RUN_END_WORDS - 1;
    return true;
}

static bool begin(void *context, int slot) {
    Forward *f = context;
    StripTask *task = f->task;
    StripPart *part = &f->parts[slot];
    const int64_t coming = (f->begun - task->done + f->per_part) * (task->steps / task->strips);
    if (task->outcome != RAN || f->begun >= task->coming) return false;
    if (task->used + coming + coming / 4 > task->most) return false;
    if (f->words && !reserve(f, part, f->words)) return false;
    part->first = f->begun;
    part->wanted = next_part(f);
    f->begun += part->wanted;
    return true;
}

/* Runs the lanes of a part, until a strip is left. */
static void run_lanes(const Forward *f, StripPart *part) {
    const StripTask *task = f->task;
    Word *up = part->header_end;
    uint8_t *ways = (uint8_t *)part->end;
    int64_t sparse = 0;
    part->outcome = RAN;
    for (part->count = 0; part->count < part->wanted; part->count++) {
        void *strip = strip_in(f, part, part->count);
        const int64_t number = part->first + part->count;
        const StripOutcome outcome = task->job->lanes(task->given, number, strip, task->most, &up, &ways);
        if (outcome > SPARSE) {
            part->outcome = outcome;
            return;
        }
        sparse += outcome == SPARSE;
        part->up[part->count] = up;
        part->ways[part->count] = ways;
    }
    if (2 * sparse > part->wanted) part->outcome = SPARSE;
}

static void work(void *context, int slot, bool is_helper) {
    Forward *f = context;
    run_lanes(f, &f->parts[slot]);
    if (is_helper) count_helped(f->parts[slot].count);
}

static void discard(void *context, int slot) {
    Forward *f = context;
    if (f->words) tape_unlinked(f->machine->tape, f->parts[slot].chunk);
}

/* Closes strips of a part in order, as far as there are steps, and returns how many. */
static int64_t close(Forward *f, StripPart *part) {
    StripTask *task = f->task;
    for (int64_t i = 0; i < part->count; i++) {
        void *strip = strip_in(f, part, i);
        const int64_t used = *(int64_t *)strip;
        if (used > task->most - task->used) {
            part->outcome = SHORT;
            return i;
        }
        task->used += used;
        task->job->close(task->given, strip);
    }
    return part->count;
}

/* Closes a part; what it has recorded becomes a run on the tape, in the newest chunk. Returns how many strips it had. */
static int64_t end_part(Forward *f, StripPart *part) {
    Tape *tape = f->machine->tape;
    if (!f->words) return close(f, part);
    f->reserved -= part->words * sizeof(Word);
    if (!part->count) {
        tape_unlinked(tape, part->chunk);
        return 0;
    }
    tape_link(tape, part->chunk);
    const int64_t count = close(f, part);
    const StripTask *task = f->task;
    if (count) task->job->end(task->given, part->start, part->up[count - 1], part->ways[count - 1], part->end);
    tape_join(tape);
    return count;
}

/* Ends a part; where its chunk was full before all of its strips were done, the others follow in another one, which is twice as
 * large if not one strip was. */
static bool end(void *context, int slot) {
    Forward *f = context;
    StripTask *task = f->task;
    StripPart *part = &f->parts[slot];
    for (;;) {
        const int64_t count = end_part(f, part);
        task->done += count;
        if (part->outcome != FULL || !reserve(f, part, count ? f->words : 2 * part->words)) break;
        part->first += count;
        part->wanted -= count;
        run_lanes(f, part);
    }
    if (task->outcome == RAN) task->outcome = part->outcome;
    return part->outcome <= SPARSE;
}

int64_t strips_may_join(const Machine *machine) { return !machine->tags && team_is_there() ? pool_threads() : 0; }

bool strips_together(Machine *machine, StripTask *task) {
    if (pool_threads() == 1) return false;
    Forward f = {.machine = machine, .task = task};
    task->done = task->used = 0;
    task->outcome = RAN;
    if (!choose(&f)) return false;
    const TeamTask all = {.context = &f, .begin = begin, .work = work, .end = end, .drop = discard};
    return team_run(machine->heap, &all, prepare);
}

/* Reversal */

enum { MOST_REVERSED = 1024, OF_LANES = 128 };

typedef struct StripPlace {
    const Word *up;
    const uint8_t *ways;
} StripPlace;

typedef struct Reversal {
    Cotangent *c;
    const StripBack *back;
    StripPlace places[MOST_REVERSED]; /* the last strip first */
    int64_t count, per_part, begun;
    struct {
        int64_t first, count;
        char *strips;
    } parts[MOST_SLOTS];
} Reversal;

/* Returns about how much work it is to reverse a strip of a size, in records; its lanes are as so many. */
static int64_t work_of(int64_t size) { return OF_LANES + (int64_t)(uint32_t)size + (size >> 32) / 8; }

/* Finds strips that follow each other, and returns about how much work they are. */
static int64_t find(Reversal *r, uint8_t mark, const Word **up, const uint8_t **ways, const uint8_t *last) {
    int64_t all = 0;
    while (*ways < last && **ways == mark && r->count < MOST_REVERSED) {
        const int64_t size = (*up)[-1].field;
        r->places[r->count++] = (StripPlace){*up, *ways + 1};
        *up -= size >> 32;
        *ways += 1 + (uint32_t)size;
        all += work_of(size);
    }
    return all;
}

/* Finds the strips of runs below the last one that have nothing but strips and end by `exit`, at the header of the loop:
 * where such a run ends, and begins, the cotangents of the point are the same. Counts these runs in c->ahead. */
static int64_t find_ahead(Reversal *r, uint8_t mark, uint32_t exit) {
    int64_t all = 0;
    TapePlace place = tape_top(r->c->tape);
    const Unit *unit = tape_run_below(&place)->unit;
    for (const RunEnd *end; (end = tape_run_below(&place)) && end->unit == unit && end->exit == exit;) {
        const int64_t before = r->count;
        const Word *up = run_ways(end);
        const uint8_t *ways = (const uint8_t *)(const void *)up, *last = ways + end->ways;
        const int64_t work = find(r, mark, &up, &ways, last);
        if (ways != last) {
            r->count = before;
            break;
        }
        r->c->ahead++;
        all += work;
    }
    return all;
}

static bool prepare_reversal(void *context) {
    Reversal *r = context;
    const size_t bytes = padded(r->back->bytes) * (size_t)r->per_part;
    char *scratch = pool_scratch(bytes * (size_t)team_slots());
    for (int slot = 0; scratch && slot < team_slots(); slot++) r->parts[slot].strips = scratch + bytes * (size_t)slot;
    return scratch != NULL;
}

static void *strip_of(const Reversal *r, int slot, int64_t i) {
    return r->parts[slot].strips + (size_t)i * padded(r->back->bytes);
}

static bool begin_reversal(void *context, int slot) {
    Reversal *r = context;
    const int64_t rest = r->count - r->begun, count = rest < r->per_part ? rest : r->per_part;
    for (int64_t i = 0; i < count; i++) {
        const StripPlace *place = &r->places[r->begun + i];
        r->back->first(r->c, strip_of(r, slot, i), place->up, place->ways);
    }
    r->parts[slot].count = count;
    r->begun += count;
    return count > 0;
}

static void reverse_lanes(void *context, int slot, bool is_helper) {
    const Reversal *r = context;
    for (int64_t i = 0; i < r->parts[slot].count; i++) r->back->lanes(strip_of(r, slot, i));
    if (is_helper) count_helped(r->parts[slot].count);
}

static bool end_reversal(void *context, int slot) {
    const Reversal *r = context;
    for (int64_t i = 0; i < r->parts[slot].count; i++) r->back->last(r->c, strip_of(r, slot, i));
    return true;
}

static void drop_reversal(void *context, int slot) { (void)context, (void)slot; }

/* Reverses the strips that have been found, which are about so much work; false: it would not pay, or there are no threads. */
static bool reverse_all(Reversal *r, int64_t all) {
    if (all < 2 * r->back->part_records || r->count < 2) return false;
    r->per_part = r->back->part_records * r->count / all + 1;
    const int64_t evenly = (r->count + pool_threads() - 1) / pool_threads();
    if (r->per_part > evenly) r->per_part = evenly;
    const int64_t fit = MOST_SCRATCH / (int64_t)padded(r->back->bytes);
    if (r->per_part > fit) r->per_part = fit;
    if (!r->per_part) return false;
    const TeamTask task = {.context = r, .begin = begin_reversal, .work = reverse_lanes, .end = end_reversal, .drop = drop_reversal};
    return team_run(r->c->heap, &task, prepare_reversal);
}

bool strips_reversed(Cotangent *c, const StripBack *back, uint8_t mark, int64_t exit, const Word **up, const uint8_t **ways,
                     const uint8_t *last) {
    if (pool_threads() == 1) return false;
    Reversal r = {.c = c, .back = back};
    const Word *behind = *up;
    const uint8_t *rest = *ways;
    int64_t all = find(&r, mark, &behind, &rest, last);
    if (rest == last && exit >= 0) all += find_ahead(&r, mark, (uint32_t)exit);
    if (!reverse_all(&r, all)) {
        c->ahead = 0;
        return false;
    }
    *up = behind;
    *ways = rest;
    return true;
}
