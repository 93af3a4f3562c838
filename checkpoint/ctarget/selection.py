"""Selects the instruction for a step of a block (ctemplates/program/opcodes.def), and orders moves.

In: a step. Out: names of instructions, and the tables that the assembler uses.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.scalars import arithmetic, predicates

# Scalar functions that have instructions of their own.
FAMILIES = {
    "ADD": arithmetic.add,
    "SUBTRACT": arithmetic.subtract,
    "MULTIPLY": arithmetic.multiply,
    "DIVIDE": arithmetic.divide,
    "LESS": predicates.less,
    "LESS_EQUAL": predicates.not_greater,
    "GREATER": predicates.greater,
    "GREATER_EQUAL": predicates.not_less,
    "EQUAL": predicates.equal,
    "NOT_EQUAL": predicates.unequal,
}
FAMILY = {name: family for family, made in FAMILIES.items() for name in (made.language, *made.exact) if name}
COMPARISONS = frozenset(("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL"))
DATA = {"cons": "CONS", "car": "CAR", "cdr": "CDR", "null?": "IS_NULL", "pair?": "IS_PAIR"}
TESTS = {"null?": "BRANCH_NULL", "pair?": "BRANCH_PAIR"}
ITEMS = frozenset(("py.item", "py.item-to-change"))
NEGATIONS = frozenset((arithmetic.negate.language, *arithmetic.negate.exact))


def is_null_test(step: t.Compute) -> bool:
    """Return whether the step is `x is None`."""
    if step.op != "py.is":
        return False
    x, y = step.operands
    return isinstance(x, str) and not isinstance(y, str) and y.value is None


def test_of(step: t.Compute) -> str | None:
    """Return the branch instruction that includes a test of a kind, if there is one."""
    return "BRANCH_NULL" if is_null_test(step) else TESTS.get(step.op)


def in_sequence(moves: list[tuple[int, int, bool]], free: int) -> list[tuple[int, int, bool]]:
    """Return parallel moves (to, from, whether it moves) in an order; registers from `free` on are scratch.

    >>> in_sequence([(0, 1, True), (1, 0, True)], 7)
    [(7, 0, True), (0, 1, True), (1, 7, True)]
    """
    pending = [move for move in moves if move[0] != move[1] or not move[2]]
    done: list[tuple[int, int, bool]] = []
    while pending:
        sources = [a for _, a, _ in pending]
        ready = [move for move in pending if sources.count(move[0]) == (move[0] == move[1])]
        if ready:
            done += ready
            pending = [move for move in pending if move not in ready]
            continue
        _, a, _ = pending[-1]
        done.append((free, a, True))
        pending = [(d, free if source == a else source, moved) for d, source, moved in pending]
        free += 1
    return done
