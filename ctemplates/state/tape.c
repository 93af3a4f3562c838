/* The tape: chunks of words, and parts.
 *
 * What always holds: a record is in one chunk with its mark; only the newest chunk may be empty. `bytes` counts the
 * words in use, and the parts with all their memory; the heap counts what is allocated for them.
 *
 * Chunks grow up to large pages (pages.h), which the system provides much sooner than as many bytes of small ones; the last
 * one is what the bound of the tape leaves. Where the bound is less than two large pages, they grow up to about an eighth of
 * it. Freed chunks go to the heap's shelf for the next tape, about as many as fit in the bound: memory that has been used is
 * faster than new memory.
 *
 * A tape that is kept is read like any other, and `used`, `parts` and so on say how far; its chunks and parts stay.
 */
#include "state/tape.h"

#include <string.h>

#include "memory/pages.h"
#include "scalars/step_tape.h"
#include "state/copies.h"
#include "state/whole.h"

enum {
    FIRST_CHUNK = 1024,
    LARGEST_CHUNK = LARGE_PAGE - 256, /* with what the heap adds */
    SHELVED = 64 * 1024,              /* a chunk of so many bytes may be a much larger one from the shelf */
    LOST = 16,                        /* of a chunk's words a smaller part (1 / LOST) may remain unused */
    FIRST_ORIGINS = 1
};

static size_t chunk_bytes(size_t room) { return sizeof(WordChunk) + room * sizeof(Word); }

Tape *tape_create(Heap *heap) {
    Tape *tape = heap_allocate(heap, sizeof(Tape));
    *tape = (Tape){.heap = heap, .bound = SIZE_MAX};
    return tape;
}

static size_t unused_bytes(const WordChunk *chunk) {
    return chunk ? chunk_bytes(chunk->room) - chunk->used * sizeof(Word) : 0;
}

size_t tape_held(const Tape *tape) { return tape->bytes + tape->spare + unused_bytes(tape->chunk); }

void tape_unlinked(Tape *tape, WordChunk *chunk) {
    const size_t bytes = chunk_bytes(chunk->room), most = tape->bound < SIZE_MAX / 2 ? tape->bound : LARGEST_CHUNK;
    if (bytes < SHELVED)
        heap_free(tape->heap, chunk, bytes);
    else
        heap_to_shelf(tape->heap, FOR_TAPES, chunk, bytes, most);
}

static void free_chunk(Tape *tape) {
    WordChunk *chunk = tape->chunk;
    tape->chunk = chunk->previous;
    tape->spare -= unused_bytes(tape->chunk);
    if (!tape->kept.is_kept) {
        tape_unlinked(tape, chunk);
        return;
    }
    chunk->previous = tape->kept.chunks;
    tape->kept.chunks = chunk;
}

void tape_keep(Tape *tape) {
    for (WordChunk *chunk = tape->chunk; chunk; chunk = chunk->previous) chunk->filled = chunk->used;
    tape->kept = (KeptTape){.is_kept = true, .parts = tape->parts, .bytes = tape->bytes, .spare = tape->spare};
}

void tape_rewind(Tape *tape) {
    const KeptTape kept = tape->kept;
    if (!kept.is_kept) return;
    for (WordChunk *chunk = kept.chunks, *next; chunk; chunk = next) {
        next = chunk->previous;
        chunk->previous = tape->chunk;
        tape->chunk = chunk;
    }
    for (WordChunk *chunk = tape->chunk; chunk; chunk = chunk->previous) chunk->used = chunk->filled;
    tape->parts = kept.parts;
    tape->bytes = kept.bytes;
    tape->spare = kept.spare;
    tape->kept = (KeptTape){.is_kept = false};
}

