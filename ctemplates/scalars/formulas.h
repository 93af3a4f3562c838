/* Formulas: straight-line arithmetic on the reals of many items (checkpoint/scalars/formulas.py).
 *
 * In: a formula; of each input and result where its reals are. Out: the results. Items are done in blocks: each step does a
 * whole block, whose values stay in the processor's caches. Where there is enough to do, threads take part; the bits are the
 * same, since no item depends on another.
 */
#ifndef CK_FORMULAS_H
#define CK_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The steps, in the order of CODES in formulas.py. FORMULA_QUOTIENT fails where it is not finite. Truth is 1.0; CHOOSE takes
 * y where x is not 0.0, else z. Codes behind these are scalars (scalars.h), each first as IEEE 754 has it, then as Python has it,
 * which fails. */
enum {
    FORMULA_ADD, FORMULA_SUBTRACT, FORMULA_MULTIPLY, FORMULA_DIVIDE, FORMULA_NEGATE, FORMULA_QUOTIENT,
    FORMULA_LESS, FORMULA_LESS_EQUAL, FORMULA_EQUAL, FORMULA_CHOOSE, FORMULA_SCALAR
};

/* A step: its number above, the places of its operands (of the last one again where there are fewer), and that of its result. */
typedef struct FormulaStep {
    int32_t code, x, y, z, to;
} FormulaStep;

/* Places: those of the inputs, of the constants, then of the values of steps, which may take turns in one. */
typedef struct Formula {
    int32_t inputs, constants, steps, results, places;
    const double *constant;
    const FormulaStep *step;
    const int32_t *result; /* the place of each */
} Formula;

/* Where the reals of an input or a result are: one for each item, so many bytes apart. */
typedef struct FormulaColumn {
    char *reals;
    ptrdiff_t stride;
} FormulaColumn;

typedef enum FormulaOutcome { FORMULA_DONE, FORMULA_NOT_FINITE, FORMULA_REFUSED } FormulaOutcome;

/* Computes the results of so many items; columns: those of the inputs, then of the results. FORMULA_REFUSED: there is no
 * memory. Only where it is done all results are written. No result may be where an input is. */
FormulaOutcome formula_run(const Formula *formula, const FormulaColumn *columns, int64_t items);

/* What a thread computes with: room for a block of items in each place. */
typedef struct FormulaPlaces {
    const Formula *formula;
    double **at, *room;
} FormulaPlaces;

bool formula_places_begin(FormulaPlaces *places, const Formula *formula); /* false: there is no memory */
void formula_places_end(FormulaPlaces *places);
/* Computes the results of a range of items; columns as above. false: a step fails. */
bool formula_items(FormulaPlaces *places, const FormulaColumn *columns, int64_t start, int64_t end);

/* Returns how much there is to do for an item. */
int64_t formula_effort(const Formula *formula);

#endif
