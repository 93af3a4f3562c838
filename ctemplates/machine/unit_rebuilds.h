/* Lists that are rebuilt in place: part of translated.h, whose vocabulary it needs (translate/emit/rebuilds.py).
 *
 * A recursion walks along a list, saves reals in a frame in each turn, and as it returns makes as many pairs of them as
 * the turn has left. Where nobody else refers to the list, a turn stores the reals in its pairs instead: it *waits*, with
 * no frame. When the turns behind it have returned, all that wait return at once.
 *
 * What always holds: the pairs of turns that wait have one reference each, and are linked in their order. Whoever pushes
 * another frame, or leaves the unit, pushes theirs before. Births are those that the frames would have given: the last
 * pair has the first one, so they are known when the recursion turns round. Until then pairs have the births that
 * are expected.
 */
#ifndef CK_UNIT_REBUILDS_H
#define CK_UNIT_REBUILDS_H

/* LAST_TURNS: as many frames are popped before a unit has the list behind them in a place. MOST_PAIRS: of one turn. */
enum { LAST_TURNS = 3, MOST_PAIRS = 8 };

typedef struct Waiting {
    int64_t turns;
    Value *at;     /* where their frames would begin; NULL: no turn waits */
    Object *first; /* the first pair of the first turn */
    Object *last[LAST_TURNS]; /* the first pairs of the last turns, the last one first; NULL: not known */
    int64_t births; /* the next one when the first turn began */
    int64_t uneven; /* how many stretches they are whose pairs are at one distance */
} Waiting;

/* The frames of such a recursion. order: for each pair of a turn, the outer ones first, which saved real it has. */
typedef struct TurnFrame {
    const void *point;
    const uint8_t *order;
    uint32_t pairs; /* of a turn; as many reals are saved */
} TurnFrame;

/* Returns whether a list's pair, to which the list's own reference is ours, has no other. */
INLINE bool is_ours(Value pair) { return pair.object->count == 1; }
INLINE Cells *rest_of(const Cells *pair) { return (Cells *)pair->cells[1].object; }

/* Returns the word of the header of the first pair of a list (object_word), with the birth that it is expected to get: that
 * of the second turn's is as far behind the next one as when the list before the last one was rebuilt. Programs that go over
 * a list again and again mostly do so in one or two ways by turns. Each pair behind has one less. pairs: of a turn. */
INLINE uint64_t word_expected(const Machine *m, int64_t births, uint32_t pairs) {
    return object_word(PAIR, (uint64_t)(births + m->heap->rebuilt[1] + pairs) & LARGEST_BIRTH, PAIR_CLASS);
}
/* Returns whether a pair, whose cotangents are wanted, has a birth. */
INLINE bool was_born(Value pair, uint64_t birth) {
    uint64_t word;
    __builtin_memcpy(&word, (const char *)pair.object + sizeof word, sizeof word);
    return word == object_word(PAIR, birth, PAIR_CLASS);
}

/* Makes a pair another one, with one reference and the same rest. word: of its header. */
INLINE void rebuild_pair(Value pair, double real, uint64_t word) {
    Cells *cells = (Cells *)pair.object;
    object_set_word(&cells->head, word);
    cells->cells[0].real = real;
}
/* Notes that turns have waited whose first pairs are at one distance. pair: what is as far behind the last one. */
INLINE void turns_waited(Waiting *waiting, Value pair, int64_t turns, uintptr_t distance) {
    waiting->turns += turns;
    waiting->uneven++;
    for (int64_t i = turns < LAST_TURNS ? turns : LAST_TURNS; i > 0; i--) {
        for (int k = LAST_TURNS - 1; k > 0; k--) waiting->last[k] = waiting->last[k - 1];
        waiting->last[0] = (Object *)((uintptr_t)pair.object - (uintptr_t)i * distance);
    }
}

/* Pairs that are alike: each has one reference, a real, and as its rest the pair at one distance. */
INLINE uintptr_t rest_apart(Value pair) { return (uintptr_t)cells_of(pair)[1].object - (uintptr_t)pair.object; }
INLINE Value pair_apart(Value pair, uintptr_t distance) {
    return of_object(PAIR, (void *)((uintptr_t)pair.object + distance));
}
INLINE bool is_alike(Value pair, uintptr_t apart) { /* one jump: five would take longer than the turn itself */
    const Value *cells = cells_of(pair);
    const uintptr_t other_rest = (uintptr_t)cells[1].object ^ ((uintptr_t)pair.object + apart);
    return !((pair.object->count ^ 1) | (cells[0].tag ^ REAL) | (cells[1].tag ^ PAIR) | other_rest);
}

