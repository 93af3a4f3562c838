/* Arithmetic in C, for arrays and for tests: scalars.h on doubles and integers, numbers.h on duals. (Read by cffi:
 * declarations only.)
 *
 * Numbers cross as pieces: a real is one, a dual is its tag and then the pieces of its primal and tangent.
 * Functions of numbers give how many pieces the result has; -1: it is left to Python; -2: memory was not given
 * back.
 */
#ifndef CK_API_SCALARS_H
#define CK_API_SCALARS_H

#include "program/value.h"

typedef struct Piece {
    int64_t kind; /* the tag of a dual; or one of those below */
    double real;
} Piece;
enum { PIECE_REAL = -1, PIECE_INTEGER = -2, PIECE_BOOLEAN = -3 };

typedef struct ScalarFacts {
    int arity;
    bool is_predicate, takes_integers, singular, has_integers;
} ScalarFacts;

ScalarFacts ck_scalar_facts(uint16_t number);
bool ck_scalar_value(uint16_t number, bool strict, const double *operands, double *result);
double ck_scalar_partial(uint16_t number, int position, const double *operands, double result);
/* kind: that of the result, a REAL, INTEGER or BOOLEAN. */
bool ck_scalar_integers(uint16_t number, const int64_t *operands, int *kind, int64_t *integer, double *real);

/* The values of many operands; y is not read where there is one. Where it fails first, -1: nowhere. */
int64_t ck_scalar_loop(uint16_t number, bool strict, int64_t count, const double *x, const double *y, double *z);

int64_t ck_scalar_apply(uint16_t number, bool strict, const Piece *operands, Piece *result);
/* A taped step and its reversal. cotangents: that of the result, then one for each register; result: the pieces of
 * the result, then of the accumulators in the registers. */
int64_t ck_scalar_tape(uint16_t number, const Piece *operands, const uint32_t *places, uint32_t registers,
                       const Piece *cotangents, Piece *result);

#endif
