"""Operations on numbers as statements on vectors, which do it for all lanes of a chunk at once.

In: an operation, the plan, the name of the mask of its lanes. Out: statements in terms of machine/strips.h,
or None: one lane after another does it (lanes.py). What always holds: each lane's bits are those of the
operation's own text; lanes outside of the mask may get anything, and never fail.
"""

from __future__ import annotations

import re

from checkpoint.ctarget.translate.ops import scalar_words
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Constant, Kind, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Convert, Copy
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain
from checkpoint.ctarget.translate.strips.plan import Plan

FAILED = "goto failed;"
FULL = "return FULL;"
SHORT = "return SHORT;"
TYPES: dict[Kind, str] = {"real": "Reals", "integer": "Integers", "boolean": "Mask", "value": "Integers"}
NONE: dict[Kind, str] = {
    "real": "all_reals(0.0)",
    "integer": "all_integers(0)",
    "boolean": "NO_LANES",
    "value": "all_integers(0)",
}
# Functions of reals beyond plain arithmetic: the value, and a mask of the lanes that have none.
_VALUES = {
    "divide": ("{x} / {y}", "MASK({y} == 0.0)"),
    "sqrt": ("roots({x})", "refused_lanes({x}, {r})"),
    "abs": ("sizes({x})", ""),
    "max": ("either_reals(MASK({y} > {x}), {y}, {x})", ""),
    "min": ("either_reals(MASK({y} < {x}), {y}, {x})", ""),
}
CONVERSIONS = frozenset(("whole_down", "whole_up", "whole_part", "whole_nearest", "of_whole"))
_COMPARISONS = {"<": "LT", "<=": "LE", "==": "EQ", "!=": "NE", ">": "GT", ">=": "GE"}
_PLAIN = re.compile(r"[\w.\s+\-*/()<>=!]*")
_SINGULAR = re.compile(r"\((\w+) == 0\.0 \? 0\.0 : (.*)\)")
_CALLED = re.compile(r"\b(?!real_of_bits\b)[A-Za-z_]\w*\(")


def statements(operation: Operation, plan: Plan, mask: str) -> list[str] | None:
    """Return the statements that set an operation's place for all lanes, or None."""
    match operation:
        case Copy(to, source):
            return [f"const {TYPES[to.kind]} {to.name} = {spread(source, plan)};"]
        case Apply(domain="reals"):
            return _on_reals(operation, plan, mask)
        case Apply(domain="integers"):
            return _on_integers(operation, plan, mask)
        case Convert(to, function, (source,)) if function in CONVERSIONS:
            zero = f"{TYPES[to.kind]} {to.name} = {NONE[to.kind]};"
            test = f"!{function}_lanes({mask}, {spread(source, plan)}, &{to.name})"
            return [zero, if_unlikely(test, FAILED)]
    return None


def again(operation: Operation, plan: Plan) -> str | None:
    """Return an expression on vectors that computes its result again in an adjoint; None: there is none."""
    if isinstance(operation, Apply) and operation.domain == "reals" and operation.definition in _VALUES:
        words = dict(zip("xy", [spread(each, plan) for each in operation.operands], strict=False))
        return _VALUES[operation.definition][0].format(**words)
    text = operation.recomputed()
    return text if text is not None and is_plain(text) else None


def spread(source: Source, plan: Plan) -> str:
    """Return a number as a vector, whether lanes share it or not."""
    if source.kind == "value":
        only = plan.objects.only(source)
        return plain(source) if only is None else f"all_integers({only.number})"
    text = plain(source)
    if not plan.is_uniform(source):
        return text
    return f"everywhere({text})" if source.kind == "boolean" else f"all_{source.kind}s({text})"


def is_plain(text: str) -> bool:
    """Return whether an expression on doubles is one on vectors, too."""
    without = re.sub(r"/\*.*?\*/", "", text)
    if "(double)" in without:  # an integer's
        return False
    return _PLAIN.fullmatch(without) is not None and _CALLED.search(without) is None


def on_vectors(text: str) -> str | None:
    """Return an expression of an adjoint on vectors; None: one lane after another computes it."""
    if is_plain(text):
        return text
    found = _SINGULAR.fullmatch(text)
    if found is not None and is_plain(found[2]):
        return f"either_reals(MASK({found[1]} - (Reals){{0}} == 0.0), all_reals(0.0), {found[2]})"
    return None


def _on_reals(apply: Apply, plan: Plan, mask: str) -> list[str] | None:
    if any(operand.kind != "real" for operand in apply.operands):
        return None
    to = apply.to
    simple = scalar_words.expression(apply.definition, "reals", apply.operands)
    if simple is not None and is_plain(simple):
        text = _compared(apply, simple, plan) if to.kind == "boolean" else simple
        return [f"const {TYPES[to.kind]} {to.name} = {text};"]
    if apply.definition not in _VALUES:
        return None
    words = dict(zip("xy", [spread(operand, plan) for operand in apply.operands], strict=False))
    value, refused = _VALUES[apply.definition]
    lines = [f"const Reals {to.name} = {value.format(**words)};"]
    if refused:
        lines.append(if_unlikely(f"any({mask} & {refused.format(**words, r=to.name)})", FAILED))
    return lines


def _compared(apply: Apply, text: str, plan: Plan) -> str:
    """Return the mask of a test, which for one comparison is an instruction of its own."""
    for operator, name in _COMPARISONS.items():
        if text == f" {operator} ".join(map(plain, apply.operands)):
            a, b = [spread(operand, plan) for operand in apply.operands]
            return f"COMPARED({a}, {name}, {operator}, {b})"
    return f"MASK({text})"


def _on_integers(apply: Apply, plan: Plan, mask: str) -> list[str] | None:
    to = apply.to
    if any(operand.kind != "integer" for operand in apply.operands):
        return None
    if to.kind == "boolean":
        simple = scalar_words.expression(apply.definition, "integers", apply.operands)
        return (
            [f"const Mask {to.name} = MASK({simple});"] if simple is not None and is_plain(simple) else None
        )
    match apply.operands:
        case (x, Constant(int() as y)) if apply.definition == "float_modulo" and y > 0 and not y & (y - 1):
            return [f"const Integers {to.name} = {spread(x, plan)} & {y - 1};"]
        case (Place() as x, Constant(1)) if apply.definition == "add" and plan.counts(x):
            return [f"const Integers {to.name} = {x.name} + 1;"]
    if apply.definition not in ("add", "subtract"):
        return None
    given = ", ".join([spread(operand, plan) for operand in apply.operands])
    name = "add" if apply.definition == "add" else "sub"
    test = if_unlikely(f"!{name}_integers({mask}, {given}, &{to.name})", FAILED)
    return [f"Integers {to.name};", test]
