/* Reductions by a formula of pairs of items, in the tree of `reduce` (tensorlib/layout/item_formulas.py), and their reversals.
 *
 * In: a formula whose inputs are the columns of the left and of the right item, and whose results are those of one. Out: what
 * all items are combined to. Levels are done tile by tile, so that most values stay in the processor's caches, by several
 * threads; the bits are those of the levels one by one.
 */
#ifndef CK_FORMULA_TREES_H
#define CK_FORMULA_TREES_H

#include "scalars/formulas.h"

/* Combines all items, at least one. columns: of the items; then where the result goes. */
FormulaOutcome formula_reduce(const Formula *pair, const FormulaColumn *columns, int64_t items);

/* Computes the cotangents of all items, at least one. pulled: the formula of the cotangents of a pair, of the pair and the
 * cotangent of its result. columns: of the items; the cotangent of the result; then where those of the items go. */
FormulaOutcome formula_reduce_reversed(const Formula *pair, const Formula *pulled, const FormulaColumn *columns, int64_t items);

#endif
