/* The tape of a segment: the blocks, parts and runs, in order, with their records.
 *
 * Words in chunks: for each block that ran as a whole its record (code.h), then its *mark*, the block; for each part
 * its mark alone; for each run of translated code (fast.h) its words, a RunEnd, and RUN_MARK. A record, or a run, and
 * its mark are never divided, so a tape can be read backwards from its end. Everything counts in heap->bytes, and in
 * `bytes`, which bounds a base case; so do the bytes that Python reports.
 */
#ifndef CK_TAPE_H
#define CK_TAPE_H

#include "memory/heap.h"

typedef union Word {
    uint64_t birth;
    int64_t field;
    double real;
    uintptr_t mark; /* the address of a Block; that of a Part and 1; RUN_MARK */
} Word;

/* The residuals of one step: a Python object (checkpoint.interp.hybrid's origins), the tape of one step of
 * arithmetic on duals (step_tape.h), that of copies (copies.h), or the values of a step on whole values (whole.h). */
typedef struct Origin {
    int32_t key; /* code.h */
    void *python; /* PyObject *, or NULL */
    struct StepTape *numbers; /* or NULL */
    struct Copies *copies; /* or NULL */
    struct Whole *whole; /* or NULL */
} Origin;

/* A part of a block that was run step by step, from the step `start` up to, not including, `stop`.
 * ended: the end was passed. raised: the step at `stop`, or the end, raised. Else it stopped before `stop`. */
typedef struct Part {
    const Block *block;
    struct Tape *tape;
    struct Part *previous; /* of the same tape */
    uint32_t start, stop;
    bool ended, raised;
    uint32_t values_kept; /* how many of them there are so far */
    Value *values; /* block->value_count: REAL, INTEGER and BOOLEAN as they are; FOREIGN: the real nearest
                    * to a larger integer; NOTHING for all others */
    Word *notes;   /* block->note_count */
    uint32_t origin_count, origin_room;
    Origin *origins;
    size_t bytes, reported; /* all its bytes; of these, those that Python reported */
    uint32_t unwound_count, unwound_room; /* frames that a raise removed, the top first: how many slots each had */
    uint32_t *unwound;
    uint32_t stripped;      /* how many frames of j* were among them */
    void *resumed;          /* of `resume`: the capsule, a PyObject * */
} Part;

/* The end of a run of translated code on the tape, without the mark: see fast.h. */
typedef struct Unit Unit;
typedef struct RunEnd {
    const Unit *unit;
    uint32_t entry, exit; /* the entry and the exit of the run: numbers of the unit */
    uint32_t words;       /* header, records, ways and this */
    uint32_t ways;        /* how many bytes */
} RunEnd;

enum { RUN_END_WORDS = sizeof(RunEnd) / sizeof(Word) };
#define RUN_MARK ((uintptr_t)2)

typedef struct WordChunk {
    struct WordChunk *previous;
    size_t used, room; /* words */
    size_t filled;     /* of a tape that is kept: how many were in use when its reversal began */
    Word words[];
} WordChunk;

/* What a tape that is kept had when its reversal began. chunks: those that have been read since, the last read first. */
typedef struct KeptTape {
    bool is_kept;
    WordChunk *chunks;
    Part *parts;
    size_t bytes, spare;
} KeptTape;

typedef struct Tape {
    Heap *heap;
    WordChunk *chunk;
    Part *parts; /* the last one */
    size_t bytes;
    size_t spare; /* bytes that are not in use in all chunks but the newest */
    size_t bound; /* its expected maximum in bytes: no chunk is larger than an eighth of it */
    KeptTape kept;
    Value *held; /* what its runs refer to by address: objects of Python's */
    size_t held_count, held_room;
} Tape;

size_t tape_held(const Tape *tape); /* its bytes, and what is not in use of its chunks */
Tape *tape_create(Heap *heap); /* its bound: none, until it is set */
void tape_destroy(Tape *tape); /* holds the GIL: parts have Python objects */

/* Between these two calls what is removed from the tape is not destroyed, and the second one puts it back: a reversal
 * between them does not use the tape up. The second may come at any time. */
void tape_keep(Tape *tape);
void tape_rewind(Tape *tape);

Word *tape_grow(Tape *tape, size_t words); /* called by tape_take when the chunk is full */
static inline Word *tape_take(Tape *tape, size_t words) {
    WordChunk *chunk = tape->chunk;
    if (UNLIKELY(!chunk || chunk->room - chunk->used < words)) return tape_grow(tape, words);
    Word *taken = chunk->words + chunk->used;
    chunk->used += words;
    tape->bytes += words * sizeof(Word);
    return taken;
}

