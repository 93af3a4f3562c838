/* The vocabulary of strips: many lanes of a loop at once, in the vectors of the processor (translate/strips writes it).
 *
 * A strip is CHUNKS vectors of WIDTH lanes. What always holds: arithmetic on a vector is that of doubles, lane by lane,
 * bit for bit; a lane that a Mask does not name may hold anything.
 */
#ifndef CK_STRIPS_H
#define CK_STRIPS_H

#include <string.h>

#include "machine/translated.h"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#define WIDTH 8
#elif defined(__AVX2__)
#include <immintrin.h>
#define WIDTH 4
#else
#define WIDTH 2
#endif

#define CHUNKS 8
#define LANES (WIDTH * CHUNKS)

typedef double Reals __attribute__((vector_size(8 * WIDTH)));
typedef int64_t Integers __attribute__((vector_size(8 * WIDTH)));

/* Masks: which lanes of a vector. MASK makes one of a comparison of vectors, COMPARED of two vectors of reals and an
 * operator of C; they combine by & | ~. */
#if WIDTH == 8
typedef uint8_t Mask;
enum { CMP_LT = 1, CMP_LE = 2, CMP_EQ = 0, CMP_NE = 4, CMP_GT = 14, CMP_GE = 13 };
#define COMPARED(a, name, operator, b) ((Mask)_mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), CMP_##name))
#define MASK(test) ((Mask)_mm512_movepi64_mask((__m512i)(test)))
#define ALL_LANES ((Mask)255)
#define NO_LANES ((Mask)0)
INLINE unsigned bits_of(Mask mask) { return mask; }
INLINE Reals either_reals(Mask mask, Reals a, Reals b) {
    return (Reals)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
}
INLINE Integers either_integers(Mask mask, Integers a, Integers b) {
    return (Integers)_mm512_mask_blend_epi64(mask, (__m512i)b, (__m512i)a);
}
INLINE Mask mask_of(unsigned bits) { return (Mask)bits; }
INLINE Reals roots(Reals x) { return (Reals)_mm512_sqrt_pd((__m512d)x); }
#else
typedef Integers Mask;
#define MASK(test) ((Mask)(test))
#define COMPARED(a, name, operator, b) MASK((a) operator (b))
#define NO_LANES ((Mask){0})
#define ALL_LANES (~NO_LANES)
INLINE Integers either_integers(Mask mask, Integers a, Integers b) { return (mask & a) | (~mask & b); }
#if WIDTH == 4
INLINE unsigned bits_of(Mask mask) { return (unsigned)_mm256_movemask_pd((__m256d)mask); }
INLINE Reals either_reals(Mask mask, Reals a, Reals b) {
    return (Reals)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
}
INLINE Reals roots(Reals x) { return (Reals)_mm256_sqrt_pd((__m256d)x); }
#else
INLINE unsigned bits_of(Mask mask) { return (mask[0] != 0) | (unsigned)(mask[1] != 0) << 1; }
INLINE Reals either_reals(Mask mask, Reals a, Reals b) {
    return (Reals)either_integers(mask, (Integers)a, (Integers)b);
}
INLINE Reals roots(Reals x) { return (Reals){sqrt(x[0]), sqrt(x[1])}; }
#endif
INLINE Mask mask_of(unsigned bits) {
    Integers own; /* of each lane its bit */
    for (int k = 0; k < WIDTH; k++) own[k] = INT64_C(1) << k;
    return MASK(((int64_t)bits & own) == own);
}
#endif

INLINE bool any(Mask mask) { return bits_of(mask) != 0; }
INLINE int64_t count_of(Mask mask) {
#ifdef __POPCNT__ /* else it is a function of a library that units are not linked to */
    return __builtin_popcount(bits_of(mask));
#else
    int64_t count = 0;
    for (unsigned bits = bits_of(mask); bits; bits &= bits - 1) count++;
    return count;
#endif
}
/* SPEND adds to `spent`, a Spending, the steps that each lane of a mask makes, ADD_LANES one; total_of returns the sum. A mask that is a
 * vector is -1 in its lanes, so two operations count them. */
