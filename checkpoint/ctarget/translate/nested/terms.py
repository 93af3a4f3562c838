"""Expressions on doubles that derivatives are computed with: made symbolically, written as C.

In: leaves (places of a unit, and cotangents), constants, definitions of checkpoint/scalars by their names.
Out: Terms, and the statements that compute some of them.

What always holds: equal terms are one object (of one Arithmetic), so nothing is computed twice. A term has
the bits that its operations have where they are done one by one, as IEEE has them; they never fail. What is
folded here is exact for all operands.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.ops.words import literal, real
from checkpoint.dataclass import dataclass
from checkpoint.scalars import c_text
from checkpoint.scalars.algebra import Call, Operand, find_step_function
from checkpoint.scalars.definition import find

_COMPARED = {"<": "<", ">": ">", "==": "==", "!=": "!=", "<=": "<=", ">=": ">="}
_FOLDED = frozenset(("add", "subtract", "multiply", "negate"))


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """An expression: a double, or a test.

    kind: "leaf" (content: a Place, or the name of a variable), "constant" (content: a float or a bool),
    "call" (content: the name of a definition or step function), "choose" (operands: a test, two doubles),
    "compare" (content: the sign), "and", "not", "finite". number: by which it is named in C; terms read
    those before.
    """

    kind: str
    content: Any
    operands: tuple[Term, ...]
    number: int

    @property
    def is_constant(self) -> bool:
        """Return whether its value is known."""
        return self.kind == "constant"

    @property
    def is_test(self) -> bool:
        """Return whether it is a test."""
        return self.kind in ("compare", "and", "not", "finite") or isinstance(self.content, bool)


class Arithmetic:
    """Makes terms."""

    def __init__(self) -> None:
        self._made: dict[Any, Term] = {}
        self.zero, self.one = self.constant(0.0), self.constant(1.0)
        self.true, self.false = self.constant(True), self.constant(False)

    def _make(self, kind: str, content: Any, *operands: Term) -> Term:
        key = (kind, type(content), repr(content) if isinstance(content, float) else content, operands)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Term(kind, content, operands, len(self._made))
        return found

    def leaf(self, content: Place | str) -> Term:
        """Return the value of a place, as a double, or of a variable of C."""
        return self._make("leaf", content)

    def constant(self, value: float | bool) -> Term:
        """Return a constant."""
        return self._make("constant", value)

    def call(self, name: str, *operands: Term) -> Term:
        """Return the value of a definition or a step function, which never fails here."""
        folded = self._folded(name, operands)
        return self._make("call", name, *operands) if folded is None else folded

    def _folded(self, name: str, operands: tuple[Term, ...]) -> Term | None:
        if name not in _FOLDED:
            return None
        if all(each.is_constant for each in operands):
            return self.constant(float(find(name).ieee(*[each.content for each in operands])))
        if name == "negate" and operands[0].content == "negate":
            return operands[0].operands[0]
        if name == "multiply":
            for one, other in (operands, operands[::-1]):
                if one is self.one:
                    return other
                if one.is_constant and one.content == -1.0:
                    return self.call("negate", other)
        return None

    def sum(self, x: Term, y: Term) -> Term:
        """Return x + y."""
        return self.call("add", x, y)

    def product(self, x: Term, y: Term) -> Term:
        """Return x * y."""
        return self.call("multiply", x, y)

    def choose(self, test: Term, then: Term, otherwise: Term) -> Term:
        """Return one of two doubles; both are computed."""
        if test.is_constant:
            return then if test.content else otherwise
        return then if then is otherwise else self._make("choose", None, test, then, otherwise)

    # Tests

    def compare(self, sign: str, x: Term, y: Term) -> Term:
        """Return the test whether x and y compare so."""
        if x.is_constant and y.is_constant:
            return self.constant(_compared(sign, x.content, y.content))
        return self._make("compare", sign, x, y)

    def both(self, x: Term, y: Term) -> Term:
        """Return the test whether two tests hold."""
        for one, other in ((x, y), (y, x)):
            if one.is_constant:
                return other if one.content else self.false
        return x if x is y else self._make("and", None, x, y)

    def inverse(self, test: Term) -> Term:
        """Return the test whether a test does not hold."""
        if test.is_constant:
            return self.constant(not test.content)
        return test.operands[0] if test.kind == "not" else self._make("not", None, test)

    def finite(self, x: Term) -> Term:
        """Return the test whether x is finite."""
        if x.is_constant:
            return self.constant(abs(x.content) < float("inf"))
        return self._make("finite", None, x)


def _compared(sign: str, x: float, y: float) -> bool:
    return {"<": x < y, ">": x > y, "==": x == y, "!=": x != y, "<=": x <= y, ">=": x >= y}[sign]


def needed(outputs: Iterable[Term], known: Container[Term] = ()) -> list[Term]:
    """Return the terms that some terms are made of, and these, each before those that read it.

    known: terms of which it does not matter what they are made of.
    """
    found: dict[int, Term] = {}
    waiting = list(outputs)
    while waiting:
        term = waiting.pop()
        if term.number not in found:
            found[term.number] = term
            waiting += () if term in known else term.operands
    return [found[number] for number in sorted(found)]


def places_read(outputs: Iterable[Term]) -> list[Place]:
    """Return the places that some terms are computed from."""
    leaves = [term.content for term in needed(outputs) if term.kind == "leaf"]
    return [content for content in leaves if isinstance(content, Place)]


def statements(outputs: Iterable[Term], prefix: str, known: Mapping[Term, str]) -> tuple[list[str], Any]:
    """Return declarations that compute terms, and a function from each of them to its expression of C.

    prefix: of the names of variables. known: terms that variables of C have already.
    """
    wanted = needed(outputs, known)
    names: dict[Term, str] = {}
    lines = []
    for term in wanted:
        if term in known:
            names[term] = known[term]
        elif not term.operands:
            names[term] = _word(term)
        else:
            names[term] = f"{prefix}{term.number}"
            c_type = "bool" if term.is_test else "double"
            lines.append(f"const {c_type} {names[term]} = {_text(term, names)};")
    return lines, names.__getitem__


def expression(output: Term) -> str:
    """Return one expression that computes a term."""
    names: dict[Term, str] = {}
    for term in needed([output]):
        names[term] = f"({_text(term, names)})" if term.operands else _word(term)
    return names[output]


def _word(term: Term) -> str:
    if term.kind == "constant":
        return literal(term.content)
    return real(term.content) if isinstance(term.content, Place) else str(term.content)


def _text(term: Term, names: Mapping[Term, str]) -> str:
    words = tuple([names[operand] for operand in term.operands])
    match term.kind:
        case "call":
            operands = tuple(map(Operand, range(len(words))))
            text = c_text.on_doubles(Call(term.content, operands), words)
            return c_text.stripped(text) if find_step_function(term.content) is None else text
        case "choose":
            return f"{words[0]} ? {words[1]} : {words[2]}"
        case "compare":
            return f"{words[0]} {_COMPARED[term.content]} {words[1]}"
        case "and":
            return f"{words[0]} && {words[1]}"
        case "not":
            return f"!{words[0]}"
        case "finite":
            return f"isfinite({words[0]})"
    raise AssertionError(f"{term.kind} is no operation")


def evaluated(outputs: Iterable[Term], values: Mapping[Any, float]) -> list[Any]:
    """Return the values of terms, for values of the contents of leaves."""
    outputs = list(outputs)
    found: dict[Term, Any] = {}
    for term in needed(outputs):
        x = [found[operand] for operand in term.operands]
        match term.kind:
            case "leaf":
                found[term] = values[term.content]
            case "constant":
                found[term] = term.content
            case "call":
                step = find_step_function(term.content)
                function = find(term.content).ieee if step is None else step.value
                found[term] = function(*x)
            case "choose":
                found[term] = x[1] if x[0] else x[2]
            case "compare":
                found[term] = _compared(term.content, x[0], x[1])
            case "and":
                found[term] = x[0] and x[1]
            case "not":
                found[term] = not x[0]
            case "finite":
                found[term] = abs(x[0]) < float("inf")
    return [found[output] for output in outputs]
