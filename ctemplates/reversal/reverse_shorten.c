/* Removes operations that only copy an accumulator.
 *
 * In: the operations of a block on REALs. Out: fewer ones with the same result for what is live at the block's start:
 * if a' = 0 + s, and s does not change until the last operation that reads a', those read s instead.
 *
 * What always holds: an accumulator is never -0, so 0 + s is s.
 */
#include "reversal/reverse_shorten.h"

static bool is_copy(const BackOperation *op) { return op->kind == BACK_PASS + SETS_A; }
static bool is_arithmetic(const BackOperation *op) { return op->kind < BACK_COPY; }
static bool has_b(const BackOperation *op) { return is_arithmetic(op) && op->kind >= BACK_SUM; }

static bool is_parameter(const Block *block, Register slot) {
    for (uint32_t i = 0; i < block->parameter_count; i++)
        if (block->parameters[i] == slot) return true;
    return false;
}

/* Returns whether an operation other than arithmetic reads or writes a register. */
static bool uses(const BackOperation *op, Register slot) {
    if (op->source == slot || op->a == slot) return true;
    for (int i = 0; op->kind == BACK_SCALE && i < op->action->count; i++)
        if (op->action->operands[i] == slot) return true;
    return false;
}

/* Returns whether everything from `op` on that reads the copy `a` can read the original `s`. Of two operands b' is
 * written first. */
static bool can_go(const BackOperation *op, Register a, Register s) {
    bool changed = false;
    for (; op->kind != BACK_END; op++) {
        if (!is_arithmetic(op)) {
            if (uses(op, a)) return false;
            changed |= uses(op, s);
            continue;
        }
        const bool writes_b = has_b(op);
        if (op->a == a || (writes_b && op->b == a)) return false;
        if (op->source == a && (changed || (writes_b && op->b == s))) return false;
        changed |= op->a == s || (writes_b && op->b == s);
    }
    return true;
}

/* Makes all operations read the original, if they can. */
static bool replaces(const Block *block, BackOperation *op, Register a, Register s) {
    if (is_parameter(block, a) || !can_go(op, a, s)) return false;
    for (; op->kind != BACK_END; op++)
        if (op->source == a && is_arithmetic(op)) op->source = s;
    return true;
}

/* Reduces a sum whose b' is a copy that is not needed to an operation on a'. */
static void halves(const Block *block, BackOperation *op) {
    const uint16_t sets_a = op->kind & SETS_A;
    if (op->kind - sets_a != BACK_SUM + SETS_B || (op->a == op->source && !sets_a)) return;
    if (op->a != op->b && replaces(block, op + 1, op->b, op->source)) op->kind = BACK_PASS + sets_a;
}

BackOperation *reverse_shorten(const Block *block, BackOperation *from) {
    BackOperation *to = from, *op = from;
    for (; op->kind != BACK_END; op++) {
        halves(block, op);
        if (is_copy(op) && (op->a == op->source || replaces(block, op + 1, op->a, op->source))) continue;
        *to++ = *op;
    }
    *to++ = *op;
    return to;
}
