/* The tape of a stretch: what was run, in order, and what it recorded.
 *
 * `runs` tells which blocks ran as a whole, run-length coded, and the parts. Records of whole blocks are words
 * in chunks, one record never divided (code.h says what is in one). A Part stands for itself.
 * Everything counts in heap->bytes, and in `bytes`, which bounds a base case; so do bytes that Python reports.
 */
#ifndef CK_TAPE_H
#define CK_TAPE_H

#include "heap.h"

typedef union Word {
    uint64_t birth;
    int64_t field;
    double real;
} Word;

/* What a step found out when it ran, for its reversal: a Python object (checkpoint.interp.hybrid's origins), or
 * the tape of one step of arithmetic on duals (numbers.h). */
typedef struct Origin {
    int32_t key; /* the step; END_ORIGIN; or STRIPPED_ORIGIN - k of the k-th stripping */
    void *python; /* PyObject *, or NULL */
    struct StepTape *numbers; /* or NULL */
} Origin;
enum { END_ORIGIN = -1, STRIPPED_ORIGIN = -2 };

/* A part of a block that was run step by step, from the step `start` up to, not including, `stop`.
 * ended: the end was passed. raised: the step at `stop`, or the end, raised. Else it stopped before `stop`. */
typedef struct Part {
    const Block *block;
    struct Tape *tape;
    uint32_t start, stop;
    bool ended, raised;
    uint32_t values_kept; /* how many of them there are so far */
    Value *values; /* block->value_count: REAL, INTEGER and BOOLEAN as they are, of others the tag alone */
    Word *notes;   /* block->note_count */
    uint32_t origin_count, origin_room;
    Origin *origins;
    size_t bytes, reported; /* all that it has; of these, what Python reported */
    uint32_t unwound_count, unwound_room; /* frames that a raise removed, the top first: how many slots each had */
    uint32_t *unwound;
    uint32_t stripped;      /* how many frames of j* were among them */
    void *resumed;          /* of `resume`: the capsule, a PyObject * */
} Part;

typedef struct TapeRun {
    const Block *block; /* NULL: the part */
    union {
        uint64_t count;
        Part *part;
    };
} TapeRun;

typedef struct WordChunk {
    struct WordChunk *previous;
    size_t used, room; /* words */
    Word words[];
} WordChunk;

typedef struct Tape {
    Heap *heap;
    WordChunk *chunk;
    TapeRun *runs;
    size_t run_count, run_room;
    size_t bytes;
} Tape;

Tape *tape_create(Heap *heap);
void tape_destroy(Tape *tape); /* holds the GIL: parts have Python objects */

Word *tape_grow(Tape *tape, uint32_t words); /* what tape_push does when the chunk is full */
TapeRun *tape_add_run(Tape *tape, const Block *block);

/* Room for the record of a block that is about to run as a whole. */
static inline Word *tape_push(Tape *tape, const Block *block) {
    TapeRun *last = tape->run_count ? &tape->runs[tape->run_count - 1] : NULL;
    if (UNLIKELY(!last || last->block != block)) last = tape_add_run(tape, block);
    last->count++;
    WordChunk *chunk = tape->chunk;
    if (UNLIKELY(!chunk || chunk->room - chunk->used < block->record_size))
        return tape_grow(tape, block->record_size);
    Word *record = chunk->words + chunk->used;
    chunk->used += block->record_size;
    tape->bytes += block->record_size * sizeof(Word);
    return record;
}
void tape_undo(Tape *tape, const Block *block); /* takes the last tape_push back: it will be a part */

/* Takes the record of the last block, which is `block`, off the tape; the words are the caller's until the tape
 * changes. Its run is left as it is: who reverses the whole of it drops it then. */
void tape_drop_chunk(Tape *tape);
static inline const Word *tape_pop(Tape *tape, const Block *block) {
    const uint32_t words = block->record_size;
    if (UNLIKELY(tape->chunk->used < words)) tape_drop_chunk(tape); /* it is empty */
    tape->chunk->used -= words;
    tape->bytes -= words * sizeof(Word);
    return tape->chunk->words + tape->chunk->used;
}
void tape_drop_run(Tape *tape); /* the last one; its records, or part, have been taken off */

/* Parts: values have the tag NOTHING, notes are 0. The part that is destroyed is in the tape's last run, which is
 * to be dropped at once. */
Part *tape_add_part(Tape *tape, const Block *block, uint32_t start);
void part_destroy(Heap *heap, Part *part); /* holds the GIL */
Origin *part_add_origin(Heap *heap, Part *part, int32_t key);
Origin *part_origin(const Part *part, int32_t key); /* NULL: there is none */
void part_add_unwound(Heap *heap, Part *part, uint32_t slots); /* one more frame that a raise removes */
void part_report(Heap *heap, Part *part, size_t bytes); /* Python says what an origin has */

#endif
