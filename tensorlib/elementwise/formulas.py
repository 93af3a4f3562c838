"""Records of arrays made of the definitions of scalar functions (checkpoint.scalars), element by element.

In: a definition, whose expressions are read with the records of arrays that its functions name, so that they
serve derivatives of every order. Out: its record. A definition that names no function of NumPy is computed
by a loop over its own value: engine c's, once that is loaded, else Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from checkpoint.ad.tracing.loops import LOOPS
from checkpoint.errors import refusal
from checkpoint.scalars import loops
from checkpoint.scalars.algebra import (
    COTANGENT,
    Asks,
    Both,
    Call,
    Compare,
    Constant,
    Expr,
    Operand,
    Test,
    Where,
    find_word,
    parts,
    walk,
)
from checkpoint.scalars.c_text import slope_on_arrays
from checkpoint.scalars.definition import Arrays, Definition, array_functions, definitions, find
from checkpoint.scalars.kernels import kernel_of
from checkpoint.scalars.python_text import SIGNS, compiled
from tensorlib.rules import (
    MINUS_ONE,
    ONE,
    ZERO,
    Gate,
    Partial,
    constant,
    is_scalar,
    pointwise,
    real_only,
    record,
    sampled,
    unbroadcast,
)

_HERE = {"__name__": __name__}  # the module of functions that are made
_NUMBERS = (int, float, bool)
_TESTS = {"==": "np.equal", "<": "np.less", ">": "np.greater"}
_SIGN_BIT, _BOTH, _WHERE = "np.signbit", "np.logical_and", "np.where"


def name_on_arrays(name: str) -> str:
    """Return the name of the record of arrays for a function of an expression."""
    word = find_word(name)
    if word is not None:
        return word.arrays
    arrays = find(name).arrays
    assert arrays is not None, f"{name} is no function of arrays"
    return arrays.name or f"tensorlib.{name}"


class _Text:
    """Writes expressions as Python text with records of arrays.

    operands: their text, by position. plain: the positions of operands that are Python numbers: arithmetic on
    these alone is Python's. records: the names of the records found on the way, by their names in the text.
    shared: the names of calls that occur more than once and are computed once, by their identity.
    """

    def __init__(self, operands: Mapping[int, str]) -> None:
        self.operands = operands
        self.plain: set[int] = set()
        self.records: dict[str, str] = {}
        self.shared: dict[int, str] = {}
        self.written: set[int] = set()

    def whole(self, part: Expr) -> str:
        """Return the text of a whole expression."""
        seen = [id(inner) for inner in walk(part) if isinstance(inner, Call)]
        if not any(
            isinstance(inner, Asks) for inner in walk(part)
        ):  # else it may be in a branch that is not taken
            self.shared = {key: f"c{i}" for i, key in enumerate(seen) if seen.count(key) > 1}
        return self.text(part)

    def text(self, part: Expr | Test) -> str:
        """Return the text of an expression or a test."""
        match part:
            case Operand():
                return self.operands[part.position]
            case Constant():
                return repr(part.value)
            case Asks("is_number", operand):
                return f"type({self.text(operand)}) in NUMBERS"
        if id(part) in self.written:
            return self.shared[id(part)]
        written = [self.text(inner) for inner in parts(part)] if not isinstance(part, Where) else []
        match part:
            case Call(name) if name in SIGNS and self.is_plain(part):
                return f"({written[0]} {SIGNS[name]} {written[1]})"
            case Call(name):
                text = self.applied(name_on_arrays(name), written)
                if id(part) not in self.shared:
                    return text
                self.written.add(id(part))
                return f"({self.shared[id(part)]} := {text})"
            case Compare(sign) if self.is_plain(part):
                return f"{written[0]} {sign} {written[1]}"
            case Compare(sign):
                return self.applied(_TESTS[sign], written)
            case Both():
                return self.applied(_BOTH, written)
            case Asks("has_sign"):
                return self.applied(_SIGN_BIT, written)
            case Where():
                return self.choice(part)
        raise AssertionError(f"{part} is not for arrays")

    def choice(self, part: Where) -> str:
        """Return the text of a choice: of Python numbers, one branch; of arrays, elements of both."""
        if isinstance(part.test, Asks) and part.test.question == "is_number":
            test, position = self.text(part.test), part.test.operand
            assert isinstance(position, Operand)
            self.plain.add(position.position)
            then = self.text(part.then)
            self.plain.remove(position.position)
            return f"({then} if {test} else {self.text(part.otherwise)})"
        written = [self.text(inner) for inner in parts(part)]
        if self.is_plain(part.test):
            return f"({written[1]} if {written[0]} else {written[2]})"
        return self.applied(_WHERE, written)

    def is_plain(self, part: Expr | Test) -> bool:
        """Tell whether a part is made of Python numbers."""
        read = {inner.position for inner in walk(part) if isinstance(inner, Operand)}
        return bool(read) and read <= self.plain

    def applied(self, name: str, operands: list[str]) -> str:
        """Return the text of a record's application."""
        shown = "".join([c if c.isalnum() else "_" for c in name])
        self.records[shown] = name
        return f"{shown}({', '.join(operands)})"