/* Pushes a frame of what the pairs of a turn have, and frees them; returns the pair behind. */
INLINE Cells *turn_pushed(Machine *m, Frames *frames, const TurnFrame *frame, Cells *pair) {
    Value *saved = push(m, frames, frame->point, frame->pairs, NULL);
    for (uint32_t i = 0; i < frame->pairs; i++) {
        Cells *rest = rest_of(pair);
        store(&saved[frame->order[i]], load(&pair->cells[0]));
        heap_put(m->heap, pair, PAIR_CLASS);
        pair = rest;
    }
    return pair;
}
/* Pushes the frames of all turns that wait, below those that last_pushed has pushed. */
static __attribute__((noinline, unused)) Frames turns_pushed(Machine *m, Frames frames, Waiting *waiting, TurnFrame frame) {
    Value above[LAST_TURNS * (MOST_PAIRS + 1)];
    const size_t words = frame.pairs + 1, count = (size_t)(frames.top - waiting->at) / words;
    __builtin_memcpy(above, waiting->at, count * words * sizeof *above);
    frames.top = waiting->at;
    Cells *pair = (Cells *)waiting->first;
    for (int64_t i = 0; i < waiting->turns; i++) pair = turn_pushed(m, &frames, &frame, pair);
    for (size_t i = 0; i < count; i++) {
        Value *saved = push(m, &frames, frame.point, frame.pairs, NULL);
        __builtin_memcpy(saved, above + i * words, frame.pairs * sizeof *saved);
    }
    *waiting = (Waiting){0};
    return frames;
}
/* Pushes the frame of the last turn that waits, which is popped next; of all, if that turn is not known or it has no room. */
static __attribute__((noinline, unused)) Frames last_pushed(Machine *m, Frames frames, Waiting *waiting, TurnFrame frame) {
    Cells *pair = (Cells *)waiting->last[0];
    if (!pair || frames.end - frames.top < (ptrdiff_t)frame.pairs + 1) return turns_pushed(m, frames, waiting, frame);
    turn_pushed(m, &frames, &frame, pair);
    for (int i = 1; i < LAST_TURNS; i++) waiting->last[i - 1] = waiting->last[i];
    waiting->last[LAST_TURNS - 1] = NULL;
    if (--waiting->turns == 0) *waiting = (Waiting){0};
    return frames;
}

/* Gives pairs the births that they have, if others were expected. pair: the second turn's first one; born: its birth;
 * births: the next one when the first turn began. */
INLINE void births_known(Heap *heap, Cells *pair, int64_t pairs, int64_t born, int64_t births) {
    const int64_t ahead = born - births;
    const bool expected = ahead == heap->rebuilt[1];
    heap->rebuilt[1] = heap->rebuilt[0];
    heap->rebuilt[0] = ahead;
    if (expected) return;
    for (; pairs > 0; pairs--, pair = rest_of(pair))
        object_set_word(&pair->head, object_word(PAIR, (uint64_t)born-- & LARGEST_BIRTH, PAIR_CLASS));
}
/* Returns from one turn, of whose frame the reals are in `saved`, and from all that wait but the first, whose reals are
 * then in `saved`. list: the result of what is behind; birth: the next one. Returns the result of the second turn. */
static __attribute__((noinline, unused)) Value turns_rebuilt(Heap *heap, Waiting *waiting, TurnFrame frame, Value list,
                                                            double *saved, int64_t birth) {
    const Waiting waited = *waiting;
    Cells *pair = (Cells *)waited.first, *link = (Cells *)waited.last[0];
    for (uint32_t i = 1; i < frame.pairs; i++) link = rest_of(link);
    for (uint32_t i = frame.pairs; i-- > 0; birth++) {
        Cells *made = new_born_cells(heap, PAIR, 2, birth);
        store(&made->cells[0], of_real(saved[frame.order[i]]));
        store(&made->cells[1], list);
        list = of_object(PAIR, made);
    }
    /* The last pair that is freed is the first one that is taken: so each has the block that it had before. */
    for (uint32_t i = 0; i < frame.pairs; i++) {
        Cells *rest = rest_of(pair);
        saved[frame.order[i]] = pair->cells[0].real;
        heap_put(heap, pair, PAIR_CLASS);
        pair = rest;
    }
    *waiting = (Waiting){0};
    heap->uneven += waited.uneven;
    const int64_t others = (waited.turns - 1) * frame.pairs;
    if (others == 0) return list;
    store(&link->cells[1], list);
    births_known(heap, pair, others, birth + others - 1, waited.births);
    return of_object(PAIR, pair);
}

/* The reversal of turns that have waited, several at once. `from`: the accumulators of the next turn's frame, which are popped;
 * `to`: those of its pairs, in a row, and `bit` that of the first of them; `present`: the bits of those that got something. */
typedef struct Stretch {
    const Value *from;
    Value *to;
    BirthRow *row;
    uint64_t bit, present;
    int64_t turns;
} Stretch;

/* Returns how many turns are reversed so: those whose accumulators are in the row that was used last, and in the top chunk,
 * which keeps one. born: the birth of the next turn's last pair. */
