/* How a block is reversed that ran as a whole: its actions, decoded once for each cotangent.
 *
 * In: a block with its adjoint (code.h). Out: its Backward: operations on the window and on the block's record,
 * with one for each usual rule of arithmetic, so that the loop in reverse.c decides once for each step.
 *
 * What always holds: what an operation of arithmetic reads and adds to are REALs, since a block whose recorded
 * values are anything else is a part (reverse_part.c). While no amount at all is anything else (`mixed` is false),
 * all registers have that tag, and only the `few` slots need to be cleared that no operation sets; else all `zeros`
 * are, from which the operations give the same.
 */
#ifndef CK_REVERSE_PROGRAM_H
#define CK_REVERSE_PROGRAM_H

#include "reverse.h"

/* s: the accumulator `source`; a', b' those of the operands; x, y, z the recorded values of operands and result.
 *
 * Where nothing was added to an accumulator before, an operation sets it: to 0 + what it adds, so that no zero is
 * negative. SETS_A and SETS_B are added to the kinds of arithmetic, which have numbers in between. */
enum { SETS_A = 1, SETS_B = 2 };
typedef enum BackKind {
    BACK_PASS = 0,        /* a' += s */
    BACK_MINUS = 2,       /* a' -= s */
    BACK_TIMES = 4,       /* a' += constant s */
    BACK_FACTOR = 6,      /* a' += x s */
    BACK_DIVISOR = 8,     /* a' += -(z / y) s */
    BACK_SUM = 10,        /* b' += s; a' += s */
    BACK_DIFFERENCE = 14, /* b' -= s; a' += s */
    BACK_PRODUCT = 18,    /* b' += x s; a' += y s */
    BACK_QUOTIENT = 22,   /* b' += -(z / y) s; a' += (1 / y) s */
    BACK_MOVE = 26,       /* a' += s, of any kind; s is used up */
    BACK_SCALE,           /* by the action and its Scalar */
    BACK_TAKE,
    BACK_GIVE,
    BACK_PICK,
    BACK_PUT,
    BACK_COPIED, /* from the fields of a new object to those that they are copies of */
    BACK_END
} BackKind;

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

typedef struct Carry {
    Register from, to;
} Carry;

/* The slots that start at 0, by the target that the run went on to: `zeros` all of them; `few` those that this must
 * be seen of, because an operation adds to them, or nothing does and they are parameters.
 *
 * carries: of a jump, where each given parameter's amount goes, if they can go one by one; else there are none. */
struct Backward {
    const Block *block;
    size_t bytes;
    Zeros zeros[2], few[2];
    bool carries_all;
    uint32_t carry_count;
    const Carry *carries;
    BackOperation operations[]; /* ends with BACK_END */
};

void programs_create(Cotangent *cotangent);
void programs_destroy(Cotangent *cotangent);

/* The block's; made when it is first asked for. */
const Backward *program_of(Cotangent *cotangent, const Block *block);

#endif