void tape_destroy(Tape *tape) {
    tape_rewind(tape);
    for (uintptr_t mark; (mark = tape_last(tape));)
        if (is_part(mark))
            tape_drop_part(tape);
        else if (is_run(mark))
            tape_pop_run(tape);
        else
            tape_pop(tape, marked_block(mark));
    while (tape->chunk) free_chunk(tape);
    for (size_t i = 0; i < tape->held_count; i++) drop(tape->heap, tape->held[i]);
    heap_free(tape->heap, tape->held, tape->held_room * sizeof(Value));
    heap_free(tape->heap, tape, sizeof(Tape));
}

/* Returns a large page, or a power of 2, so that the chunks of one tape serve the next one, whose bound is nearly the same. */
static size_t largest_chunk(const Tape *tape) {
    size_t most = LARGEST_CHUNK;
    if (tape->bound / 2 >= LARGE_PAGE) return most;
    for (most = FIRST_CHUNK; most <= tape->bound / 16; most *= 2) {}
    return most < MAPPED && tape->bound >= 2 * MAPPED ? MAPPED : most;
}

static WordChunk *new_chunk(Tape *tape, size_t bytes, size_t most) {
    WordChunk *chunk = NULL;
    size_t found = bytes;
    if (bytes >= SHELVED) chunk = heap_from_shelf(tape->heap, FOR_TAPES, bytes, most, &found);
    if (!chunk) chunk = heap_allocate(tape->heap, bytes);
    chunk->room = (found - sizeof(WordChunk)) / sizeof(Word);
    return chunk;
}

/* Returns the bytes of a chunk that takes all that the bound leaves, and the record by which the tape exceeds it. */
static size_t bytes_left(const Tape *tape) {
    const size_t bytes = tape->bytes < tape->bound ? tape->bound - tape->bytes : 0;
    return chunk_bytes(bytes / sizeof(Word)) + FIRST_CHUNK;
}

/* Adds a chunk with room for so many words at least. An empty chunk that is too small is replaced. */
static void add_chunk(Tape *tape, size_t words) {
    if (tape->chunk && tape->chunk->used == 0) free_chunk(tape);
    const size_t least = chunk_bytes(words), left = bytes_left(tape);
    size_t bytes = tape->chunk ? 4 * chunk_bytes(tape->chunk->room) : FIRST_CHUNK, most = largest_chunk(tape);
    if (most > left) most = left;
    if (most < least) most = least;
    if (bytes > most) bytes = most;
    if (bytes < least) bytes = least;
    tape_link(tape, new_chunk(tape, bytes, most));
}

