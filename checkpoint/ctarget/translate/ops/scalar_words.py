"""Scalar primitives as C: what an Apply computes, and what it contributes to its operands.

In: an Apply. Out: statements that compute it; expressions of contributions. Usual arithmetic is written
with C's operators, all else by functions that machine/translated.h makes of scalars.def. What always
holds: both are what the machine does, in every bit (vm_families.h, scalars.c, reverse_program.c).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from checkpoint.ctarget.translate.ops.actions import Apply, Constant, Source, Tangent
from checkpoint.ctarget.translate.ops.words import LARGEST_EXACT, PAYLOADS, plain, real

Fail = Callable[[], str]

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


def applied(op: Apply, fail: Fail) -> list[str]:
    """Statements that compute it, or leave the unit."""
    return _on_integers(op, fail) if op.domain == "integers" else _on_reals(op, fail)


def computed(op: Apply) -> str | None:
    """An expression that cannot fail: of reals; of integers whose result is known to be one. None: none."""
    words = [real(each) if op.domain == "reals" else plain(each) for each in op.operands]
    if op.definition in INFIX:
        return f"{words[0]} {INFIX[op.definition]} {words[1]}"
    if op.definition in COMPARISONS:
        return f"{words[0]} {COMPARISONS[op.definition]} {words[1] if len(words) > 1 else '0.0'}"
    return {"negate": f"-{words[0]}", "real": words[0]}.get(op.definition)


def _on_reals(op: Apply, fail: Fail) -> list[str]:
    lines = [
        f"if (UNLIKELY(!is_exact({plain(operand)}))) {fail()}"
        for operand in op.operands
        if operand.kind == "integer" and not _is_exact(operand)
    ]
    expression = computed(op)
    if expression is not None:
        return [*lines, f"{op.to.name} = {expression};"]
    words = [*map(real, op.operands), "0.0"][:2]
    return [
        *lines,
        f"if (UNLIKELY(!value_{op.definition}({', '.join(words)}, &{op.to.name}))) {fail()}",
    ]


def _is_exact(operand: Source) -> bool:
    return isinstance(operand, Constant) and abs(operand.value or 0) <= LARGEST_EXACT


def _on_integers(op: Apply, fail: Fail) -> list[str]:
    words = [plain(operand) for operand in op.operands]
    if op.definition in CHECKED:
        of = ", ".join(words if len(words) > 1 else ["INT64_C(0)", *words])
        return [f"if (UNLIKELY(__builtin_{CHECKED[op.definition]}_overflow({of}, &{op.to.name}))) {fail()}"]
    if op.definition in COMPARISONS:
        return [f"{op.to.name} = {computed(op)};"]
    of = ", ".join([*words, "0"][:2])
    return [
        f"if (UNLIKELY(!integers_{op.definition}({of}, &result))) {fail()}",
        f"{op.to.name} = result.{PAYLOADS[op.to.kind]};",
    ]


# Tangents


def pushed(op: Tangent) -> str:
    """An expression of what tangents of the operands give."""
    x, y = [*map(real, op.primals), "0.0"][:2]
    slopes = [f"by_{'xy'[i]}_{op.definition}({x}, {y}, {op.result.name})" for i in range(len(op.primals))]
    terms = [
        f"{slope}, {real(tangent)}"
        for slope, tangent in zip(slopes, op.tangents, strict=True)
        if tangent is not None
    ]
    name = "tangent_of_two" if len(terms) > 1 else "tangent_of_one"
    return f"{name}({', '.join(terms)}, {'true' if op.singular else 'false'})"


# Partials


def contribution(op: Apply, i: int, amount: str, values: Mapping[int, str]) -> tuple[str, str]:
    """What the operand i gets when the result has an amount: the sign, and what is added or subtracted.
    values: those of operands and result, the result's being the last, as far as partials read them.
    """
    match op.definition, i:
        case ("add", _) | ("real", _) | ("subtract", 0):
            return "+", amount
        case ("subtract", 1) | ("negate", _):
            return "-", amount
        case ("multiply", _):
            other = op.operands[1 - i]
            return "+", amount if _is_one(other) else f"{values[1 - i]} * {amount}"
        case ("divide", 0):
            return "+", amount if _is_one(op.operands[1]) else f"1.0 / {values[1]} * {amount}"
        case ("divide", 1):
            return "+", f"-({values[2]} / {values[1]}) * {amount}"
    arity = len(op.operands)
    x, y = [*[values.get(k, "0.0") for k in range(arity)], "0.0"][:2]
    scaled = f"by_{'xy'[i]}_{op.definition}({x}, {y}, {values.get(arity, '0.0')}) * {amount}"
    return "+", f"({amount} == 0.0 ? 0.0 : {scaled})" if op.singular else scaled


def _is_one(operand: Source) -> bool:
    return isinstance(operand, Constant) and operand.value == 1
