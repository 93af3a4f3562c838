"""Definitions as C: expressions on doubles and on numbers of any nesting, and the table that the build fills.

In: definitions. Out: text. What always holds: the operations and their order are those of the definition, so
that C agrees with Python in every bit. A function that a partial names is computed as its value is.

The table is C's X-macros, to be included with some of these defined:

    UNARY(id, singular, value, refused, by_x, slope_x, numbers_by_x)
    BINARY(id, singular, value, refused, by_x, by_y, slope_x, slope_y, numbers_by_x, numbers_by_y)
    PREDICATE(id, arity, value)
    INTEGERS(id, kind, with, given, result)
    NAME(id, record, takes)
    SLOPE(id, singular, reads_x, reads_r, slope)

value and refused are C on doubles x, y and the result r; by_x and by_y, too. numbers_by_x is the same in
operations on a stack of numbers (scalars.c). slope_x is the kind of the partial (scalars.h). INTEGERS: what a
definition is on integers x and y where `given` holds, which may compute z; `with` is the second field of its
entry. NAME: the record of that name is this definition; takes: reals alone, integers beside reals, or
integers alone, too. SLOPE: the partial on arrays of a function of one operand, where that is arithmetic, as C
on Numbers x and r, and constants K(c).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from checkpoint.scalars.algebra import (
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
    on_scalars,
    walk,
)
from checkpoint.scalars.definition import Definition, applied, definitions, find
from checkpoint.scalars.python_text import SIGNS, is_plain

_DEEPEST = 8  # the room of a stack of numbers (DEEPEST_PARTIAL of scalars.c)
_NAMES = ("x", "y", "r")  # of operands and result, in C on doubles


def is_in_c(definition: Definition) -> bool:
    """Tell whether C has a definition: its value is C, and so is all that its partials name."""
    seen: set[str] = set()
    pending = [definition.name]
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        step = find_step_function(name)
        if step is not None:
            if not step.c:
                return False
            continue
        found = find(name)
        if found.c == "" or found.arity > 2:
            return False
        parts = [*found.scalar_derivatives, *([formula_of(found)] if found.c is None else [])]
        pending += [inner.name for part in parts for inner in walk(part) if isinstance(inner, Call)]
    return True


def stripped(text: str) -> str:
    """Return text without the parentheses around the whole of it.

    >>> stripped("(1.0 / x)"), stripped("(x) + (y)")
    ('1.0 / x', '(x) + (y)')
    """
    if not text.startswith("("):
        return text
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth:
            return text[1:-1] if i == len(text) - 1 else text
    return text


# On doubles


def on_doubles(part: Expr | Test, operands: tuple[str, ...] = _NAMES[:2], result: str = "r") -> str:
    """Return an expression as C on doubles, which are given as text: the operands, and the result."""
    match part:
        case Operand():
            return operands[part.position] if part.position < len(operands) else result
        case Constant():
            return repr(float(part.value))
        case Call():
            return _call(part.name, [on_doubles(operand, operands, result) for operand in part.operands])
        case Where():
            then, otherwise = (on_doubles(e, operands, result) for e in (part.then, part.otherwise))
            return f"(({on_doubles(part.test, operands, result)}) ? {then} : {otherwise})"
        case Real():
            return on_doubles(part.operand, operands, result)
        case Compare():
            x, y = (on_doubles(e, operands, result) for e in (part.x, part.y))
            return f"{x} {part.sign} {y}"
        case Both():
            return f"{on_doubles(part.x, operands, result)} && {on_doubles(part.y, operands, result)}"
    raise AssertionError(f"{part} is not for scalars")


def _call(name: str, operands: list[str]) -> str:
    if name in SIGNS:
        return f"({operands[0]} {SIGNS[name]} {operands[1]})"
    if name == "negate":
        return f"(-{operands[0]})"
    found = find_step_function(name)
    text = found.c if found is not None else value_of(find(name))
    return _with_operands(text, operands)


def _with_operands(text: str, operands: list[str]) -> str:
    """Return C on x, y and r with other operands in their places."""
    given = dict(zip(_NAMES, operands, strict=False))
    is_call = re.fullmatch(r"\w+\([^()]*\)", text) is not None
    replaced = re.sub(
        r"\b[xyr]\b", lambda name: stripped(given[name[0]]) if is_call else f"({given[name[0]]})", text
    )
    return replaced if is_call else f"({replaced})"


def value_of(definition: Definition) -> str:
    """Return the value as C on doubles x and y."""
    if definition.c is not None:
        return definition.c
    return stripped(on_doubles(formula_of(definition), result=""))


def formula_of(definition: Definition) -> Expr | Test:
    """Return the formula of a value on scalars: of a predicate, a test."""
    assert definition.formula is not None
    if definition.partials is None:
        test: Test = on_scalars(definition.formula(*map(Operand, range(definition.arity))))
        return test
    return on_scalars(applied(definition.formula, definition.arity, result=False))  # type: ignore[no-any-return]


def partial_of(definition: Definition, i: int) -> str:
    """Return a partial as C on doubles x, y and r."""
    operands = _NAMES[: definition.arity]
    return stripped(on_doubles(definition.scalar_derivatives[i], operands))


def plain_partial(definition: Definition, i: int, operands: tuple[str, ...], result: str) -> str | None:
    """Return a partial of these operands as a factor; None where it is more than arithmetic."""
    part = definition.scalar_derivatives[i]
    if not is_plain(part) or any(isinstance(inner, Where) for inner in walk(part)):
        return None
    text = on_doubles(part, operands, result)
    return (
        stripped(text) if isinstance(part, Call) and part.name in ("multiply", "divide", "negate") else text
    )


def plain_value(definition: Definition, operands: tuple[str, ...]) -> str | None:
    """Return the value of these operands; None where it may fail, or is more than arithmetic or a test."""
    formula = _plain_formula(definition)
    text = None if formula is None else on_doubles(formula, operands, "")
    return text if text is None or isinstance(formula, Operand) else stripped(text)


@cache
def _plain_formula(definition: Definition) -> Expr | Test | None:
    formula = None if definition.fails or definition.formula is None else formula_of(definition)
    is_more = isinstance(formula, Expr) and (not is_plain(formula) or isinstance(formula, Where))
    return None if is_more else formula


# On numbers of any nesting


class _Numbers:
    """Writes operations on the stack of numbers of scalars.c; depth: how much room they take."""

    def __init__(self, arity: int) -> None:
        self.names = (*"XY"[:arity], "Z")

    def text(self, part: Expr) -> tuple[str, int]:
        """Return the text of an expression and the room that it takes."""
        match part:
            case Operand():
                return self.names[part.position], 1
            case Constant():
                return f"CONSTANT({float(part.value)!r})", 1
            case Call():
                return self.call(part)
            case Where():
                then, one = self.text(part.then)
                otherwise, other = self.text(part.otherwise)
                return f"EITHER({self.real(part.test)}, {then}, {otherwise})", max(one, other)
            case Real():
                return f"CONSTANT({self.real(part.operand)})", 1
        raise AssertionError(f"{part} is not for scalars")

    def call(self, part: Call) -> tuple[str, int]:
        found = find_step_function(part.name)
        if found is not None:
            operands = [self.real(operand) for operand in part.operands]
            return f"CONSTANT({_with_operands(found.c, operands)})", 1
        written = [self.text(operand) for operand in part.operands]
        depth = max(place + room for place, (_, room) in enumerate(written))
        return f"OF_{len(written)}({part.name}, {', '.join(text for text, _ in written)})", depth

    def real(self, part: Expr | Test) -> str:
        """Return the text of the real part of an expression, or of a test."""
        names = tuple([f"REAL_{name}" for name in self.names])
        return stripped(on_doubles(part, names[:-1], names[-1]))


def on_numbers(definition: Definition, i: int) -> str:
    """Return a partial as operations on the stack of numbers."""
    text, depth = _Numbers(definition.arity).text(definition.scalar_derivatives[i])
    assert depth <= _DEEPEST, f"a partial of {definition.name} needs more room than scalars.c has"
    return text


# The table


def slope_of(part: Expr, arity: int) -> str:
    """Return which of the kinds of scalars.h a partial is, for the operations that reverse it."""
    match part:
        case Constant(0.0):
            return "SLOPE_ZERO"
        case Constant(1.0):
            return "SLOPE_ONE"
        case Constant(-1.0):
            return "SLOPE_MINUS_ONE"
        case Operand(0):
            return "SLOPE_X"
        case Operand(1) if arity > 1:
            return "SLOPE_Y"
        case Call("divide", (Constant(1.0), Operand(1))) if arity > 1:
            return "SLOPE_BY_Y"
        case Call("negate", (Call("divide", (Operand(2), Operand(1))),)) if arity > 1:
            return "SLOPE_OF_DIVISOR"
    return "SLOPE_ANY"


# On arrays, element by element


def slope_on_arrays(definition: Definition) -> Expr | None:
    """Return the partial of a function of arrays if that is one, and made of arithmetic."""
    arrays = definition.arrays
    if arrays is None or not arrays.name or arrays.pullbacks is not None or definition.arity != 1:
        return None
    if not definition.array_derivatives:
        return None
    (part,) = definition.array_derivatives
    if isinstance(part, Constant) and abs(part.value) == 1.0:
        return None
    return part if all(map(_is_in_loops, walk(part))) else None


def _is_in_loops(part: Expr | Test) -> bool:
    if isinstance(part, Call):
        return part.name in _IN_LOOPS
    return isinstance(part, Operand | Constant)


_IN_LOOPS = {name: f"({{0}} {sign} {{1}})" for name, sign in SIGNS.items()}
_IN_LOOPS |= {"negate": "(-{0})", "quotient": "({0} / {1})", "square": "({0} * {0})"}


def slope_of_element(
    definition: Definition, position: int, names: Sequence[str], function: Callable[..., str | None]
) -> str | None:
    """Return a partial of a function of arrays, as C on doubles; None: it has another form.

    names: of the operands and the result. function: returns the value of another function of arrays, by its
    name, at operands, as C; None: that has none.
    """

    def text(part: Expr | Test) -> str | None:
        match part:
            case Operand():
                return names[part.position]
            case Constant():
                return repr(float(part.value))
            case Where():
                return joined("({} ? {} : {})", part.test, part.then, part.otherwise)
            case Compare():
                return joined(f"({{}} {part.sign} {{}})", part.x, part.y)
            case Call() if part.name in _IN_LOOPS:
                return joined(_IN_LOOPS[part.name], *part.operands)
            case Call():
                words = [text(each) for each in part.operands]
                return None if None in words else function(part.name, *words)
        return None

    def joined(form: str, *inner: Expr | Test) -> str | None:
        words = [text(each) for each in inner]
        return None if None in words else form.format(*words)

    arrays = definition.arrays
    if arrays is None or arrays.pullbacks is not None or not definition.array_derivatives:
        return None
    return text(definition.array_derivatives[position])


def _in_loop(part: Expr) -> str:
    """Return an expression as C on the elements x and r of operand and result."""
    match part:
        case Operand():
            return "r" if part.position else "x"
        case Constant():
            return f"K({float(part.value)!r})"
        case Call():
            return _IN_LOOPS[part.name].format(*map(_in_loop, part.operands))
    raise AssertionError(f"{part} is not for loops over arrays")


def _slopes(definition: Definition) -> Iterable[str]:
    part = slope_on_arrays(definition)
    if part is not None:
        assert definition.arrays is not None
        own = definition.arrays.singular
        read = {inner.position for inner in walk(part) if isinstance(inner, Operand)}
        facts = [definition.singular if own is None else own, 0 in read, 1 in read]
        fields = [definition.name, *[str(fact).lower() for fact in facts], stripped(_in_loop(part))]
        yield f"SLOPE({', '.join(fields)})"


# The table


def table() -> str:
    """Return the table of all definitions that are in C."""
    found = [definition for definition in definitions().values() if is_in_c(definition)]
    smooth = [definition for definition in found if definition.partials is not None]
    sections = [
        ("UNARY", [_function(d) for d in smooth]),
        (
            "PREDICATE",
            [f"PREDICATE({d.name}, {d.arity}, {value_of(d)})" for d in found if d.partials is None],
        ),
        ("INTEGERS", [_integers(d) for d in found if d.integers is not None]),
        ("NAME", [line for d in found for line in _names(d)]),
        ("SLOPE", [line for d in definitions().values() for line in _slopes(d)]),
    ]
    lines = ["/* Scalar functions: made by checkpoint/scalars/c_text.py, which says what the entries are. */"]
    for guard, entries in sections:
        lines += [f"#ifdef {guard}", *entries, "#endif"]
    return "\n".join(lines) + "\n"


def _function(definition: Definition) -> str:
    positions = range(definition.arity)
    fields = [
        definition.name,
        "true" if definition.singular else "false",
        value_of(definition),
        definition.fails or "false",
        *(partial_of(definition, i) for i in positions),
        *(slope_of(part, definition.arity) for part in definition.scalar_derivatives),
        *(on_numbers(definition, i) for i in positions),
    ]
    return f"{'UNARY' if definition.arity == 1 else 'BINARY'}({', '.join(fields)})"


def _kind(definition: Definition) -> tuple[str, str]:
    """Return the entry that a definition has in the table, and the second field of that."""
    if definition.partials is None:
        return "PREDICATE", str(definition.arity)
    return "UNARY" if definition.arity == 1 else "BINARY", "true" if definition.singular else "false"


def _integers(definition: Definition) -> str:
    assert definition.integers is not None
    fields = [definition.name, *_kind(definition), definition.integers.given, definition.integers.result]
    return f"INTEGERS({', '.join(fields)})"


def _names(definition: Definition) -> Iterable[str]:
    of_python = [definition.of_python] if definition.of_python else []
    takes = {
        "reals": [definition.language] if definition.language else [],
        "integers": definition.exact,
        "beside_integers": [*definition.beside, *of_python],
    }
    for kind, names in takes.items():
        for name in names:
            yield f'NAME({definition.name}, "{name}", {kind})'
