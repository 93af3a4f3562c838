"""Expressions as Python: text for the hybrid engine, functions of floats, functions of numbers of any kind.

In: an expression without words. Out: text, or a function of the operands and the result. What always holds:
the operations and their order are those of the expression. On floats arithmetic is Python's, and all else is
the `ieee` value of the definition that is named, so nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from checkpoint.scalars.algebra import (
    Asks,
    Both,
    Call,
    Compare,
    Constant,
    Expr,
    Operand,
    Real,
    Test,
    Where,
    find_step_function,
    walk,
)

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


class PythonText:
    """Writes expressions.

    operands: their text, by position. names: the functions found on the way, by their names in the text.
    """

    def __init__(self, operands: Mapping[int, str]) -> None:
        self.operands = operands
        self.names: dict[str, str] = {}

    def text(self, part: Expr | Test) -> str:
        """Return an expression or test as text that needs no parentheses around it."""
        match part:
            case Operand():
                return self.operands[part.position]
            case Constant():
                return repr(part.value)
            case Call():
                return self.call(part.name, [self.text(operand) for operand in part.operands], part)
            case Where():
                return f"({self.text(part.then)} if {self.text(part.test)} else {self.text(part.otherwise)})"
            case Real():
                return self.real(part.operand)
            case Compare():
                return f"{self.real(part.x)} {part.sign} {self.real(part.y)}"
            case Both():
                return f"{self.text(part.x)} and {self.text(part.y)}"
        raise AssertionError(f"{part} is not for scalars")

    def call(self, name: str, operands: list[str], part: Call) -> str:
        """Return the text of a call."""
        if name in SIGNS:
            return f"({operands[0]} {SIGNS[name]} {operands[1]})"
        if name == "negate":
            return f"(-{operands[0]})"
        return self.function(name, operands)

    def function(self, name: str, operands: list[str]) -> str:
        """Return the text of a call of a named function."""
        self.names[f"f_{name}"] = name
        return f"f_{name}({', '.join(operands)})"

    def real(self, part: Expr) -> str:
        """Return the text of a real part."""
        return self.text(part)


class FloatText(PythonText):
    """Text for floats: a quotient, which may fail, is a function."""

    def call(self, name: str, operands: list[str], part: Call) -> str:
        """Return the text of a call."""
        return self.function(name, operands) if name == "divide" else super().call(name, operands, part)


class NumberText(PythonText):
    """Text for numbers of any kind: all arithmetic is functions."""

    def call(self, name: str, operands: list[str], part: Call) -> str:
        """Return the text of a call; a step function reads real parts."""
        if find_step_function(name) is not None:
            operands = [self.real(operand) for operand in part.operands]
        return self.function(name, operands)

    def real(self, part: Expr) -> str:
        """Return the text of a real part."""
        return self.text(part) if isinstance(part, Constant) else f"real_part({self.text(part)})"


def _parameters(arity: int) -> dict[int, str]:
    return {**{i: f"x{i}" for i in range(arity)}, arity: "z"}


def compiled(text: str, parameters: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function of these parameters whose result the text says."""
    function: Callable[..., Any] = eval(f"lambda {parameters}: {text}", {"__name__": __name__, **names})
    return function


def on_floats(part: Expr, arity: int, names: Callable[[str], Any]) -> Callable[..., float]:
    """Return an expression as a function of floats: the operands, and the result, which may be left out.

    names: from the name of a function to the function.
    """
    writer = FloatText(_parameters(arity))
    text = writer.text(part)
    found = {shown: names(name) for shown, name in writer.names.items()}
    return compiled(text, ", ".join(_parameters(arity).values()) + "=None", found)


def on_numbers(part: Expr, arity: int, names: Callable[[str], Any], real_part: Any) -> Callable[..., Any]:
    """Return an expression as a function of numbers of any kind.

    names: from the name of a function to the function; real_part: what gives the float under all derivatives.
    """
    writer = NumberText(_parameters(arity))
    text = writer.text(part)
    found = {shown: names(name) for shown, name in writer.names.items()}
    return compiled(text, ", ".join(_parameters(arity).values()), {**found, "real_part": real_part})


def inline(part: Expr, arity: int) -> str | None:
    """Return an expression as text on floats in {0}, {1} and the result in {z}; None: it names functions."""
    if not is_plain(part):
        return None
    return PythonText({**{i: f"{{{i}}}" for i in range(arity)}, arity: "{z}"}).text(part)


def is_plain(part: Expr) -> bool:
    """Tell whether an expression is made of arithmetic, comparisons and choices alone."""
    calls = [inner.name for inner in walk(part) if isinstance(inner, Call)]
    return all(name in SIGNS or name == "negate" for name in calls) and not any(
        isinstance(inner, Real | Asks) for inner in walk(part)
    )
