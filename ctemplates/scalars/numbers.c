/* Arithmetic on duals: `apply` of checkpoint/ad/numbers.py, operation for operation.
 *
 * In: reals, nodes and duals. Out: a number of the same kinds; on a step's tape an entry for each operation on nodes
 * (step_tape.c).
 *
 * What always holds: operands are borrowed, results owned. An operation can fail only at its value on the floats under
 * all tags, before any side effect. Recursion is as deep as a number has tags, one for each nested derivative.
 */
#include "scalars/numbers.h"

#include <math.h>

#include "scalars/duals.h"
#include "scalars/step_tape.h"

static inline uint64_t tag_of(Value dual) { return dual.object->birth; }

Value primal_at(Heap *heap, Value number, uint64_t tag) {
    if (kind_of(number) != DUAL) return number;
    const Value *parts = cells_of(number);
    if (tag_of(number) == tag) return copied(parts[0]);
    Value primal = primal_at(heap, parts[0], tag);
    return dual_of(heap, tag_of(number), primal, primal_at(heap, parts[1], tag));
}

bool tangent_at(Heap *heap, Value number, uint64_t tag, Value *tangent) {
    if (kind_of(number) != DUAL) return false;
    const Value *parts = cells_of(number);
    if (tag_of(number) == tag) {
        *tangent = copied(parts[1]);
        return true;
    }
    Value of_primal = of_real(0.0), of_tangent = of_real(0.0);
    bool found = tangent_at(heap, parts[0], tag, &of_primal);
    found |= tangent_at(heap, parts[1], tag, &of_tangent);
    if (found) *tangent = dual_of(heap, tag_of(number), of_primal, of_tangent);
    return found;
}

static bool is_zero(Value number) {
    if (kind_of(number) != DUAL) return number.real == 0.0;
    return is_zero(cells_of(number)[0]) && is_zero(cells_of(number)[1]);
}

static bool is_finite(Value number) {
    if (kind_of(number) != DUAL) return isfinite(number.real);
    return is_finite(cells_of(number)[0]) && is_finite(cells_of(number)[1]);
}

/* Returns whether it consists of reals and nodes alone. */
static bool is_number(Value number) {
    Kind kind = kind_of(number);
    if (kind != DUAL) return kind == REAL || kind == NODE;
    return is_number(cells_of(number)[0]) && is_number(cells_of(number)[1]);
}

typedef struct Operation { /* a scalar on its way down the tags */
    Numbers *numbers;
    const Scalar *scalar;
    bool strict;
} Operation;

static bool apply(const Operation *op, const Value *operands, Value *result);

/* Applies a scalar to reals and nodes, at least one of them a node if there is a tape. */
static bool apply_to_nodes(const Operation *op, const Value *operands, Value *result) {
    const Scalar *scalar = op->scalar;
    double x[2], z;
    bool nodes = false;
    for (uint32_t i = 0; i < scalar->arity; i++) {
        x[i] = operands[i].real;
        nodes |= kind_of(operands[i]) == NODE;
    }
    if (!(op->strict ? scalar->value : scalar->ieee)(x, &z)) return false;
    if (!nodes) {
        *result = of_real(z);
        return true;
    }
    double slopes[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < scalar->arity; i++)
        if (kind_of(operands[i]) == NODE) slopes[i] = scalar->partials[i](x, z);
    *result = step_tape_record(op->numbers, scalar, operands, slopes, z);
    return true;
}

/* Adds slope * tangent to total, as numbers; `any`: whether there is a total yet. Consumes all of them. */
static void add_term(Numbers *numbers, Value *total, bool *any, Value slope, Value tangent) {
    const Operation multiply = {numbers, SCALAR_MULTIPLY, false}, add = {numbers, SCALAR_ADD, false};
    const Value factors[2] = {slope, tangent};
    Value product, sum;
    (void)apply(&multiply, factors, &product);
    drop(numbers->heap, slope);
    drop(numbers->heap, tangent);
    if (*any) {
        const Value terms[2] = {*total, product};
        (void)apply(&add, terms, &sum);
        drop(numbers->heap, *total);
        drop(numbers->heap, product);
        product = sum;
    }
    *total = product;
    *any = true;
}

/* Returns the sum of partial times tangent over the operands that carry the tag. */
static Value tangent_of(
    const Operation *op, const Value *operands, uint64_t tag, const Value *primals, Value value) {
    Heap *heap = op->numbers->heap;
    Value total = of_real(0.0), tangent, slope;
    bool any = false;
    for (uint32_t i = 0; i < op->scalar->arity; i++) {
        if (is_flat(op->scalar, i) || !tangent_at(heap, operands[i], tag, &tangent)) continue;
        op->scalar->partials_of_numbers[i](op->numbers, primals, value, &slope);
        if (op->scalar->singular && is_zero(tangent) && !is_finite(slope)) {
            drop(heap, tangent);
            drop(heap, slope);
        } else {
            add_term(op->numbers, &total, &any, slope, tangent);
        }
    }
    return total;
}