INLINE Stretch stretch_begun(Cotangent *c, uint64_t born, uint32_t pairs, int64_t turns) {
    Stretch stretch = {.row = born ? row_used(c, born, 0) : NULL};
    const AccumulatorChunk *chunk = c->stack;
    if (UNLIKELY(!stretch.row || !chunk || !chunk->count)) return stretch;
    const int64_t in_row = (int64_t)(ROW_BIRTHS - born % ROW_BIRTHS) / pairs, in_chunk = (int64_t)(chunk->count - 1) / pairs;
    stretch.turns = turns < in_row ? turns : in_row;
    if (in_chunk < stretch.turns) stretch.turns = in_chunk;
    const uint64_t others = (uint64_t)stretch.turns * pairs - 1;
    if (UNLIKELY(!stretch.turns || born + others - c->unread < c->unread_count + others)) return (Stretch){0};
    stretch.from = &chunk->cotangents[chunk->count - pairs];
    stretch.to = &stretch.row->cotangents[born % ROW_BIRTHS];
    stretch.bit = birth_row_bit(born);
    return stretch;
}
/* Returns whether the pairs of the next turn have plain accumulators. */
INLINE bool stretch_goes_on(const Stretch *stretch, uint32_t pairs, int64_t turns) {
    uint32_t tags = 0;
    if (turns == stretch->turns) return false;
    FOR_EACH(i, pairs) tags |= stretch->to[i].tag;
    return LIKELY(tags == REAL);
}
INLINE void stretch_give(Stretch *stretch, uint32_t pair, double cotangent) {
    if (UNLIKELY(cotangent == 0.0)) return;
    stretch->present |= stretch->bit << pair;
    stretch->to[pair].real += cotangent;
}
INLINE void stretch_next(Stretch *stretch, uint32_t pairs) {
    stretch->from -= pairs;
    stretch->to += pairs;
    stretch->bit <<= pairs;
}
/* Notes that some turns were reversed, the first of which has the birth `born`. */
INLINE void stretch_ended(Cotangent *c, const Stretch *stretch, uint64_t born, uint32_t pairs, int64_t turns) {
    if (UNLIKELY(!turns)) return;
    c->stack_count -= (size_t)turns * pairs;
    c->stack->count -= (size_t)turns * pairs;
    c->last_birth = born + (uint64_t)(turns - 1) * pairs;
    stretch->row->present |= stretch->present;
}

/* Does the same as turns_unmade for as many turns as have their accumulators in the row that was used last, which keeps some,
 * and room in the top chunk. birth: behind the first one's. Returns how many these are. */
INLINE int64_t turns_unmade_together(Cotangent *c, TurnFrame frame, int64_t turns, uint64_t birth, double *saved) {
    AccumulatorChunk *chunk = c->stack;
    BirthRow *row = row_used(c, birth - 1, 0);
    if (UNLIKELY(!row || !chunk)) return 0;
    const uint64_t in_row = (birth - 1) % ROW_BIRTHS + 1;
    int64_t count = (int64_t)in_row / frame.pairs, room = (int64_t)(chunk->room - chunk->count) / frame.pairs;
    if (turns < count) count = turns;
    if (room < count) count = room;
    uint64_t kept = 0; /* the bits of others */
    for (; count > 0; count--) {
        const uint64_t births = (uint64_t)count * frame.pairs;
        kept = ~((births < ROW_BIRTHS ? (UINT64_C(1) << births) - 1 : UINT64_MAX) << (in_row - births));
        if (LIKELY(row->present & kept)) break;
    }
    Value *from = &row->cotangents[in_row], *to = &chunk->cotangents[chunk->count];
    for (int64_t i = 0; i < count; i++, to += frame.pairs) {
        from -= frame.pairs;
        FOR_EACH(k, frame.pairs) store(&to[k], of_real(saved[k]));
        FOR_EACH(k, frame.pairs) saved[frame.order[k]] = 0.0 + take_accumulator(&from[frame.pairs - 1 - k]).real;
    }
    if (UNLIKELY(count <= 0)) return 0;
    row->present &= kept;
    chunk->count += (size_t)count * frame.pairs;
    c->stack_count += (size_t)count * frame.pairs;
    return count;
}
/* Reverses a return of turns: pushes the cotangents of their frames, those of the first one, in `saved`, first; those of
 * the last one, which had been popped, are in `saved` then. births: the next one before they returned. */
INLINE void turns_unmade(Cotangent *c, TurnFrame frame, int64_t turns, uint64_t births, double *saved) {
    double taken[MOST_PAIRS];
    uint64_t birth = births + (uint64_t)turns * frame.pairs;
    while (turns > 0) {
        const int64_t together = turns_unmade_together(c, frame, turns, birth, saved);
        turns -= together;
        birth -= (uint64_t)together * frame.pairs;
        if (turns == 0) break;
        given_back_together(c, frame.pairs, saved);
        turns--;
        birth -= frame.pairs;
        taken_together(c, birth, frame.pairs, taken);
        FOR_EACH(i, frame.pairs) saved[frame.order[i]] = 0.0 + taken[frame.pairs - 1 - i];
    }
}

#endif
