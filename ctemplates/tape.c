/* The tape: chunks of words, runs, and parts.
 *
 * In: blocks that run as a whole, and blocks of which a part is run. Out: their records, the last one first.
 *
 * What always holds: a record lies in one chunk; only the newest chunk may be empty. `bytes` counts the words in
 * use, the runs, and the parts with all that they have; the heap counts what has been allocated for them.
 */
#include "tape.h"

#include <string.h>

#include "bridge.h"
#include "numbers.h"

enum { FIRST_CHUNK = 1024, LARGEST_CHUNK = 256 * 1024, FIRST_RUNS = 8, FIRST_ORIGINS = 1 };

static size_t chunk_bytes(size_t room) { return sizeof(WordChunk) + room * sizeof(Word); }

Tape *tape_create(Heap *heap) {
    Tape *tape = heap_allocate(heap, sizeof(Tape));
    *tape = (Tape){.heap = heap};
    return tape;
}

static void free_chunk(Tape *tape) {
    WordChunk *chunk = tape->chunk;
    tape->chunk = chunk->previous;
    heap_free(tape->heap, chunk, chunk_bytes(chunk->room));
}

void tape_destroy(Tape *tape) {
    while (tape->run_count) {
        const TapeRun last = tape->runs[tape->run_count - 1];
        tape_drop_run(tape);
        if (!last.block) part_destroy(tape->heap, last.part);
    }
    while (tape->chunk) free_chunk(tape);
    heap_free(tape->heap, tape->runs, tape->run_room * sizeof(TapeRun));
    heap_free(tape->heap, tape, sizeof(Tape));
}

/* An empty chunk that is too small gives way. */
Word *tape_grow(Tape *tape, uint32_t words) {
    size_t bytes = FIRST_CHUNK;
    if (tape->chunk) {
        bytes = 2 * chunk_bytes(tape->chunk->room);
        if (bytes > LARGEST_CHUNK) bytes = LARGEST_CHUNK;
        if (tape->chunk->used == 0) free_chunk(tape);
    }
    size_t room = (bytes - sizeof(WordChunk)) / sizeof(Word);
    if (room < words) room = words;
    WordChunk *chunk = heap_allocate(tape->heap, chunk_bytes(room));
    chunk->previous = tape->chunk;
    chunk->used = words;
    chunk->room = room;
    tape->chunk = chunk;
    tape->bytes += words * sizeof(Word);
    return chunk->words;
}

TapeRun *tape_add_run(Tape *tape, const Block *block) {
    if (tape->run_count == tape->run_room) {
        const size_t room = tape->run_room ? 2 * tape->run_room : FIRST_RUNS;
        tape->runs = heap_resize(
            tape->heap, tape->runs, tape->run_room * sizeof(TapeRun), room * sizeof(TapeRun));
        tape->run_room = room;
    }
    TapeRun *run = &tape->runs[tape->run_count++];
    *run = (TapeRun){.block = block, .count = 0};
    tape->bytes += sizeof(TapeRun);
    return run;
}

void tape_drop_run(Tape *tape) {
    tape->run_count--;
    tape->bytes -= sizeof(TapeRun);
}

void tape_undo(Tape *tape, const Block *block) {
    tape_pop(tape, block);
    if (--tape->runs[tape->run_count - 1].count == 0) tape_drop_run(tape);
}

void tape_drop_chunk(Tape *tape) { free_chunk(tape); }

/* Parts. Where memory ends while one is made nothing is on the tape yet. */

Part *tape_add_part(Tape *tape, const Block *block, uint32_t start) {
    Heap *heap = tape->heap;
    const size_t value_bytes = block->value_count * sizeof(Value), note_bytes = block->note_count * sizeof(Word);
    Value *values = block->value_count ? heap_allocate(heap, value_bytes) : NULL;
    Word *notes = block->note_count ? heap_allocate(heap, note_bytes) : NULL;
    Part *part = heap_allocate(heap, sizeof(Part));
    *part = (Part){.block = block, .tape = tape, .start = start, .stop = start, .values = values, .notes = notes};
    for (uint32_t i = 0; i < block->value_count; i++) values[i] = nothing();
    if (notes) memset(notes, 0, note_bytes);
    tape_add_run(tape, NULL)->part = part;
    part->bytes = sizeof(Part) + value_bytes + note_bytes;
    tape->bytes += part->bytes;
    return part;
}

void part_destroy(Heap *heap, Part *part) {
    heap_discount(heap, part->reported);
    part->tape->bytes -= part->bytes;
    for (uint32_t i = 0; i < part->origin_count; i++) {
        const Origin origin = part->origins[i];
        if (origin.numbers) step_tape_destroy(heap, origin.numbers);
        if (origin.python) foreign_release(origin.python);
    }
    if (part->resumed) foreign_release(part->resumed);
    heap_free(heap, part->origins, part->origin_room * sizeof(Origin));
    heap_free(heap, part->unwound, part->unwound_room * sizeof(uint32_t));
    heap_free(heap, part->values, part->block->value_count * sizeof(Value));
    heap_free(heap, part->notes, part->block->note_count * sizeof(Word));
    heap_free(heap, part, sizeof(Part));
}

static void part_grew(Part *part, size_t bytes) {
    part->bytes += bytes;
    part->tape->bytes += bytes;
}

void part_report(Heap *heap, Part *part, size_t bytes) {
    heap_count(heap, bytes);
    part->reported += bytes;
    part_grew(part, bytes);
}

Origin *part_add_origin(Heap *heap, Part *part, int32_t key) {
    if (part->origin_count == part->origin_room) {
        const uint32_t room = part->origin_room ? 2 * part->origin_room : FIRST_ORIGINS;
        part->origins = heap_resize(
            heap, part->origins, part->origin_room * sizeof(Origin), room * sizeof(Origin));
        part->origin_room = room;
    }
    Origin *origin = &part->origins[part->origin_count++];
    *origin = (Origin){.key = key};
    part_grew(part, sizeof(Origin));
    return origin;
}

/* From the last on: it is reversed in that order. */
Origin *part_origin(const Part *part, int32_t key) {
    for (uint32_t i = part->origin_count; i-- > 0;)
        if (part->origins[i].key == key) return &part->origins[i];
    return NULL;
}

void part_add_unwound(Heap *heap, Part *part, uint32_t slots) {
    if (part->unwound_count == part->unwound_room) {
        const uint32_t room = part->unwound_room ? 2 * part->unwound_room : 4;
        part->unwound = heap_resize(
            heap, part->unwound, part->unwound_room * sizeof(uint32_t), room * sizeof(uint32_t));
        part->unwound_room = room;
    }
    part->unwound[part->unwound_count++] = slots;
    part_grew(part, sizeof(uint32_t));
}