static bool apply_to_duals(const Operation *op, const Value *operands, uint64_t tag, Value *result) {
    Heap *heap = op->numbers->heap;
    Value primals[2], value;
    for (uint32_t i = 0; i < op->scalar->arity; i++) primals[i] = primal_at(heap, operands[i], tag);
    const bool done = apply(op, primals, &value);
    if (done) *result = dual_of(heap, tag, value, tangent_of(op, operands, tag, primals, value));
    for (uint32_t i = 0; i < op->scalar->arity; i++) drop(heap, primals[i]);
    return done;
}

/* Returns whether all duals have this tag, and reals as their parts: the usual case. */
static bool are_simple(const Value *operands, uint32_t count, uint64_t tag) {
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].tag == REAL) continue;
        if (kind_of(operands[i]) != DUAL || tag_of(operands[i]) != tag) return false;
        if ((cells_of(operands[i])[0].tag | cells_of(operands[i])[1].tag) != 0) return false;
    }
    return true;
}

/* Computes apply_to_duals for such operands, on doubles. */
static bool apply_to_simple(const Operation *op, const Value *operands, uint64_t tag, Value *result) {
    const Scalar *scalar = op->scalar;
    double x[2], z, total = 0.0;
    bool any = false;
    for (uint32_t i = 0; i < scalar->arity; i++) x[i] = number_real(operands[i]);
    if (!(op->strict ? scalar->value : scalar->ieee)(x, &z)) return false;
    for (uint32_t i = 0; i < scalar->arity; i++) {
        if (operands[i].tag == REAL || is_flat(scalar, i)) continue;
        const double tangent = cells_of(operands[i])[1].real, slope = scalar->partials[i](x, z);
        if (scalar->singular && tangent == 0.0 && !isfinite(slope)) continue;
        total = any ? total + slope * tangent : slope * tangent;
        any = true;
    }
    *result = dual_of(op->numbers->heap, tag, of_real(z), of_real(total));
    return true;
}

static bool apply_predicate(const Operation *op, const Value *operands, Value *result) {
    double x[2], z;
    for (uint32_t i = 0; i < op->scalar->arity; i++) x[i] = number_real(operands[i]);
    if (!op->scalar->value(x, &z)) return false;
    *result = of_boolean(z != 0.0);
    return true;
}

static bool apply(const Operation *op, const Value *operands, Value *result) {
    if (op->scalar->is_predicate) return apply_predicate(op, operands, result);
    bool duals = false;
    uint64_t highest = 0;
    for (uint32_t i = 0; i < op->scalar->arity; i++) {
        if (kind_of(operands[i]) != DUAL) continue;
        if (!duals || tag_of(operands[i]) > highest) highest = tag_of(operands[i]);
        duals = true;
    }
    if (!duals) return apply_to_nodes(op, operands, result);
    if (are_simple(operands, op->scalar->arity, highest)) return apply_to_simple(op, operands, highest, result);
    return apply_to_duals(op, operands, highest, result);
}

/* Stores an operand as a number; false: the scalar does not accept it. */
static bool as_number(const Scalar *scalar, Value operand, Value *number) {
    *number = operand;
    if (operand.tag != INTEGER && operand.tag != BOOLEAN) return is_number(operand);
    *number = of_real((double)operand.integer);
    return scalar->takes_integers && is_exact(operand.integer);
}

static void apply_known(Numbers *numbers, const Scalar *scalar, const Value *operands, Value *result) {
    const Operation op = {numbers, scalar, false};
    (void)apply(&op, operands, result);
}

bool numbers_apply(Numbers *numbers, uint16_t scalar, const Value *operands, Value *result, bool strict) {
    const Operation op = {numbers, &SCALARS[scalar], strict};
    Value given[2];
    for (uint32_t i = 0; i < op.scalar->arity; i++)
        if (!as_number(op.scalar, operands[i], &given[i])) return false;
    numbers->apply = apply_known;
    return apply(&op, given, result);
}

bool numbers_apply_taped(Heap *heap, uint16_t scalar, const Value *operands, const Register *places, Value *result,
                         StepTape **tape) {
    StepTape *made = step_tape_create(heap);
    Numbers numbers = {.heap = heap, .tape = made};
    Value given[2], found;
    for (uint32_t i = 0; i < SCALARS[scalar].arity; i++)
        given[i] = step_tape_lift(heap, made, operands[i], places[i]);
    const bool done = numbers_apply(&numbers, scalar, given, &found, true);
    if (done) *result = step_tape_close(heap, made, found);
    *tape = made;
    if (!done || SCALARS[scalar].is_predicate) {
        step_tape_destroy(heap, made);
        *tape = NULL;
    }
    return done;
}
