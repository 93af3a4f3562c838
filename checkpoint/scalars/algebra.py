"""The algebra in which derivatives are written: expressions over the operands and the result of a function.

Expressions are built by Python's operators and by calling named functions:

    e    ::= operand | constant | e + e | e - e | e * e | e / e | -e | function(e, ...)
           | where(test, e, e) | real(e)
    test ::= e < e | e > e | is_zero(e) | test & test | is_number(e) | has_sign(e)

An operand is known by its position; the result has the position behind the last operand, a cotangent the
position COTANGENT. A function is known by its name: that of a definition (definition.py), of a *word*, which
is a definition or an expression on scalars and a function of its own on arrays, or of a *step function*,
whose result is constant wherever it is continuous and which reads the real parts of its operands. Tests read
real parts, too. Arithmetic is the definitions add, subtract, multiply, divide and negate. Expressions never
change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from checkpoint.dataclass import dataclass

COTANGENT = -1  # the position of a cotangent in the pullbacks of arrays


class Expr:
    """An expression, or a part of one."""

    __slots__ = ()

    def __add__(self, other: Expr | float) -> Expr:
        return call("add", self, other)

    def __radd__(self, other: float) -> Expr:
        return call("add", other, self)

    def __sub__(self, other: Expr | float) -> Expr:
        return call("subtract", self, other)

    def __rsub__(self, other: float) -> Expr:
        return call("subtract", other, self)

    def __mul__(self, other: Expr | float) -> Expr:
        return call("multiply", self, other)

    def __rmul__(self, other: float) -> Expr:
        return call("multiply", other, self)

    def __truediv__(self, other: Expr | float) -> Expr:
        return call("divide", self, other)

    def __rtruediv__(self, other: float) -> Expr:
        return call("divide", other, self)

    def __neg__(self) -> Expr:
        return call("negate", self)

    def __lt__(self, other: Expr | float) -> Test:
        return Compare("<", self, expression(other))

    def __gt__(self, other: Expr | float) -> Test:
        return Compare(">", self, expression(other))


class Operand(Expr):
    """An operand or the result, by its position."""

    __slots__ = __match_args__ = ("position",)

    def __init__(self, position: int) -> None:
        self.position = position


class Constant(Expr):
    """A number: a float; an int only in what is for arrays alone."""

    __slots__ = __match_args__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value


class Call(Expr):
    """A named function of expressions."""

    __slots__ = __match_args__ = ("name", "operands")

    def __init__(self, name: str, operands: tuple[Expr, ...]) -> None:
        self.name = name
        self.operands = operands


class Where(Expr):
    """One of two expressions; on scalars the other one is not computed."""

    __slots__ = __match_args__ = ("test", "then", "otherwise")

    def __init__(self, test: Test, then: Expr, otherwise: Expr) -> None:
        self.test = test
        self.then = then
        self.otherwise = otherwise


class Real(Expr):
    """The real part of an expression, as a constant."""

    __slots__ = __match_args__ = ("operand",)

    def __init__(self, operand: Expr) -> None:
        self.operand = operand


class Test:
    """A condition, on real parts."""

    __slots__ = ()

    def __and__(self, other: Test) -> Test:
        return Both(self, other)


class Compare(Test):
    """Two expressions compared by <, >, ==, !=, <= or >=."""

    __slots__ = __match_args__ = ("sign", "x", "y")

    def __init__(self, sign: str, x: Expr, y: Expr) -> None:
        self.sign = sign
        self.x = x
        self.y = y


class Both(Test):
    """Two conditions that hold."""

    __slots__ = __match_args__ = ("x", "y")

    def __init__(self, x: Test, y: Test) -> None:
        self.x = x
        self.y = y


class Asks(Test):
    """A question about an operand, for arrays alone: is_number, has_sign."""

    __slots__ = __match_args__ = ("question", "operand")

    def __init__(self, question: str, operand: Expr) -> None:
        self.question = question
        self.operand = operand


# From symbolic operands, and the result if it takes it, to an Expr, a number, or in predicates a Test.
Rule = Callable[..., Any]


def expression(value: Any) -> Expr:
    """Return an expression as it is, and a number as a constant."""
    return value if isinstance(value, Expr) else Constant(value)


def call(name: str, *operands: Expr | float) -> Expr:
    """Return the call of a named function."""
    return Call(name, tuple(map(expression, operands)))


def where(test: Test, then: Expr | float, otherwise: Expr | float) -> Expr:
    """Return `then` where the test holds, and else `otherwise`."""
    return Where(test, expression(then), expression(otherwise))


def is_zero(x: Expr) -> Test:
    """Test whether the real part of x is 0."""
    return Compare("==", x, Constant(0.0))


def compared(sign: str, x: Expr, y: Expr | float) -> Test:
    """Test two expressions by any of Python's comparisons."""
    return Compare(sign, x, expression(y))


