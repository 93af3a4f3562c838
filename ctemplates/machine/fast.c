/* Translated code: entering it, recording its runs, and its services. See fast.h.
 *
 * What always holds: nothing is on the tape before run_end, so a unit that runs out of memory or bails out leaves no
 * trace there.
 */
#include "machine/fast.h"

#include <string.h>


/* The least words that a run should have room for: with fewer, entering and leaving cost more than the blocks. */
enum { FEW = 512 };

static uint64_t runs;

uint64_t unit_runs(void) { return __atomic_load_n(&runs, __ATOMIC_RELAXED); }

bool run_unit(Machine *m, const Instruction *fast, const Block *block, int64_t steps, int64_t stop) {
    if (UNLIKELY(m->calls)) return false; /* calls within units are not seen */
    m->block = block;
    m->index = 0;
    m->steps = steps;
    for (const UnitEntry *entry = fast->pointer; entry; entry = entry->next) {
        const Unit *unit = entry->unit;
        RunUnit *run = __atomic_load_n(m->tape ? &unit->tape : &unit->plain, __ATOMIC_ACQUIRE);
        if (UNLIKELY(m->pauses && run && unit->abreast)) {
            m->pauses = false;
            m->paused = entry;
            return true;
        }
        if (run && run(unit, m, entry->head, stop)) {
            __atomic_store_n(&runs, unit_runs() + 1, __ATOMIC_RELAXED);
            return true;
        }
    }
    return false;
}

Word *run_begin(Machine *m, size_t least, size_t wanted, Word **end) {
    Tape *tape = m->tape;
    m->heap->strips |= wanted > 0;
    if (tape->bytes >= m->tape_limit) return NULL;
    const size_t left = (m->tape_limit - tape->bytes) / sizeof(Word);
    if (left < least) return NULL;
    size_t words = left / 4 < FEW ? left / 4 : FEW;
    if (words < least) words = least;
    const size_t more = wanted < left / 16 ? wanted : left / 16; /* what is not used of it counts, too */
    if (tape_rest(tape) < (words < more / 4 ? more / 4 : words) + RUN_END_WORDS + 1)
        tape_reserve(tape, (words < more ? more : words) + RUN_END_WORDS + 1);
    const WordChunk *chunk = tape->chunk;
    const size_t rest = chunk->room - chunk->used - RUN_END_WORDS - 1;
    Word *start = tape->chunk->words + chunk->used;
    *end = start + (rest < left ? rest : left);
    return start;
}

void run_end(Machine *m, const Unit *unit, uint32_t entry, uint32_t exit, Word *start, Word *up, const uint8_t *ways,
             Word *end) {
    Tape *tape = m->tape;
    const size_t bytes = (size_t)((const uint8_t *)(const void *)end - ways);
    const size_t padded = (bytes + sizeof(Word) - 1) / sizeof(Word);
    memmove(up, ways, bytes);
    memset((uint8_t *)(void *)up + bytes, 0, padded * sizeof(Word) - bytes);
    up += padded;
    const size_t words = (size_t)(up - start) + RUN_END_WORDS;
    *(RunEnd *)(void *)up = (RunEnd){
        .unit = unit, .entry = entry, .exit = exit, .words = (uint32_t)words, .ways = (uint32_t)bytes};
    up[RUN_END_WORDS].mark = RUN_MARK;
    tape->chunk->used += words + 1;
    tape->bytes += (words + 1) * sizeof(Word);
}

#define SERVICE_ADDRESS(type, name, parameters, names) .name = name,
const Services SERVICES = {RUNTIME_SERVICES(SERVICE_ADDRESS)};