#if WIDTH == 8
typedef int64_t Spending;
#define SPEND(steps, mask) (spent += (steps) * count_of(mask))
#define ADD_LANES(count, mask) ((count) += count_of(mask))
INLINE int64_t total_of(Spending spent) { return spent; }
#else
typedef Integers Spending;
#define SPEND(steps, mask) (spent += (mask) & (int64_t)(steps))
#define ADD_LANES(count, mask) ((count) -= (mask))
INLINE int64_t total_of(Spending spent) {
    int64_t total = 0;
    for (int k = 0; k < WIDTH; k++) total += spent[k];
    return total;
}
#endif
INLINE Mask either_mask(Mask mask, Mask a, Mask b) { return (Mask)((mask & a) | (~mask & b)); }
INLINE Mask everywhere(bool test) { return test ? ALL_LANES : NO_LANES; }
INLINE bool is_in(Mask mask, int lane) { return bits_of(mask) >> lane & 1; }
INLINE void set_lane(Mask *mask, int lane, bool value) {
    *mask = mask_of((bits_of(*mask) & ~(1u << lane)) | (unsigned)value << lane);
}

/* Leaves no upper halves of vectors in registers, which the compiler saves: with them Intel's processors take ten times as
 * long for functions of the C library. Compilers see to it by themselves where they optimise more. */
