"""Scalar primitives as C: their values, and their contributions to operands' cotangents.

In: the name of a definition of checkpoint/scalars, and operands. Out: statements and expressions. What is
arithmetic alone is written in place, all else as calls of functions that the unit's file defines
(emit/definitions.py). What always holds: the text computes what the machine does, in every bit
(vm_families.h, scalars.c, reverse_program.c).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.words import LARGEST_EXACT, PAYLOADS, if_unlikely, plain, real
from checkpoint.scalars import c_text
from checkpoint.scalars.definition import Definition, find

Exit = Callable[[], str]  # returns the statement that leaves the unit

# Integers that overflow, by the builtin that checks it.
CHECKED = {"add": "add", "subtract": "sub", "multiply": "mul", "negate": "sub"}
# To compute one of these again takes no longer than to read its result.
CHEAP = {"add", "subtract", "multiply", "negate", "real"}


def expression(definition: str, domain: str, operands: Sequence[Source]) -> str | None:
    """Return an expression of the value, for a definition that always has one; None: it may fail.

    On integers: for operands whose result is known to be an integer of 64 bits.
    """
    words = [real(each) if domain == "reals" else plain(each) for each in operands]
    return c_text.plain_value(find(definition), tuple(words))


def on_reals(definition: str, operands: Sequence[Source], to: Place, exit: Exit) -> list[str]:
    """Return the statements that set `to` to the value on doubles, or exit where there is none."""
    lines = exact_integers(operands, exit)
    simple = expression(definition, "reals", operands)
    if simple is not None:
        return [*lines, f"{to.name} = {simple};"]
    words = [*map(real, operands), "0.0"][:2]
    return [*lines, if_unlikely(f"!value_{definition}({', '.join(words)}, &{to.name})", exit())]


def exact_integers(operands: Sequence[Source], exit: Exit) -> list[str]:
    """Return the statements that exit where an integer among the operands is no double."""
    return [
        if_unlikely(f"!is_exact({plain(operand)})", exit())
        for operand in operands
        if operand.kind == "integer" and not _is_exact(operand)
    ]


def _is_exact(operand: Source) -> bool:
    return isinstance(operand, Constant) and abs(operand.value or 0) <= LARGEST_EXACT


def on_integers(
    definition: str, operands: Sequence[Source], to: Place, exit: Exit, result: Callable[[], str]
) -> list[str]:
    """Return the statements that set `to` to the value on integers, or exit where there is none.

    result: returns the name of a variable of the type Value, for definitions that need one.
    """
    words = [plain(operand) for operand in operands]
    if definition in CHECKED:
        of = ", ".join(words if len(words) > 1 else ["INT64_C(0)", *words])
        return [if_unlikely(f"__builtin_{CHECKED[definition]}_overflow({of}, &{to.name})", exit())]
    if find(definition).partials is None:
        return [f"{to.name} = {expression(definition, 'integers', operands)};"]
    of, name = ", ".join([*words, "0"][:2]), result()
    return [
        if_unlikely(f"!integers_{definition}({of}, &{name})", exit()),
        f"{to.name} = {name}.{PAYLOADS[to.kind]};",
    ]


# Partials


def contribution(
    definition: str,
    i: int,
    operands: Sequence[Source],
    cotangent: str,
    values: Mapping[int, str],
    is_singular: bool,
) -> tuple[str, str]:
    """Return the contribution to operand i's cotangent: a sign, and the term to add or subtract.

    values: expressions of the operands that the partial reads, by position, and of the result, after them.
    """
    found = find(definition)
    words = tuple([values.get(k, "0.0") for k in range(len(operands) + 1)])
    slope = c_text.plain_partial(found, i, words[:-1], words[-1])
    if slope in ("1.0", "-1.0"):
        return slope[:-3] or "+", cotangent
    if _is_one(found, i, operands):
        return "+", cotangent
    if slope is None:
        x, y = [*words[:-1], "0.0"][:2]
        slope = f"by_{'xy'[i]}_{definition}({x}, {y}, {words[-1]})"
    scaled = f"{slope} * {cotangent}"
    return "+", f"({cotangent} == 0.0 ? 0.0 : {scaled})" if is_singular else scaled


def _is_one(definition: Definition, i: int, operands: Sequence[Source]) -> bool:
    """Return whether a partial reads constants alone, and is 1."""
    assert definition.needs is not None
    assert definition.slopes is not None
    known = {k: float(x.value or 0) for k, x in enumerate(operands) if isinstance(x, Constant)}
    if not definition.needs[i] or not known.keys() >= set(definition.needs[i]):
        return False
    return definition.slopes[i](*[known.get(k, 0.0) for k in range(len(operands) + 1)]) == 1.0
