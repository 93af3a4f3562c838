/* The program that reverses a block that ran as a whole: its actions, decoded once for each cotangent.
 *
 * In: a block with its adjoint (code.h). Out: its Backward: operations on the window and on the block's record. There
 * is one for each usual rule of arithmetic, so that the loop in reverse.c dispatches once for each step.
 *
 * What always holds: operations of arithmetic read and write REALs, since a block whose recorded values are anything
 * else is a part (reverse_part.c). While all accumulators are REALs (`mixed` is false), only those slots must be
 * cleared that no operation sets; else all `zeros` are, from which the operations compute the same.
 */
#ifndef CK_BACKWARD_H
#define CK_BACKWARD_H

#include "state/cotangent.h"

/* s: the accumulator `source`; a', b' those of the operands; x, y, z the recorded values of operands and result.
 * Accumulators are given as offsets in bytes in the window.
 *
 * Where nothing was added to an accumulator before, an operation sets it: to 0 + what it adds, so that no zero is
 * negative. SETS_A and SETS_B are added to the kinds of arithmetic, which have numbers in between. */
enum { SETS_A = 1, SETS_B = 2 };
/* The kinds of operations and their labels in the loop of reverse.c: of one accumulator (a'), of two, and others. */
#define BACK_KINDS(ONE, TWO, OTHER)                                                                            \
    ONE(PASS, pass)             /* a' += s */                                                                  \
    ONE(MINUS, minus)           /* a' -= s */                                                                  \
    ONE(TIMES, times)           /* a' += constant s */                                                         \
    ONE(FACTOR, factor)         /* a' += x s */                                                                \
    ONE(DIVISOR, divisor)       /* a' += -(z / y) s */                                                         \
    TWO(SUM, sum)               /* b' += s; a' += s */                                                         \
    TWO(DIFFERENCE, difference) /* b' -= s; a' += s */                                                         \
    TWO(PRODUCT, product)       /* b' += x s; a' += y s */                                                     \
    TWO(QUOTIENT, quotient)     /* b' += -(z / y) s; a' += (1 / y) s */                                        \
    ONE(COPY, copy)             /* a' += s, of any kind; s is used up */                                       \
    OTHER(SCALE, scaled)        /* by the action and its Scalar */                                             \
    OTHER(TAKE, taken)                                                                                         \
    OTHER(GIVE, given)                                                                                         \
    OTHER(PICK, picked)                                                                                        \
    OTHER(PUT, put)                                                                                            \
    OTHER(ZERO, zero)           /* a' = 0 */                                                                   \
    OTHER(SKIP, skip)           /* continues `x` operations further on */                                      \
    OTHER(COPIED, copied)       /* from the fields of a new object to the fields that they were copied from */         \
    OTHER(END, end)

#define ONE_KIND(NAME, label) BACK_##NAME, BACK_##NAME##_SETS_A,
#define TWO_KINDS(NAME, label) BACK_##NAME, BACK_##NAME##_SETS_A, BACK_##NAME##_SETS_B, BACK_##NAME##_SETS_BOTH,
#define OTHER_KIND(NAME, label) BACK_##NAME,
typedef enum BackKind { BACK_KINDS(ONE_KIND, TWO_KINDS, OTHER_KIND) } BackKind;

typedef struct BackOperation {
    uint16_t kind;
    Register source, a, b;
    uint32_t x, y; /* places in the record; of what has a note: x the note; of TAKE and GIVE: y the field */
    union {
        double constant;
        uint32_t z;
        const Action *action;
    };
} BackOperation;

typedef struct Zeros {
    const Register *slots;
    uint32_t count;
} Zeros;

/* Two lists of operations. While all accumulators are REALs, those from start[k] on reverse a block whose run continued
 * at its k-th target; if `ends`, they reverse its end too, else reverse_end does. Those of `steps` are for accumulators
 * of any kind, and never reverse the end.
 *
 * The slots that are set to 0, by the target at which the run continued: `zeros` has all of them; `few` only those that
 * must be: an operation adds to them, or none writes them and they are parameters. */
struct Backward {
    const Block *block;
    Backward *before; /* the program of the block that ran before this one the last time; else itself */
    size_t bytes;
    Zeros zeros[2], few[2];
    bool ends;
    const BackOperation *start[2], *steps;
    BackOperation operations[]; /* each list ends with BACK_END */
};

#endif
