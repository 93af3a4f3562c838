/* Functions that strips call for one lane after another, such as those of the C library; part of strips.h. Vectors in, their lanes in
 * arrays while functions are called, vectors out. What always holds: no upper half of a vector is in a register during a call.
 */
#ifndef CK_STRIP_CALLS_H
#define CK_STRIP_CALLS_H

/* Leaves no upper halves of vectors in registers, which the compiler saves: with them Intel's processors take ten times as
 * long for functions of the C library. Compilers see to it by themselves where they optimise more. */
#if WIDTH > 2
#define CLEAN_VECTORS()                                                                                             \
    __asm__ volatile("vzeroupper" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#else
#define CLEAN_VECTORS() ((void)0)
#endif

/* LANES_APART makes an array of a vector's lanes, LANES_JOINED a vector of an array. The compiler is not to know what is in the array:
 * else it reads lanes from a register, or waits until all that was stored can be loaded at once. */
#define IN_MEMORY(array) __asm__ volatile("" : "+m"(array))
#define LANES_APART(to, vector)                  \
    double to[WIDTH];                            \
    __builtin_memcpy(to, &(vector), sizeof(to)); \
    IN_MEMORY(to)
#if WIDTH == 8
#define LANES_OF(a) (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7]
#elif WIDTH == 4
#define LANES_OF(a) (a)[0], (a)[1], (a)[2], (a)[3]
#else
#define LANES_OF(a) (a)[0], (a)[1]
#endif
#define LANES_JOINED(to, from)          \
    do {                                \
        IN_MEMORY(from);                \
        (to) = (Reals){LANES_OF(from)}; \
    } while (0)

/* The lanes where a function has no value: infinite or not a number where its operand was finite, or a number. */
INLINE Mask refused_lanes(Reals x, Reals r) {
    const Mask finite = MASK(x - x == 0.0), known = MASK(x == x);
    return (Mask)((finite & (Mask)~MASK(r - r == 0.0)) | (known & (Mask)~MASK(r == r)));
}
INLINE Mask refused_pairs(Reals x, Reals y, Reals r) {
    const Mask finite = (Mask)(MASK(x - x == 0.0) & MASK(y - y == 0.0)), known = (Mask)(MASK(x == x) & MASK(y == y));
    return (Mask)((finite & (Mask)~MASK(r - r == 0.0)) | (known & (Mask)~MASK(r == r)));
}

#endif