/* Returns the bytes of whole large pages less what the heap adds, or so many where that is less than half of one. */
static size_t bytes_beside(size_t bytes) {
    const size_t rest = LARGE_PAGE - LARGEST_CHUNK;
    return bytes < LARGEST_CHUNK / 2 ? bytes : (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE - rest;
}

WordChunk *tape_beside(Tape *tape, size_t words) {
    const size_t bytes = bytes_beside(chunk_bytes(words));
    return new_chunk(tape, bytes, bytes);
}

void tape_link(Tape *tape, WordChunk *chunk) {
    if (tape->chunk && tape->chunk->used == 0) free_chunk(tape);
    tape->spare += unused_bytes(tape->chunk);
    chunk->previous = tape->chunk;
    chunk->used = 0;
    tape->chunk = chunk;
}

void tape_join(Tape *tape) {
    const WordChunk *last = tape->chunk;
    WordChunk *before = last->previous;
    if (!before || before->room - before->used < last->used || before->room - before->used < before->room / LOST) return;
    memcpy(before->words + before->used, last->words, last->used * sizeof(Word));
    const size_t used = last->used;
    free_chunk(tape);
    before->used += used;
}

Word *tape_grow(Tape *tape, size_t words) {
    add_chunk(tape, words);
    tape->chunk->used = words;
    tape->bytes += words * sizeof(Word);
    return tape->chunk->words;
}

void tape_reserve(Tape *tape, size_t words) {
    if (tape_rest(tape) < words) add_chunk(tape, words);
}

uintptr_t tape_last_in_previous(Tape *tape) {
    if (tape->chunk && tape->chunk->previous) free_chunk(tape);
    const WordChunk *chunk = tape->chunk;
    return chunk && chunk->used ? chunk->words[chunk->used - 1].mark : 0;
}

const RunEnd *tape_run_below(TapePlace *place) {
    const WordChunk *chunk = place->chunk;
    size_t used = place->used;
    while (chunk && !used) {
        chunk = chunk->previous;
        used = chunk ? chunk->used : 0;
    }
    if (!chunk || !is_run(chunk->words[used - 1].mark)) return NULL;
    const RunEnd *end = (const RunEnd *)(const void *)(chunk->words + used - 1 - RUN_END_WORDS);
    *place = (TapePlace){chunk, used - end->words - 1};
    return end;
}

void tape_hold(Tape *tape, Value object) {
    if (tape->held_count == tape->held_room) {
        const size_t before = tape->held_room, room = before ? 2 * before : 4;
        tape->held = heap_resize(tape->heap, tape->held, before * sizeof(Value), room * sizeof(Value));
        tape->held_room = room;
        tape->bytes += (room - before) * sizeof(Value);
    }
    tape->held[tape->held_count++] = object;
}

void tape_undo(Tape *tape, const Block *block) { tape_pop(tape, block); }

/* Parts. If memory runs out while one is made, nothing is on the tape yet. */

Part *tape_add_part(Tape *tape, const Block *block, uint32_t start) {
    Heap *heap = tape->heap;
    const size_t value_bytes = block->value_count * sizeof(Value), note_bytes = block->note_count * sizeof(Word);
    Value *values = block->value_count ? heap_allocate(heap, value_bytes) : NULL;
    Word *notes = block->note_count ? heap_allocate(heap, note_bytes) : NULL;
    Part *part = heap_allocate(heap, sizeof(Part));
    *part = (Part){.block = block, .tape = tape, .start = start, .stop = start, .values = values, .notes = notes};
    for (uint32_t i = 0; i < block->value_count; i++) values[i] = nothing();
    if (notes) memset(notes, 0, note_bytes);
    tape_take(tape, 1)->mark = (uintptr_t)part + 1;
    part->previous = tape->parts;
    tape->parts = part;
    part->bytes = sizeof(Part) + value_bytes + note_bytes;
    tape->bytes += part->bytes;
    return part;
}

void tape_drop_part(Tape *tape) {
    Heap *heap = tape->heap;
    Part *part = marked_part(tape_last(tape));
    tape->chunk->used--;
    tape->parts = part->previous;
    tape->bytes -= sizeof(Word) + part->bytes;
    if (tape->kept.is_kept) return;
    heap_unreport(heap, part->reported);
    for (uint32_t i = 0; i < part->origin_count; i++) {
        const Origin origin = part->origins[i];
        if (origin.numbers) step_tape_destroy(heap, origin.numbers);
        if (origin.copies) copies_destroy(heap, origin.copies);
        if (origin.whole) whole_destroy(heap, origin.whole);
        if (origin.python) heap_release_python(heap, origin.python);
    }
    if (part->resumed) heap_release_python(heap, part->resumed);
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
    heap_report(heap, bytes);
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

void part_add_numbers(Heap *heap, Part *part, int32_t key, struct StepTape *numbers) {
    part_add_origin(heap, part, key)->numbers = numbers;
    part_grew(part, step_tape_bytes(numbers));
}

void part_take_copies(Heap *heap, Part *part, int32_t key, Copies *copies) {
    part_add_origin(heap, part, key)->copies = copies;
    part_grew(part, copies_bytes(copies));
}

void part_add_whole(Heap *heap, Part *part, int32_t key, Whole *whole) {
    part_add_origin(heap, part, key)->whole = whole;
    part_grew(part, sizeof(Whole));
}

/* Searches from the last origin on: they are reversed in that order. */
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
