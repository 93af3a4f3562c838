/* Tests of the tape: records come back as they were written, the last first; bytes come out even. */
#include "checks.h"

enum { BLOCKS = 6, MOST = 3000, PART = -1, RUN = -2 };

static const uint32_t sizes[BLOCKS] = {0, 1, 3, 17, 200, 50000};
static Block blocks[BLOCKS];

typedef struct Entry {
    int block; /* PART, RUN */
    uint64_t first;
    uint32_t words; /* of a run */
} Entry;

typedef struct Model {
    Entry entries[MOST];
    int count;
} Model;

static void start(void) {
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = (Block){.record_size = sizes[i], .value_count = (uint32_t)i, .note_count = (uint32_t)i / 2};
}

static int random_block(void) { return (int)random_below(random_below(40) ? BLOCKS - 1 : BLOCKS); }

static void push(Tape *tape, Model *model) {
    const Entry *last = model->count ? &model->entries[model->count - 1] : NULL;
    const int at = last && last->block >= 0 && random_below(3) ? last->block : random_block();
    Word *words = tape_push(tape, &blocks[at]);
    const uint64_t first = random_below(1u << 30);
    for (uint32_t i = 0; i < sizes[at]; i++) words[i].birth = first + i;
    model->entries[model->count++] = (Entry){.block = at, .first = first};
}

static void push_part(Heap *heap, Tape *tape, Model *model) {
    const int at = random_block(), number = (int)random_below(OBJECTS - 100);
    Part *part = tape_add_part(tape, &blocks[at], 2);
    for (int i = 0; i < at; i++) CHECK(part->values[i].tag == NOTHING);
    for (int i = 0; i < at / 2; i++) CHECK(part->notes[i].birth == 0);
    CHECK(part->start == 2 && !part->ended && !part->raised && !part->origin_count);
    for (int key = (int)random_below(4); key >= END_ORIGIN; key--) {
        Origin *origin = part_add_origin(heap, part, key);
        const Value held = object_value(heap, number + key + 1); /* counts it; the part is to release it */
        Foreign *foreign = (Foreign *)held.object;
        origin->python = foreign->python;
        foreign->borrowed = true;
        drop(heap, held);
        part_report(heap, part, 1000);
        CHECK(part_origin(part, key) == origin && !part_origin(part, -7));
    }
    if (random_below(2)) {
        const uint32_t frames = 1 + random_below(300);
        for (uint32_t i = 0; i < frames; i++) part_add_unwound(heap, part, i);
        CHECK(part->unwound_count == frames && part->unwound[frames - 1] == frames - 1);
    }
    model->entries[model->count++] = (Entry){.block = PART, .first = (uint64_t)at};
}

/* Ends a run of so many words at the end of the newest chunk. */
static void end_run(Tape *tape, Model *model, uint32_t words) {
    const uint64_t first = random_below(1u << 30);
    Word *to = tape->chunk->words + tape->chunk->used;
    for (uint32_t i = 0; i < words; i++) to[i].birth = first + i;
    *(RunEnd *)(void *)(to + words) = (RunEnd){.words = words + RUN_END_WORDS, .entry = words};
    to[words + RUN_END_WORDS].mark = RUN_MARK;
    tape_take(tape, words + RUN_END_WORDS + UINT64_C(1));
    model->entries[model->count++] = (Entry){.block = RUN, .first = first, .words = words};
}

/* A chunk beside the tape for so many words, which becomes its newest with a run of fewer, and goes to the rest of the one
 * before it. */
static void push_beside(Tape *tape, Model *model, uint32_t most, uint32_t count) {
    tape_link(tape, tape_beside(tape, most + RUN_END_WORDS + 1));
    const WordChunk *before = tape->chunk->previous;
    end_run(tape, model, count);
    const size_t words = tape->chunk->used, rest = before ? before->room - before->used : 0, bytes = tape->bytes;
    const bool fits = rest >= words && rest >= before->room / 16;
    tape_join(tape);
    CHECK(tape->bytes == bytes && (tape->chunk == before) == fits);
}

static void push_run_beside(Tape *tape, Model *model) {
    const uint32_t most = random_below(random_below(20) ? 300 : 200000);
    push_beside(tape, model, most, random_below(most + 1));
}