class _NativeText(_Text):
    """Writes expressions as Python text with functions of a library, whose namespace is xp."""

    def applied(self, name: str, operands: list[str]) -> str:
        """Return the text of a function's application."""
        assert name.startswith("np."), name
        return f"xp.{name.removeprefix('np.')}({', '.join(operands)})"


class _Formula:
    """An expression as a function of arrays. It is read at the first call, when all records are there."""

    def __init__(self, part: Expr, operands: tuple[str, ...]) -> None:
        self.part = part
        self.operands = operands
        self.function: Callable[..., Any] | None = None

    def __call__(self, *operands: Any) -> Any:
        if self.function is None:
            writer = _Text(dict(enumerate(self.operands)))
            text = writer.whole(self.part)
            names = {shown: record(name) for shown, name in writer.records.items()}
            self.function = compiled(text, ", ".join(self.operands), {**names, "NUMBERS": _NUMBERS})
        return self.function(*operands)


def _names(arity: int) -> tuple[str, ...]:
    return (*[f"x{i}" for i in range(arity)], "z")


def partials_of(definition: Definition) -> tuple[Partial, ...]:
    """Return the partials of a definition on arrays, made of records."""
    return rules_of(definition.array_derivatives, definition.arity)


def rules_of(expressions: Sequence[Expr], arity: int) -> tuple[Partial, ...]:
    """Return expressions of operands and result as functions of arrays, made of records."""
    return tuple([_partial(part, arity) for part in expressions])


def with_quotients(part: Expr) -> Expr:
    """Return an expression with quotients that may be infinite, where it has others."""
    if not isinstance(part, Call):
        return part
    name = "quotient" if part.name == "divide" else part.name
    return Call(name, tuple(map(with_quotients, part.operands)))


def _partial(part: Expr, arity: int) -> Partial:
    if not isinstance(part, Constant):
        return _Formula(part, _names(arity))
    return {0.0: ZERO, 1.0: ONE, -1.0: MINUS_ONE}.get(part.value) or constant(part.value)


def gates_of(definition: Definition) -> tuple[Gate, ...]:
    """Return for each partial that is 0 or 1 the gate that passes on a tangent or leaves it out."""
    return tuple([_gate(part, definition.arity) for part in definition.array_derivatives])


def _gate(part: Expr, arity: int) -> Gate:
    assert isinstance(part, Where)
    tangent = Operand(arity)
    then, otherwise = (
        tangent if isinstance(x, Constant) and x.value else Constant(0.0) for x in (part.then, part.otherwise)
    )
    formula = _Formula(Where(part.test, then, otherwise), (*_names(arity)[:-1], "t"))

    def gate(t: Any, *operands: Any) -> Any:
        return formula(*operands, t)

    return gate


def _pullbacks(definition: Definition, arrays: Arrays) -> tuple[Callable[..., Any], ...]:
    """Return the rules for cotangents that are not cotangent times partial."""
    arity, names = definition.arity, _names(definition.arity)
    found = []
    for i, rule in enumerate(arrays.pullbacks or ()):
        part = rule(Operand(COTANGENT), *map(Operand, range(arity + 1)))
        text = _NativeText({**dict(enumerate(names)), COTANGENT: "g"}).text(part)
        parameters = ", ".join(("xp", "g", "z", *names[:-1]))
        shown = f"unbroadcast(xp, {text}, {names[i]})"
        found.append(compiled(shown, parameters, {"unbroadcast": unbroadcast}))
    return tuple(found)


