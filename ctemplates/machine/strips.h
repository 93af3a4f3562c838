/* The vocabulary of strips: many lanes of a loop at once, in the vectors of the processor (translate/strips writes it).
 *
 * A strip is some vectors of WIDTH lanes, CHUNKS at most; how many, it is known when it begins. What always holds: arithmetic on
 * a vector is that of doubles, lane by lane, bit for bit; a lane that a Mask does not name may hold anything.
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

#define USUAL_CHUNKS 8
#ifndef CHUNKS /* a unit whose lanes have few numbers says more: at most the bits of Chunks, a set of chunks */
#define CHUNKS USUAL_CHUNKS
#endif
#if CHUNKS > 64
__extension__ typedef unsigned __int128 Chunks;
INLINE unsigned first_chunk(Chunks some) {
    const uint64_t low = (uint64_t)some;
    return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(some >> 64)));
}
#else
typedef uint64_t Chunks;
INLINE unsigned first_chunk(Chunks some) { return (unsigned)__builtin_ctzll(some); }
#endif
#define FIRST_CHUNKS(count) (~(Chunks)0 >> ((int64_t)(8 * sizeof(Chunks)) - (count)))

typedef double Reals __attribute__((vector_size(8 * WIDTH)));
typedef int64_t Integers __attribute__((vector_size(8 * WIDTH)));

/* Masks: which lanes of a vector. MASK makes one of a comparison of vectors, COMPARED of two vectors of reals and an
 * operator of C; they combine by & | ~, and in turns by BOTH, EITHER, WITHOUT. */
#if WIDTH == 8
typedef uint8_t Mask;
enum { CMP_LT = 1, CMP_LE = 2, CMP_EQ = 0, CMP_NE = 4, CMP_GT = 14, CMP_GE = 13 };
#define COMPARED(a, name, operator, b) ((Mask)_mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), CMP_##name))
#define MASK(test) ((Mask)_mm512_movepi64_mask((__m512i)(test)))
#define ALL_LANES ((Mask)255)
#define NO_LANES ((Mask)0)
/* BOTH, EITHER and WITHOUT stay in the registers of masks: the way through others and back takes as long as the arithmetic of a turn. */
#define BOTH(a, b) _kand_mask8((a), (b))
#define EITHER(a, b) _kor_mask8((a), (b))
#define WITHOUT(a, b) _kandn_mask8((b), (a))
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
#define BOTH(a, b) ((a) & (b))
#define EITHER(a, b) ((a) | (b))
#define WITHOUT(a, b) ((a) & ~(b))
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

/* Returns a vector with the first elements of another one, in order, where bits are set. */
#if WIDTH == 8
INLINE Integers expanded(Integers old, unsigned bits, Integers from) {
    return (Integers)_mm512_mask_expand_epi64((__m512i)old, (__mmask8)bits, (__m512i)from);
}
#elif WIDTH == 4
INLINE Integers expanded(Integers old, unsigned bits, Integers from) {
#define HALVES(a, b, c, d) {2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1}
    static const int32_t places[16][8] = {
        HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0), HALVES(0, 1, 0, 0),
        HALVES(0, 0, 0, 0), HALVES(0, 0, 1, 0), HALVES(0, 0, 1, 0), HALVES(0, 1, 2, 0),
        HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 1), HALVES(0, 0, 0, 1), HALVES(0, 1, 0, 2),
        HALVES(0, 0, 0, 1), HALVES(0, 0, 1, 2), HALVES(0, 0, 1, 2), HALVES(0, 1, 2, 3)};
#undef HALVES
    const __m256i place = _mm256_loadu_si256((const __m256i *)places[bits]);
    const __m256i moved = _mm256_permutevar8x32_epi32((__m256i)from, place);
    return (Integers)either_reals(mask_of(bits), (Reals)moved, (Reals)old);
}
#else
INLINE Integers expanded(Integers old, unsigned bits, Integers from) {
    if (bits == 3) return from;
    if (bits) old[bits - 1] = from[0];
    return old;
}
#endif

