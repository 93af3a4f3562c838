/* Scalar primitives in C: value and partials, as the definitions of checkpoint/scalars state them. Whatever these
 * cannot do as the record does, they leave to Python.
 *
 * What always holds: on the same reals, value and partials equal the record's in every bit.
 */
#ifndef CK_SCALARS_H
#define CK_SCALARS_H

#include "memory/heap.h"

typedef struct Scalar Scalar;
typedef struct StepTape StepTape; /* step_tape.h */

typedef struct Numbers { /* where arithmetic on numbers happens: in a heap, on a tape or not */
    Heap *heap;
    StepTape *tape;
    /* Applies a scalar to numbers made of reals and nodes, with IEEE semantics: it cannot fail (numbers.c sets it). */
    void (*apply)(struct Numbers *numbers, const Scalar *scalar, const Value *operands, Value *result);
} Numbers;

/* The form of a partial that is reversed without a call: operands x and y, the result z. */
typedef enum Slope {
    SLOPE_ANY,        /* none of these */
    SLOPE_ZERO,       /* the operand receives nothing, whatever the cotangent, and its tangent gives nothing */
    SLOPE_ONE,
    SLOPE_MINUS_ONE,
    SLOPE_X,
    SLOPE_Y,
    SLOPE_BY_Y,       /* 1 / y */
    SLOPE_OF_DIVISOR, /* -(z / y) */
} Slope;

struct Scalar {
    const char *name;     /* the definition's: records of the same functions share it */
    uint8_t arity;        /* at most 2; the record's with 3 operands are left to Python */
    bool is_predicate;       /* the result is a boolean: z is 0 or 1, there are no partials */
    bool takes_integers;  /* the record states `otherwise`: integers beside reals are constant reals */
    bool singular;        /* contributes nothing for a zero cotangent */
    bool (*value)(const double *x, double *z); /* false: the record fails (or C cannot decide) */
    bool (*ieee)(const double *x, double *z);  /* for use inside derivatives: never false */
    double (*partials[2])(const double *x, double z); /* as apply(..., strict=False) gives them */
    const Slope *slopes;  /* of each partial; NULL without partials */
    bool (*integers)(const int64_t *x, Value *z); /* on integers alone; false: Python does it. NULL: always */
    /* the same on numbers of any nesting, made of reals and nodes, for numbers.c. The caller owns the result */
    void (*partials_of_numbers[2])(struct Numbers *n, const Value *x, Value z, Value *result);
};

/* Returns whether the derivative by an operand is 0 everywhere. */
static inline bool is_flat(const Scalar *scalar, uint32_t operand) { return scalar->slopes[operand] == SLOPE_ZERO; }

extern const Scalar SCALARS[];
extern const uint16_t SCALAR_COUNT;
extern const Scalar *const SCALAR_ADD, *const SCALAR_MULTIPLY;
uint16_t scalar_number(const char *name); /* NO_SCALAR: not in C */

#endif