/* Keeps an object until the tape is destroyed; takes the reference. */
void tape_hold(Tape *tape, Value object);

/* Returns how many words there is room for in the newest chunk. */
static inline size_t tape_rest(const Tape *tape) { return tape->chunk ? tape->chunk->room - tape->chunk->used : 0; }

/* Makes room for at least so many words in the newest chunk; they are not taken. */
void tape_reserve(Tape *tape, size_t words);

/* Chunks beside the tape, with room for so many words at least, which other threads may fill: tape_link makes one the
 * newest, with nothing in use; the other one frees it. */
WordChunk *tape_beside(Tape *tape, size_t words);
void tape_link(Tape *tape, WordChunk *chunk);
void tape_unlinked(Tape *tape, WordChunk *chunk);

/* Moves what the newest chunk has to the one before it, where that has room for it that would be lost. */
void tape_join(Tape *tape);

/* Returns room for the record of a block that is about to run as a whole. */
static inline Word *tape_push(Tape *tape, const Block *block) {
    const uint32_t size = block->record_size;
    Word *record = tape_take(tape, size + UINT64_C(1));
    record[size].mark = (uintptr_t)block;
    return record;
}
void tape_undo(Tape *tape, const Block *block); /* undoes the last tape_push: the block becomes a part */

/* Returns the last mark; 0: the tape is empty. */
uintptr_t tape_last_in_previous(Tape *tape);
static inline uintptr_t tape_last(Tape *tape) {
    const WordChunk *chunk = tape->chunk;
    if (UNLIKELY(!chunk || !chunk->used)) return tape_last_in_previous(tape);
    return chunk->words[chunk->used - 1].mark;
}
static inline bool is_part(uintptr_t mark) { return mark & 1; }
static inline bool is_run(uintptr_t mark) { return mark == RUN_MARK; }
static inline const Block *marked_block(uintptr_t mark) { return (const Block *)mark; }
static inline Part *marked_part(uintptr_t mark) { return (Part *)(mark - 1); }

/* Removes the last block, whose mark has been read, from the tape; the words of its record are valid until the next
 * operation on the tape. */
static inline const Word *tape_pop(Tape *tape, const Block *block) {
    const size_t words = block->record_size + UINT64_C(1);
    tape->chunk->used -= words;
    tape->bytes -= words * sizeof(Word);
    return tape->chunk->words + tape->chunk->used;
}

/* Where the words of a run begin, and its ways. */
static inline const Word *run_words(const RunEnd *end) {
    return (const Word *)(const void *)end - (end->words - RUN_END_WORDS);
}
static inline const Word *run_ways(const RunEnd *end) {
    return (const Word *)(const void *)end - (end->ways + sizeof(Word) - 1) / sizeof(Word);
}

/* Runs: tape_last_run returns the end of the last one, whose mark has been read; the other removes it, like
 * tape_pop. */
static inline const RunEnd *tape_last_run(const Tape *tape) {
    return (const RunEnd *)(const void *)(tape->chunk->words + tape->chunk->used - 1 - RUN_END_WORDS);
}
/* Places between what is on the tape. tape_run_below moves one down by the run that ends there, and returns its end; NULL:
 * there is no run. */
typedef struct TapePlace {
    const WordChunk *chunk;
    size_t used;
} TapePlace;
static inline TapePlace tape_top(const Tape *tape) { return (TapePlace){tape->chunk, tape->chunk ? tape->chunk->used : 0}; }
const RunEnd *tape_run_below(TapePlace *place);
static inline const Word *tape_pop_run(Tape *tape) {
    const size_t words = tape_last_run(tape)->words + UINT64_C(1);
    tape->chunk->used -= words;
    tape->bytes -= words * sizeof(Word);
    return tape->chunk->words + tape->chunk->used;
}

/* Parts: values have the tag NOTHING, notes are 0. */
Part *tape_add_part(Tape *tape, const Block *block, uint32_t start);
void tape_drop_part(Tape *tape); /* the last mark is that of a part, which is destroyed; holds the GIL */
Origin *part_add_origin(Heap *heap, Part *part, int32_t key);
void part_add_numbers(Heap *heap, Part *part, int32_t key, struct StepTape *numbers); /* takes it */
void part_take_copies(Heap *heap, Part *part, int32_t key, struct Copies *copies); /* takes them */
void part_add_whole(Heap *heap, Part *part, int32_t key, struct Whole *whole); /* takes it */
Origin *part_origin(const Part *part, int32_t key); /* NULL: there is none */
void part_add_unwound(Heap *heap, Part *part, uint32_t slots); /* one more frame that a raise removes */
void part_report(Heap *heap, Part *part, size_t bytes); /* the bytes of an origin in Python */

#endif