def is_number(x: Expr) -> Test:
    """Test whether an operand is a Python number and no array."""
    return Asks("is_number", x)


def has_sign(x: Expr) -> Test:
    """Test, for arrays, whether x has the sign bit: -0.0 has."""
    return Asks("has_sign", x)


def real(x: Expr) -> Expr:
    """Return the real part of x as a constant, which has no derivative."""
    return Real(x)


@dataclass(frozen=True, eq=False)
class Word:
    """A function with a meaning on scalars and a record of its own on arrays.

    name: by which expressions know it. arrays: the name of the record of arrays.
    scalars: the same on scalars, as an expression; None: only arrays have it.
    """

    name: str
    arrays: str
    scalars: Rule | None = None

    def __call__(self, *operands: Expr | float) -> Expr:
        return call(self.name, *operands)


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A function of real parts whose result counts as a constant.

    name: by which expressions know it. value: on floats; it never fails.
    c: C text of the value, on doubles x, y, r in the order of its operands; "": it is not in C.
    """

    name: str
    value: Callable[..., float]
    c: str = ""

    def __call__(self, *operands: Expr | float) -> Expr:
        return call(self.name, *operands)


_words: dict[str, Word] = {}
_step_functions: dict[str, StepFunction] = {}


def word(name: str, arrays: str, scalars: Rule | None = None) -> Word:
    """Enter a word."""
    _words[name] = Word(name, arrays, scalars)
    return _words[name]


def step_function(name: str, value: Callable[..., float], c: str) -> StepFunction:
    """Enter a step function."""
    _step_functions[name] = StepFunction(name, value, c)
    return _step_functions[name]


def find_word(name: str) -> Word | None:
    """Return the word of a name, if it is one."""
    return _words.get(name)


def find_step_function(name: str) -> StepFunction | None:
    """Return the step function of a name, if it is one."""
    return _step_functions.get(name)


def parts(part: Expr | Test) -> tuple[Expr | Test, ...]:
    """Return what an expression or test consists of."""
    match part:
        case Call():
            return part.operands
        case Where():
            return (part.test, part.then, part.otherwise)
        case Real() | Asks():
            return (part.operand,)
        case Compare() | Both():
            return (part.x, part.y)
    return ()


def walk(part: Expr | Test) -> Iterator[Expr | Test]:
    """Yield an expression and all its parts."""
    yield part
    for inner in parts(part):
        yield from walk(inner)


def positions(part: Expr) -> tuple[int, ...]:
    """Return the positions that an expression reads, in order."""
    return tuple(sorted({inner.position for inner in walk(part) if isinstance(inner, Operand)}))


def on_scalars(part: Any) -> Any:
    """Return an expression or test with every word replaced by what it is on scalars."""
    match part:
        case Call():
            operands = [on_scalars(operand) for operand in part.operands]
            found = find_word(part.name)
            if found is None:
                return Call(part.name, tuple(operands))
            assert found.scalars is not None, f"{part.name} is only for arrays"
            return on_scalars(expression(found.scalars(*operands)))
        case Where():
            return Where(on_scalars(part.test), on_scalars(part.then), on_scalars(part.otherwise))
        case Real():
            return Real(on_scalars(part.operand))
        case Compare():
            return Compare(part.sign, on_scalars(part.x), on_scalars(part.y))
        case Both():
            return Both(on_scalars(part.x), on_scalars(part.y))
    return part
