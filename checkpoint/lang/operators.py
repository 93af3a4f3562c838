"""Desugar primitives: applied to operands, and as values.

Only this file knows that + and * take any number of operands, that max, min, - and / take one or more, and
that - and atan denote two primitives each. All other primitives take the number in their records. The
functions of tensors are loaded when a text names one (tensors.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from checkpoint.ad import library
from checkpoint.errors import SourceError, Span
from checkpoint.lang import names
from checkpoint.lang.core import Const, Expr, Lambda, Prim, Var
from checkpoint.lang.reader import Name
from checkpoint.lang.tensors import TENSORS

# The value without operands; with one operand it is that operand.
_UNITS = {"+": 0.0, "*": 1.0}
_FOLDED = frozenset({"+", "-", "*", "/", "max", "min"})
_PARAMETERS = ("a", "b", "c", "d", "e", "f")


def apply_primitive(name: Name, operands: Sequence[Expr], span: Span, arities: Mapping[str, int]) -> Expr:
    """Return the core of a primitive's form with these operands."""
    if name.text in _FOLDED and len(operands) != 2:
        return _fold(name, operands, span)
    op = names.operation(name.text, len(operands))
    if len(operands) != arities[op]:
        raise SourceError(_wrong_count(name.text, len(operands), arities), span)
    _load_tensors(name)
    return Prim(span, op, tuple(operands))


def _load_tensors(name: Name) -> None:
    """Register the records of tensors if a text uses one."""
    if name.text not in TENSORS:
        return
    try:
        library.load()
    except ModuleNotFoundError as error:
        raise SourceError(f"{name.text} needs {error.name}: install it", name.span) from None


def _fold(name: Name, operands: Sequence[Expr], span: Span) -> Expr:
    op = name.text
    if not operands:
        if op in _UNITS:
            return Const(span, _UNITS[op])
        raise SourceError(f"{op} takes at least 1 operand, but here are none; write ({op} a b)", span)
    if len(operands) == 1:
        return _single(op, operands[0], span)
    result = operands[0]
    for operand in operands[1:]:
        result = Prim(span, op, (result, operand))
    return result


def _single(op: str, operand: Expr, span: Span) -> Expr:
    if op == "-":
        return Prim(span, "neg", (operand,))
    if op == "/":
        return Prim(span, "/", (Const(span, 1.0), operand))
    return operand


def primitive_value(name: Name, arities: Mapping[str, int], fresh: Callable[[str], str]) -> Lambda:
    """Return the eta-expansion of a primitive that is used as a value."""
    op = names.operation_as_value(name.text)
    _load_tensors(name)
    params = tuple([fresh(_PARAMETERS[i]) for i in range(arities[op])])
    body = Prim(name.span, op, tuple([Var(name.span, param) for param in params]))
    return Lambda(name.span, params, body, name=name.text, primitive=op)


def _wrong_count(name: str, count: int, arities: Mapping[str, int]) -> str:
    counts = (
        sorted({arities[names.operation(name, n)] for n in (1, 2)}) if name == "atan" else [arities[name]]
    )
    allowed = " or ".join(str(count) for count in counts)
    plural = "" if counts == [1] else "s"
    here = "none" if count == 0 else str(count)
    are = "is" if count == 1 else "are"
    pattern = " ".join([name, *_PARAMETERS[: counts[-1]]])
    return f"{name} takes {allowed} operand{plural}, but here {are} {here}; write ({pattern})"