INLINE bool any(Mask mask) { return bits_of(mask) != 0; }
INLINE int count_bits(unsigned bits) {
#ifdef __POPCNT__ /* else it is a function of a library that units are not linked to */
    return __builtin_popcount(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
#endif
}
INLINE int64_t count_of(Mask mask) { return count_bits(bits_of(mask)); }
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

/* For each lane k of a mask, in order, or from the last to the first. */
#define FOR_LANES(k, mask)                                                                       \
    for (unsigned rest_ = bits_of(mask), k = 0; rest_ && (k = (unsigned)__builtin_ctz(rest_), true); \
         rest_ &= rest_ - 1)
#define FOR_BITS(k, bits) \
    for (unsigned rest_ = (bits), k = 0; rest_ && (k = (unsigned)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)
/* For each chunk u that has lanes, as a set of bits says. */
#define FOR_CHUNKS(u, chunks) \
    for (Chunks more_ = (chunks); more_; more_ = 0) \
        for (unsigned u = 0; more_ && (u = first_chunk(more_), true); more_ &= more_ - 1)

/* Slots (strips/slots.py): MOVE_LANE copies one lane's element of an array of vectors, or of masks. TAKE_LANES copies elements in a
 * row, from `lane` on, to the elements of vector k that `free` says. */
#define ALL_SLOTS ((1u << WIDTH) - 1)
#define SLOTS 2 /* vectors; on the tape they are the chunks behind the others */
#define FOR_ALL_CHUNKS(u, chunks) \
    for (int64_t u = 0; u < CHUNKS + SLOTS; u = u + 1 == (chunks) && u < CHUNKS ? CHUNKS : u + 1)
#define UNROLLED(times) _Pragma(UNROLLED_TEXT(GCC unroll times))
#define UNROLLED_TEXT(text) #text
INLINE void take_lanes(void *to, unsigned free, const int64_t *from) {
    Integers old, next;
    __builtin_memcpy(&old, to, sizeof old);
    __builtin_memcpy(&next, from, sizeof next);
    old = expanded(old, free, next);
    __builtin_memcpy(to, &old, sizeof old);
}
#if WIDTH == 8
#define MOVE_LANE(to, i, from, j)                                                                               \
    do {                                                                                                        \
        if (sizeof *(to) == sizeof(Mask))                                                                       \
            set_lane((Mask *)(to) + (i) / WIDTH, (i) % WIDTH, is_in(((const Mask *)(from))[(j) / WIDTH], (j) % WIDTH)); \
        else ((int64_t *)(to))[i] = ((const int64_t *)(from))[j];                                               \
    } while (0)
#define TAKE_LANES(to, k, free, from, lane)                                                                  \
    do {                                                                                                     \
        int64_t next_ = (lane);                                                                              \
        if (sizeof *(to) != sizeof(Mask)) take_lanes((to) + (k), free, (const int64_t *)(from) + next_);     \
        else FOR_BITS(j_, free) MOVE_LANE(to, (k) * WIDTH + (int)j_, from, next_++);                         \
    } while (0)
#else
#define MOVE_LANE(to, i, from, j) (((int64_t *)(to))[i] = ((const int64_t *)(from))[j])
#define TAKE_LANES(to, k, free, from, lane) take_lanes((to) + (k), free, (const int64_t *)(from) + (lane))
#endif
/* Lanes that wait, from `first` to `end` - 1, in a row of chunks of which all lanes do; takes all of `waiting` that continue it. */
#define LANES_IN_A_ROW(first, end, waiting, at)                                                 \
    while (waiting) {                                                                           \
        const int64_t next_ = first_chunk(waiting);                                             \
        if (bits_of((at)[next_]) != ALL_SLOTS || (first < end && next_ * WIDTH != end)) break; \
        waiting &= waiting - 1;                                                                 \
        (at)[next_] = NO_LANES;                                                                 \
        if (first == end) first = next_ * WIDTH;                                                \
        end = (next_ + 1) * WIDTH;                                                              \
    }

/* On the tape, the moves of lanes between their places and slots: a word for each, or for a whole vector, and one with their
 * number and group. */
INLINE int64_t took_slot(int slot, int lane) { return (int64_t)lane << 32 | (int64_t)slot << 1 | 1; }
INLINE int64_t left_slot(int slot, int lane) { return (int64_t)lane << 32 | (int64_t)slot << 1; }
#define OF_ALL_SLOTS (INT64_C(1) << 31)
INLINE int64_t took_slots(int vector, int64_t chunk) { return took_slot(vector * WIDTH, (int)chunk * WIDTH) | OF_ALL_SLOTS; }
INLINE int64_t left_slots(int vector, int64_t chunk) { return left_slot(vector * WIDTH, (int)chunk * WIDTH) | OF_ALL_SLOTS; }
INLINE bool took(int64_t move) { return move & 1; }
INLINE bool is_whole_move(int64_t move) { return move & OF_ALL_SLOTS; }
INLINE int slot_of(int64_t move) { return (int)((uint32_t)(move & ~OF_ALL_SLOTS) >> 1); }
INLINE int moved_lane(int64_t move) { return (int)(move >> 32); }
INLINE Word *end_of_moves(Word *up, const Word *moved, int64_t group) {
    up->field = group << 32 | (int64_t)(up - moved);
    return up + 1;
}
/* Takes a record of moves from the tape, the last move first. */
#define FOR_MOVES(up, move)                                                                     \
    for (int64_t group_ = (--(up))->field >> 32, count_ = (uint32_t)(up)->field, move = 0; \
         count_ && (move = (--(up))->field, true); count_--)
#define group_of_moves(up) group_

INLINE Reals sizes(Reals x) { return (Reals)((Integers)x & INT64_MAX); }
INLINE Reals all_reals(double x) { return x - (Reals){0}; }
INLINE Integers all_integers(int64_t x) { return x - (Integers){0}; }
#ifdef __clang__
#define SHUFFLED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(a, b, ...) __builtin_shuffle(a, b, (Integers){__VA_ARGS__})
#endif
/* The words at even, or at odd, places of two vectors that follow each other. */
#if WIDTH == 8
#define EACH_LANE ((Integers){0, 1, 2, 3, 4, 5, 6, 7})
#define EVEN_OF(a, b) SHUFFLED(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_OF(a, b) SHUFFLED(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#elif WIDTH == 4
#define EACH_LANE ((Integers){0, 1, 2, 3})
#define EVEN_OF(a, b) SHUFFLED(a, b, 0, 2, 4, 6)
#define ODD_OF(a, b) SHUFFLED(a, b, 1, 3, 5, 7)
#else
#define EACH_LANE ((Integers){0, 1})
#define EVEN_OF(a, b) SHUFFLED(a, b, 0, 2)
#define ODD_OF(a, b) SHUFFLED(a, b, 1, 3)
#endif
INLINE Integers first_lanes(int64_t x) { return x + EACH_LANE; } /* x, x + 1, ... */
INLINE int64_t sum_of(const Integers *all, int64_t chunks) {
    Integers sums = {0};
    for (int64_t u = 0; u < chunks; u++) sums += all[u];
    int64_t sum = 0;
    for (int k = 0; k < WIDTH; k++) sum += sums[k];
    return sum;
}

/* Reads the items of a bare row at indices in a row; false: they are not there. */
INLINE bool bare_reals(Value v, int64_t first, Reals *to) {
    const BareRow *row = kind_of(v) == RECORD ? bare_row_in(v) : NULL;
    if (!row || first > row->count - WIDTH) return false;
    __builtin_memcpy(to, row->reals + first, sizeof *to);
    return true;
}
/* Reads the elements of a list or plain tuple at indices in a row, where all of them are reals; false: it is not so. */
INLINE bool reals_in_row(Value v, Integers index, Reals *to, Integers *at) {
    int64_t count = 0;
    const Value *all = elements(v, &count);
    const int64_t first = index[0];
    if (!all || first < 0 || any(MASK(index != first_lanes(first)))) return false;
    *at = index;
    if (!count) return bare_reals(v, first, to);
    if (first > count - WIDTH) return false;
    Reals low, high; /* a tag, a real, and so on */
    __builtin_memcpy(&low, all + first, sizeof low);
    __builtin_memcpy(&high, all + first + WIDTH / 2, sizeof high);
    *to = ODD_OF(low, high);
    return !any(MASK((Integers)EVEN_OF(low, high) != REAL));
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

#include "machine/strip_calls.h"
#include "machine/strip_patience.h"

enum { WORD_BYTES = sizeof(Word) };

/* The last word of a strip on the tape: its words, that one among them, and the bytes of its ways. */
INLINE int64_t size_of(ptrdiff_t words, ptrdiff_t ways) { return (int64_t)words << 32 | (int64_t)ways; }

/* Vectors on the tape, where words are aligned as words */
#define PUT(up, vector) __builtin_memcpy((up), &(vector), sizeof(vector))
#define GET(vector, up) __builtin_memcpy(&(vector), (up), sizeof(vector))
/* Numbers below 256 in the bytes of a word */
typedef uint8_t Bytes __attribute__((vector_size(WIDTH)));
INLINE int64_t bytes_of(Integers numbers) {
    const Bytes bytes = __builtin_convertvector(numbers, Bytes);
    int64_t word = 0;
    __builtin_memcpy(&word, &bytes, sizeof bytes);
    return word;
}
INLINE Integers numbers_of(int64_t word) {
    Bytes bytes;
    __builtin_memcpy(&bytes, &word, sizeof bytes);
    return __builtin_convertvector(bytes, Integers);
}
/* All vectors of a place: the i-th of such arrays behind each other */
#define PUT_ALL(up, i, all, chunks) memcpy((up) + (i) * (chunks) * WIDTH, all, (size_t)(chunks) * sizeof *(all))
#define GET_ALL(all, up, i, chunks) memcpy(all, (up) + (i) * (chunks) * WIDTH, (size_t)(chunks) * sizeof *(all))

#endif