def needs_of(definition: Definition) -> tuple[tuple[int, ...], ...]:
    """Return by operand the positions that its rule for cotangents reads."""
    arrays, arity = definition.arrays, definition.arity
    read: tuple[Expr, ...] = definition.array_derivatives
    if arrays is not None and arrays.pullbacks is not None:
        operands = [Operand(COTANGENT), *map(Operand, range(arity + 1))]
        read = tuple([rule(*operands) for rule in arrays.pullbacks])
    return tuple(
        [
            tuple(sorted({x.position for x in walk(part) if isinstance(x, Operand)} - {COTANGENT}))
            for part in read
        ]
    )


def on_arrays(definition: Definition, **fields: Any) -> Tensor:
    """Register the record of a definition; fields: what it has besides, or instead."""
    arrays = definition.arrays
    assert arrays is not None
    names = [name for name in (arrays.name, *arrays.others) if name.startswith("np.")]
    is_loop = not arrays.name
    facts: dict[str, Any] = {
        "value": loop_of(definition) if is_loop else _function(definition, arrays.name),
        "singular": definition.singular if arrays.singular is None else arrays.singular,
        "vjps": _pullbacks(definition, arrays),
        "needs": needs_of(definition),
        "implements": tuple([getattr(np, name.removeprefix("np.")) for name in names]),
        "overloads": arrays.overloads or (_python_names(definition) if is_loop else ()),
        "convention": definition.convention if arrays.convention is None else arrays.convention,
        "shape": arrays.shape,
        "samples": sampled(*(arrays.domain or definition.domain)),
        "operator": "" if "partials" in fields or slope_on_arrays(definition) is None else definition.name,
        **fields,
    }
    name = arrays.name or f"tensorlib.{definition.name}"
    made = pointwise(
        facts.pop("name", name),
        facts.pop("value"),
        *facts.pop("partials", partials_of(definition)),
        **facts,
    )
    if made.name == name:
        array_functions[definition.name] = made
    return made


def register_all() -> None:
    """Register the definitions that are functions of NumPy or loops, and need nothing else."""
    for definition in definitions().values():
        arrays = definition.arrays
        is_here = arrays is not None and arrays.complete and not arrays.name.startswith("scipy.")
        if is_here and definition.name not in array_functions:
            on_arrays(definition)


def _python_names(definition: Definition) -> tuple[str, ...]:
    return tuple([name for name in (definition.of_python, *definition.beside, *definition.exact) if name])


def _function(definition: Definition, name: str) -> Callable[..., Any]:
    """Return the value by a function of NumPy's namespace."""
    operands, own = ", ".join(definition.operands), name.removeprefix("np.")
    function = f"function_of(xp, {own!r})" if name in LOOPS else f"xp.{own}"
    return compiled(f"{function}({operands})", f"xp, {operands}", {"function_of": function_of, **_HERE})


def function_of(xp: Any, name: str) -> Callable[..., Any]:
    """Return a function of a namespace, one of LOOPS: of NumPy's that of engine c, which returns the same."""
    found: Callable[..., Any] = (kernel_of(name) if xp is np else None) or getattr(xp, name)
    return found


def loop_of(definition: Definition, strict: bool = False) -> Callable[..., Any]:
    """Return the value by a loop over the elements; strict: it fails where the value of an element does."""

    def value(xp: Any, *operands: Any) -> Any:
        real_only(definition.name, *operands)
        if all(map(is_scalar, operands)):
            return (definition.value if strict else definition.ieee)(*map(float, operands))
        if any(not is_scalar(x) and type(x).__module__ != "numpy" for x in operands):
            raise refusal(f"{definition.name} of arrays takes those of NumPy")
        dtype = np.result_type(*operands)
        wide = np.broadcast_arrays(*[np.asarray(x, np.float64) for x in operands])
        found = np.empty(wide[0].shape)
        loops.over(definition, strict, [np.ascontiguousarray(x).ravel() for x in wide], found.ravel())
        return found.astype(dtype if dtype.kind == "f" else np.float64, copy=False)[()]

    operands = ", ".join(definition.operands)
    return compiled(f"value(xp, {operands})", f"xp, {operands}", {"value": value, **_HERE})
