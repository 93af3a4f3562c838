/* How a block is reversed that ran as a whole: its actions, decoded once for each cotangent.
 *
 * In: a block with its adjoint (code.h). Out: its Backward: operations on the window and on the block's record,
 * with one for each usual rule of arithmetic, so that the loop in reverse.c decides once for each step.
 *
 * What always holds: what an operation of arithmetic reads and adds to are REALs, since a block whose recorded
 * values are anything else is a part (reverse_part.c).
 */
#ifndef CK_REVERSE_PROGRAM_H
#define CK_REVERSE_PROGRAM_H

#include "reverse.h"

/* s: the accumulator `source`; a', b' those of the operands; x, y, z the recorded values of operands and result. */
typedef enum BackKind {
    BACK_MOVE,       /* a' += s, of any kind; s is used up */
    BACK_PASS,       /* a' += s */
    BACK_MINUS,      /* a' -= s */
    BACK_SUM,        /* b' += s; a' += s */
    BACK_DIFFERENCE, /* b' -= s; a' += s */
    BACK_TIMES,      /* a' += constant s */
    BACK_FACTOR,     /* a' += x s */
    BACK_PRODUCT,    /* b' += x s; a' += y s */
    BACK_QUOTIENT,   /* b' += -(z / y) s; a' += (1 / y) s */
    BACK_DIVISOR,    /* b' += -(z / y) s */
    BACK_SCALE,      /* by the action and its Scalar */
    BACK_TAKE,
    BACK_GIVE,
    BACK_PICK,
    BACK_PUT,
    BACK_COPIED,
    BACK_END
} BackKind;

typedef struct BackOperation {
    uint16_t kind;
    Register source, a, b;
    uint32_t x, y; /* places in the record; of TAKE, GIVE, PICK, PUT: x the note, y the field */
    union {
        double constant;
        uint32_t z;
        const Action *action;
    };
} BackOperation;

struct Backward {
    const Block *block;
    size_t bytes;
    const Register *zeros[2]; /* the slots to start at 0, by the target that the run went on to */
    uint32_t zero_count[2];
    BackOperation operations[]; /* ends with BACK_END */
};

void programs_create(Cotangent *cotangent);
void programs_destroy(Cotangent *cotangent);

/* The block's; made when it is first asked for. */
const Backward *program_of(Cotangent *cotangent, const Block *block);

#endif