#if WIDTH > 2
#define CLEAN_VECTORS()                                                                                             \
    __asm__ volatile("vzeroupper" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#else
#define CLEAN_VECTORS() ((void)0)
#endif

/* For each lane k of a mask, in order, or from the last to the first. */
#define FOR_LANES(k, mask)                                                                       \
    for (unsigned rest_ = bits_of(mask), k = 0; rest_ && (k = (unsigned)__builtin_ctz(rest_), true); \
         rest_ &= rest_ - 1)
#define FOR_BITS(k, bits) \
    for (unsigned rest_ = (bits), k = 0; rest_ && (k = (unsigned)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)
/* For each chunk u that has lanes, as a set of bits says. */
#define FOR_CHUNKS(u, chunks)                                                                       \
    for (unsigned more_ = (chunks), u = 0; more_ && (u = (unsigned)__builtin_ctz(more_), true); \
         more_ &= more_ - 1)

/* Slots (strips/slots.py): MOVE_LANE copies one lane's element of an array of vectors, or of masks. */
#define ALL_SLOTS ((1u << WIDTH) - 1)
#define UNROLLED(times) _Pragma(UNROLLED_TEXT(GCC unroll times))
#define UNROLLED_TEXT(text) #text
#if WIDTH == 8
#define MOVE_LANE(to, i, from, j)                                                                               \
    do {                                                                                                        \
        if (sizeof *(to) == sizeof(Mask))                                                                       \
            set_lane((Mask *)(to) + (i) / WIDTH, (i) % WIDTH, is_in(((const Mask *)(from))[(j) / WIDTH], (j) % WIDTH)); \
        else ((int64_t *)(to))[i] = ((const int64_t *)(from))[j];                                               \
    } while (0)
#else
#define MOVE_LANE(to, i, from, j) (((int64_t *)(to))[i] = ((const int64_t *)(from))[j])
#endif

INLINE Reals sizes(Reals x) { return (Reals)((Integers)x & INT64_MAX); }
/* The lanes where a function has no value: infinite or not a number where its operand was finite, or a number. */
INLINE Mask refused_lanes(Reals x, Reals r) {
    const Mask finite = MASK(x - x == 0.0), known = MASK(x == x);
    return (Mask)((finite & (Mask)~MASK(r - r == 0.0)) | (known & (Mask)~MASK(r == r)));
}

INLINE Reals all_reals(double x) { return x - (Reals){0}; }
INLINE Integers all_integers(int64_t x) { return x - (Integers){0}; }
INLINE Integers first_lanes(int64_t x) { /* x, x + 1, ... */
    Integers to;
    for (int k = 0; k < WIDTH; k++) to[k] = x + k;
    return to;
}

/* Reads the elements of a list or plain tuple at indices in a row, where all of them are reals; false: it is not so. */
INLINE bool reals_in_row(Value v, Integers index, Reals *to, Integers *at) {
    int64_t count = 0;
    const Value *all = elements(v, &count);
    const int64_t first = index[0];
    if (!all || first < 0 || first > count - WIDTH || any(MASK(index != first_lanes(first)))) return false;
    uint64_t tags = 0;
    for (int k = 0; k < WIDTH; k++) {
        tags |= all[first + k].tag;
        (*to)[k] = all[first + k].real;
    }
    *at = index;
    return tags == REAL;
}

/* Integers that overflow; a lane of the mask where it does: false. */
INLINE bool add_integers(Mask mask, Integers a, Integers b, Integers *to) {
    typedef uint64_t Bits __attribute__((vector_size(8 * WIDTH)));
    *to = (Integers)((Bits)a + (Bits)b);
    return !any(mask & MASK(((a ^ *to) & (b ^ *to)) < 0));
}
INLINE bool sub_integers(Mask mask, Integers a, Integers b, Integers *to) {
    typedef uint64_t Bits __attribute__((vector_size(8 * WIDTH)));
    *to = (Integers)((Bits)a - (Bits)b);
    return !any(mask & MASK(((a ^ b) & (a ^ *to)) < 0));
}

/* Between reals and integers, as whole_down and its kin of translated.h; a lane of the mask without a result: false. */
#define CONVERTED_ONE_BY_ONE(function)                                            \
    for (int k = 0; k < WIDTH; k++) {                                             \
        int64_t one = 0;                                                          \
        if (is_in(mask, k) && !function(x[k], &one)) return false;                \
        (*to)[k] = one;                                                           \
    }                                                                             \
    return true
#if WIDTH == 8
#define ROUNDED(x, mode) _mm512_roundscale_pd((__m512d)(x), mode)
#define SMALL_ENOUGH 0x1p62
#define WHOLE(x) (Integers) _mm512_cvttpd_epi64((__m512d)(x))
#elif WIDTH == 4
#define ROUNDED(x, mode) _mm256_round_pd((__m256d)(x), mode)
#define SMALL_ENOUGH 0x1p51
#define WHOLE(x) ((Integers)((x) + 0x1.8p52) - (Integers)all_reals(0x1.8p52)) /* the last bits of the sum */
#endif
#ifdef ROUNDED
#define WHOLE_LANES(function, mode)                                               \
    INLINE bool function##_lanes(Mask mask, Reals x, Integers *to) {              \
        const Reals rounded = (Reals)ROUNDED(x, mode);                            \
        *to = WHOLE(rounded);                                                     \
        if (LIKELY(!any(mask & ~MASK(sizes(rounded) < SMALL_ENOUGH)))) return true; \
        CONVERTED_ONE_BY_ONE(function);                                           \
    }
#else
#define WHOLE_LANES(function, mode)                                               \
    INLINE bool function##_lanes(Mask mask, Reals x, Integers *to) { CONVERTED_ONE_BY_ONE(function); }
#endif
WHOLE_LANES(whole_down, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
WHOLE_LANES(whole_up, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
WHOLE_LANES(whole_part, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
WHOLE_LANES(whole_nearest, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC)
INLINE bool of_whole_lanes(Mask mask, Integers x, Reals *to) {
    *to = __builtin_convertvector(x, Reals);
    return !any(mask & (MASK(x > LARGEST_EXACT) | MASK(x < -LARGEST_EXACT)));
}

/* When strips are tried. A strip may run beyond the end of a slice, as far as the run may go. */

#define MOST_BEYOND (INT64_C(1) << 22)
INLINE int64_t beyond(const Machine *m, int64_t stop) {
    const int64_t most = m->limit - stop;
    return most < MOST_BEYOND ? most : MOST_BEYOND;
}

enum { WORD_BYTES = sizeof(Word) };
enum { WANTED = 1 << 16 }; /* words of a tape that a run with strips begins with where there are plenty */
INLINE StripOutcome outcome_of(int64_t turns, int64_t lanes) { return lanes * 5 < turns * WIDTH * 2 ? SPARSE : RAN; }
INLINE bool has_run(StripOutcome outcome) { return outcome <= SPARSE; }

/* alone: how many lanes are still to run one by one. After a strip was left these are those that might be in it; and more
 * and more if no strip has run since, in any call of the unit; so it is after a sparse one, too, which took longer than
 * its lanes one by one. Not so after one for which steps or room were lacking: that says nothing of the next call. strips,
 * steps, words: of those that ran one after another since the last that was left. Threads share it all, and may lose
 * counts of it. */
typedef struct {
    int64_t alone, next, strips, steps, words;
} Patience;
#define MOST_ALONE (INT64_C(1) << 16)
INLINE int64_t relaxed(const int64_t *x) { return __atomic_load_n(x, __ATOMIC_RELAXED); }
INLINE void set_relaxed(int64_t *x, int64_t to) { __atomic_store_n(x, to, __ATOMIC_RELAXED); }
INLINE bool is_alone(Patience *shared, int64_t *alone, bool ran) {
    if (!*alone) return false;
    --*alone;
    if (!ran && relaxed(&shared->alone)) set_relaxed(&shared->alone, *alone);
    return true;
}
INLINE void forget_strips(Patience *shared) {
    set_relaxed(&shared->steps, 0);
    set_relaxed(&shared->words, 0);
    set_relaxed(&shared->strips, 0);
}
INLINE void note_strips(Patience *shared, int64_t strips, int64_t steps, int64_t words) {
    set_relaxed(&shared->steps, relaxed(&shared->steps) + steps);
    set_relaxed(&shared->words, relaxed(&shared->words) + words);
    set_relaxed(&shared->strips, relaxed(&shared->strips) + strips);
}
INLINE void note_outcome(Patience *shared, StripOutcome outcome, int64_t *alone, bool *ran) {
    if (outcome == LEFT || outcome == SPARSE) forget_strips(shared);
    if (outcome == RAN) {
        *ran = true;
        set_relaxed(&shared->next, 0);
    } else if (outcome == FULL || outcome == SHORT || (outcome == LEFT && *ran)) {
        *alone = LANES - 1;
    } else if (outcome == LEFT || outcome == SPARSE) {
        const int64_t next = 2 * relaxed(&shared->next) + LANES - 1;
        *alone = next < MOST_ALONE ? next : MOST_ALONE;
        set_relaxed(&shared->next, *alone);
        set_relaxed(&shared->alone, *alone);
    }
}

/* Strips may be run by several threads far beyond the end of a slice, whose length is that of one thread. */
enum { MOST_OF_TEAM = 1 << 26 };
/* The strips between a counter of lanes and the end of the loop. */
INLINE int64_t strips_up_to(int64_t end, int64_t lane) {
    return end > lane ? (int64_t)(((uint64_t)end - (uint64_t)lane) / LANES) : 0;
}
/* Whether other threads are to be asked: so many steps of strips have been run, and about as many more are to come at
 * least, as far as it is known how many strips there are. */
INLINE bool wants_team(const Patience *shared, int64_t steps, int64_t coming, const Machine *m) {
    const int64_t before = relaxed(&shared->steps), strips = relaxed(&shared->strips);
    return before >= steps && strips > 1 && coming > steps / (before / strips + 1) && services->strips_may_join(m);
}
INLINE StripTask team_task(const StripJob *job, void *given, const Patience *shared, int64_t coming, const Machine *m,
                           int64_t stop, int64_t left) {
    const int64_t behind = m->limit - stop < MOST_OF_TEAM ? m->limit - stop : MOST_OF_TEAM;
    const int64_t strips = relaxed(&shared->strips), steps = relaxed(&shared->steps), words = relaxed(&shared->words);
    return (StripTask){.job = job,
                       .given = given,
                       .coming = coming,
                       .strips = strips,
                       .steps = steps,
                       .words = words,
                       .most = left + behind};
}
/* Notes that no other threads have run strips, and that strips run one by one again: while this call of the unit takes, where
 * it is on a tape, which has little room left; else as many as at first. */
INLINE void note_no_team(Patience *shared, const Machine *m, bool *asks) {
    if (m->tape) *asks = false;
    else forget_strips(shared);
}
INLINE void note_team(Patience *shared, const StripTask *task, const Machine *m, int64_t *alone, bool *ran, bool *asks) {
    if (!task->done && task->outcome == RAN) { /* fewer steps are left than a part takes, or less room */
        note_no_team(shared, m, asks);
        return;
    }
    if (!task->done && task->outcome == FULL) { /* no strip fits in a chunk for such as ran before: as it would the next time */
        forget_strips(shared);
        return;
    }
    if (task->used >= 2 * task->job->part_steps) { /* later strips are expected to take what these took */
        const double words = (double)task->words / (double)task->steps;
        set_relaxed(&shared->strips, task->done);
        set_relaxed(&shared->steps, task->used);
        set_relaxed(&shared->words, (int64_t)(words * (double)task->used));
    }
    *ran = *ran || task->done;
    if (task->outcome != FULL) note_outcome(shared, task->outcome, alone, ran);
}

/* The last word of a strip on the tape: its words, that one among them, and the bytes of its ways. */
INLINE int64_t size_of(ptrdiff_t words, ptrdiff_t ways) { return (int64_t)words << 32 | (int64_t)ways; }

/* Vectors on the tape, where words are aligned as words */
#define PUT(up, vector) __builtin_memcpy((up), &(vector), sizeof(vector))
#define GET(vector, up) __builtin_memcpy(&(vector), (up), sizeof(vector))

#endif