/* Room for some words, of which some are then used, or none. */
static void push_run(Tape *tape, Model *model) {
    const uint32_t room = random_below(random_below(20) ? 300 : 20000), least = room + RUN_END_WORDS + 1;
    const size_t bytes = tape->bytes;
    tape_reserve(tape, least);
    CHECK(tape->bytes == bytes && tape->chunk->room - tape->chunk->used >= least);
    if (!random_below(4)) return;
    end_run(tape, model, random_below(room + 1));
}

static void pop(Tape *tape, Model *model) {
    const Entry last = model->entries[--model->count];
    const uintptr_t mark = tape_last(tape);
    CHECK(is_part(mark) == (last.block == PART) && is_run(mark) == (last.block == RUN));
    if (is_part(mark)) {
        CHECK(marked_part(mark)->block == &blocks[last.first]);
        tape_drop_part(tape);
        return;
    }
    if (is_run(mark)) {
        CHECK(tape_last_run(tape)->entry == last.words);
        const Word *words = tape_pop_run(tape);
        for (uint32_t i = 0; i < last.words; i++) CHECK(words[i].birth == last.first + i);
        return;
    }
    CHECK(marked_block(mark) == &blocks[last.block]);
    if (random_below(2)) {
        tape_undo(tape, &blocks[last.block]);
        return;
    }
    const Word *words = tape_pop(tape, &blocks[last.block]);
    for (uint32_t i = 0; i < sizes[last.block]; i++) CHECK(words[i].birth == last.first + i);
}

static void random_order(Heap *heap, int steps) {
    static Model model;
    model.count = 0;
    start();
    Tape *tape = tape_create(heap);
    for (int step = 0; step < steps; step++) {
        const uint32_t choice = random_below(100);
        if (model.count == MOST || (model.count && choice < (step / 1000 % 2 ? 60u : 30u)))
            pop(tape, &model);
        else if (choice > 95)
            push_part(heap, tape, &model);
        else if (choice > 85)
            push_run(tape, &model);
        else if (choice > 80)
            push_run_beside(tape, &model);
        else
            push(tape, &model);
        CHECK(tape->bytes <= heap->bytes && (model.count || tape->bytes == 0));
    }
    if (random_below(2))
        while (model.count) pop(tape, &model);
    tape_destroy(tape);
}

/* Runs of threads do not fill their chunks: the tape holds little more than what they have. */
static void little_is_unused(Heap *heap) {
    static Model model;
    model.count = 0;
    Tape *tape = tape_create(heap);
    tape->bound = 8 << 20;
    while (tape->bytes < tape->bound) {
        if (!random_below(4)) tape_reserve(tape, 1 << 14);
        push_beside(tape, &model, 20000, random_below(8) ? 17000 : 1000);
    }
    CHECK(tape_held(tape) < tape->bytes + tape->bytes / 4);
    while (model.count) pop(tape, &model);
    CHECK(tape->bytes == 0);
    tape_destroy(tape);
}

/* Where memory ends the tape is a whole still: whoever holds it destroys it. */
static Tape *failing;

static void fill(Heap *heap) {
    static Model model;
    model.count = 0;
    for (int step = 0; step < 400; step++)
        if (random_below(10))
            push(failing, &model);
        else if (random_below(2))
            push_run(failing, &model);
        else
            push_part(heap, failing, &model);
}

static bool fills(Heap *heap) {
    jmp_buf place;
    heap->escape = &place;
    if (setjmp(place)) return false;
    fill(heap);
    return true;
}

static void a_tape_survives_failures(void) {
    for (int64_t at = 1;; at++) {
        Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
        start();
        failing = tape_create(heap);
        random_seed(3);
        heap->fail_at = at;
        const bool done = fills(heap);
        tape_destroy(failing);
        heap_check(heap);
        heap_destroy(heap);
        CHECK(alive_in_all == 0);
        if (done) return;
    }
}

int main(void) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Heap *heap = heap_create(SIZE_MAX, &TEST_HOOKS);
        random_seed(seed);
        random_order(heap, 6000);
        little_is_unused(heap);
        CHECK(heap->bytes == 0 && alive_in_all == 0);
        heap_check(heap);
        heap_destroy(heap);
    }
    a_tape_survives_failures();
    return 0;
}
