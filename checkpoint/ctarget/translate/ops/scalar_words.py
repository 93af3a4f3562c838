"""Scalar primitives as C: their values, their tangents, and what cotangents they contribute to operands.

In: a definition of scalars.def, by its name, and operands. Out: statements and expressions. Usual arithmetic
is written with C's operators, all else as calls of functions that machine/translated.h makes of scalars.def.
What always holds: the text computes what the machine does, in every bit (vm_families.h, scalars.c,
reverse_program.c).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.words import LARGEST_EXACT, PAYLOADS, if_unlikely, plain, real

Exit = Callable[[], str]  # returns the statement that leaves the unit

INFIX = {"add": "+", "subtract": "-", "multiply": "*"}
COMPARISONS = {
    "equal": "==",
    "unequal": "!=",
    "less": "<",
    "greater": ">",
    "not_greater": "<=",
    "not_less": ">=",
    "is_zero": "==",
    "is_positive": ">",
    "is_negative": "<",
}
CHECKED = {"add": "add", "subtract": "sub", "multiply": "mul", "negate": "sub"}
# To compute one of these again takes no longer than to read its result.
CHEAP = {"add", "subtract", "multiply", "negate", "real"}


def expression(definition: str, domain: str, operands: Sequence[Source]) -> str | None:
    """Return an expression of the value, for a definition that always has one; None: it may fail.

    On integers: for operands whose result is known to be an integer of 64 bits.
    """
    words = [real(each) if domain == "reals" else plain(each) for each in operands]
    if definition in INFIX:
        return f"{words[0]} {INFIX[definition]} {words[1]}"
    if definition in COMPARISONS:
        return f"{words[0]} {COMPARISONS[definition]} {words[1] if len(words) > 1 else '0.0'}"
    return {"negate": f"-{words[0]}", "real": words[0]}.get(definition)


def on_reals(definition: str, operands: Sequence[Source], to: Place, exit: Exit) -> list[str]:
    """Return the statements that set `to` to the value on doubles, or exit where there is none."""
    lines = [
        if_unlikely(f"!is_exact({plain(operand)})", exit())
        for operand in operands
        if operand.kind == "integer" and not _is_exact(operand)
    ]
    simple = expression(definition, "reals", operands)
    if simple is not None:
        return [*lines, f"{to.name} = {simple};"]
    words = [*map(real, operands), "0.0"][:2]
    return [*lines, if_unlikely(f"!value_{definition}({', '.join(words)}, &{to.name})", exit())]


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
    if definition in COMPARISONS:
        return [f"{to.name} = {expression(definition, 'integers', operands)};"]
    of, name = ", ".join([*words, "0"][:2]), result()
    return [
        if_unlikely(f"!integers_{definition}({of}, &{name})", exit()),
        f"{to.name} = {name}.{PAYLOADS[to.kind]};",
    ]


# Tangents


def tangent(
    definition: str,
    primals: Sequence[Source],
    result: Place,
    tangents: Sequence[Source | None],
    is_singular: bool,
) -> str:
    """Return an expression of the result's tangent: the sum of partial times tangent, from the left.

    result: the primal result. tangents: those of the operands, None of one that has none.
    """
    x, y = [*map(real, primals), "0.0"][:2]
    slopes = [f"by_{'xy'[i]}_{definition}({x}, {y}, {result.name})" for i in range(len(primals))]
    terms = [
        f"{slope}, {real(each)}" for slope, each in zip(slopes, tangents, strict=True) if each is not None
    ]
    name = "tangent_of_two" if len(terms) > 1 else "tangent_of_one"
    return f"{name}({', '.join(terms)}, {'true' if is_singular else 'false'})"


# Partials


def contribution(
    definition: str,
    i: int,
    operands: Sequence[Source],
    cotangent: str,
    values: Mapping[int, str],
    is_singular: bool,
) -> tuple[str, str]:
    """Return what operand i gets when the result has a cotangent: a sign, and the term to add or subtract.

    values: expressions of the operands that the partial reads, by position, and of the result, after them.
    """
    match definition, i:
        case ("add", _) | ("real", _) | ("subtract", 0):
            return "+", cotangent
        case ("subtract", 1) | ("negate", _):
            return "-", cotangent
        case ("multiply", _):
            other = operands[1 - i]
            return "+", cotangent if _is_one(other) else f"{values[1 - i]} * {cotangent}"
        case ("divide", 0):
            return "+", cotangent if _is_one(operands[1]) else f"1.0 / {values[1]} * {cotangent}"
        case ("divide", 1):
            return "+", f"-({values[2]} / {values[1]}) * {cotangent}"
    arity = len(operands)
    x, y = [*[values.get(k, "0.0") for k in range(arity)], "0.0"][:2]
    scaled = f"by_{'xy'[i]}_{definition}({x}, {y}, {values.get(arity, '0.0')}) * {cotangent}"
    return "+", f"({cotangent} == 0.0 ? 0.0 : {scaled})" if is_singular else scaled


def _is_one(operand: Source) -> bool:
    return isinstance(operand, Constant) and operand.value == 1
