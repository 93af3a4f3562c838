/* Accumulators of reals in fields in a row, given to or taken at once: those of the columns and results of lanes.
 *
 * In: a birth, fields in a row, reals. Out: the same as of field by field. Where a birth receives so, and has nothing yet,
 * it gets a row of reals (real_rows.h).
 */
#ifndef CK_COTANGENT_ROWS_H
#define CK_COTANGENT_ROWS_H

#include "state/cotangent.h"

/* Returns whether the accumulators of the first fields of a birth are all REAL. */
bool cotangent_has_reals(Cotangent *c, uint64_t birth, int64_t count);
/* Do as cotangent_take, and cotangent_give, for each of some fields in a row, all of them REAL. Zeros give nothing. */
void cotangent_take_row(Cotangent *c, uint64_t birth, int64_t first, int64_t count, double *reals);
void cotangent_give_fields(Cotangent *c, uint64_t birth, int64_t first, int64_t count, const double *reals);
static inline void cotangent_give_row(Cotangent *c, uint64_t birth, int64_t count, const double *reals) {
    cotangent_expect(c, birth, 0, count);
    cotangent_give_fields(c, birth, 0, count, reals);
}

#endif
