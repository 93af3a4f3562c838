"""Solvers of packages, which call functions of the program, and the derivatives of what they find.

    (py.solver name functions arguments)   what a solver of Python's finds; its numbers are constants
    (py.implicit f x)                      x, as the solution of f(x) = 0 that depends on what f captures
    (py.attached y f x)                    y, a real or an array of floats, with the derivatives of f(x)
    (py.moved f b)                         0.0, with the derivatives of f(b), a real that is 0; none if b
    has none (py.underived text f y)                y; an error with this text where f captures what is
    differentiated

A library registers a solver under a name (`solver`): a function of Python functions, one for each procedure
in the tuple `functions`, and of the arguments, a tuple. Each is called on plain numbers, and each call runs
its procedure within the step, so a solver may do whatever it likes. The others give its result derivatives,
of every order: for duals they apply the rule at one tag to operands that may have other tags, as
checkpoint.prims.operators does; under a tape the step is one block. They run procedures that the solver has
run before, so they print nothing.

The solution of f(x) = 0 with J the Jacobian of f at x: its tangent is -J⁻¹ times the tangent of f(x) at
constant x; for its cotangent g, what f captures receives the cotangents for -J⁻ᵀ g of f(x). x is a real or
an array of floats, f(x) has its shape. What f captures takes part, not x.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, cast

from checkpoint.ad.array_library import namespace_of
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.library import solvers
from checkpoint.ad.numbers import (
    Block,
    Dual,
    Node,
    Number,
    components,
    fresh,
    highest_tag,
    is_real,
    real_part,
    without_tape,
    zero,
)
from checkpoint.ad.record import PYTHON_FAILURES, OperandError, lookup
from checkpoint.ad.tangent import match, split
from checkpoint.ad.tensors import Tensor, record_of
from checkpoint.ad.values import Closure, Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import RunError
from checkpoint.lang.control.convert import SOLVER
from checkpoint.prims.aside import constant, silent
from checkpoint.prims.completion import complete
from checkpoint.prims.operators import UNIT, Context, gradient
from checkpoint.prims.python.foreign import language
from checkpoint.prims.python.native import native
from checkpoint.prims.python.support import operator

# Running a solver


class _Procedure:
    """A procedure of the program as a Python function of one argument, on plain numbers.

    calls: the number of calls so far, which tells apart what they print. failed: what a call has raised,
    which the solver may wrap or lose.
    """

    def __init__(self, context: Context, closure: Closure) -> None:
        self.context = context
        self.closure = closure
        self.calls = 0
        self.failed: BaseException | None = None

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return self._called(x, self.context.effects.inside(self.calls))

    def silently(self, x: Any) -> Any:
        """Return the value at x, where the solver needs more than SciPy's own would; nothing is printed."""
        return self._called(x, silent(self.context).effects)

    def _called(self, x: Any, effects: Effects) -> Any:
        context = self.context
        u = enter(Pair(self.closure, language(x, "an argument that a solver passes")))
        try:
            start = context.engine.start(0, u, context.tags)
            end = context.engine.advance(start, None, effects)
            value = complete(end.value, context.engine, end.tags, SOLVER)
        except BaseException as raised:
            self.failed = raised
            raise
        context.tags = max(context.tags, end.tags)
        return native(value)


def _solver(context: Context, name: str, functions: Any, arguments: Any) -> Any:
    """Return the result of a solver; its functions and arguments lose their derivatives."""
    operands = constant(enter(Record(TUPLE, (functions, arguments))))
    procedures: list[_Procedure] = []

    def procedure(closure: Closure) -> _Procedure:
        procedures.append(_Procedure(context, closure))
        return procedures[-1]

    found = native(operands, None, procedure)
    failed: BaseException | None = None
    try:
        result = solvers[name](*found[0], *found[1])
    except Exception:
        failed = _failed(procedures)
        if failed is None:
            raise
    failed = failed or _failed(procedures)
    if failed is not None:
        raise failed
    return language(result, f"the result of {name}")


def _failed(procedures: list[_Procedure]) -> BaseException | None:
    return next((p.failed for p in procedures if p.failed is not None), None)


def _is_derived(value: Any) -> bool:
    """Return whether a number of a value has a derivative."""
    return any(type(number) in (Dual, Node) for number in numbers(value))


# Solutions of f(x) = 0


def _implicit(context: Context, f: Any, x: Any) -> Any:
    """Return x with the derivatives of a solution of f(x) = 0."""
    if type(f) is not Closure:
        raise OperandError("operand 1 is not a procedure")
    operands = enter(Pair(f, constant(x)))
    return _solution(silent(context), operands.car, operands.cdr)


def _solution(context: Context, f: Any, x: Number) -> Number:
    found = numbers(f)
    tag = highest_tag(found)
    if tag is not None:
        return _on_duals(context, f, x, tag)
    if any(type(number) is Node for number in found):
        return _on_tape(context, f, x, found)
    return fresh(x)


def _on_duals(context: Context, f: Any, x: Number, tag: int) -> Number:
    primal, tangent = split(f, tag)
    at = _solution(context, primal, x)
    rows, residual = [], None
    for seed in _basis(x):
        received = gradient(context, 0, Bisection(), Pair(primal, at), seed).cdr
        rows.append(received.cdr)
        term = _dot(received.car.numbers, tangent.numbers)
        term = term if seed is UNIT else _call("np.multiply", seed, term)
        residual = term if residual is None else _call("np.add", residual, term)
    return Dual(tag, at, _like(at, _quotient(rows, residual, x, False)))


def _on_tape(context: Context, f: Any, x: Number, found: list[Number]) -> Number:
    plain = replace(f, found, [without_tape(number) for number in found])

    def pullback(adjoints: list[Number]) -> list[Number]:
        if _are_zero(adjoints):
            return [zero(number) for number in found]
        received = [gradient(context, 0, Bisection(), Pair(plain, x), seed).cdr for seed in _basis(x)]
        factor = _quotient([each.cdr for each in received], adjoints[0], x, True)
        if _shape(x) == ():
            return [_like(n, _call("np.multiply", n, factor)) for n in received[0].car.numbers]
        seed = _like(x, factor)
        of_f = gradient(context, 0, Bisection(), Pair(plain, x), seed).cdr.car
        return list(of_f.numbers)

    solution: Number = _leaves(x, [x], found, pullback)
    return solution


def _quotient(rows: list[Any], right: Any, x: Any, transposed: bool) -> Any:
    """Return -J⁻¹ or -J⁻ᵀ times `right`, from the rows of J."""
    if _shape(x) == ():
        if real_part(_as_real(rows[0])) == 0.0:
            raise RunError(_SINGULAR)
        return _call("np.negative", _call("np.divide", right, rows[0]))
    size = len(rows)
    matrix = _call("np.reshape", _call("np.stack", Record(TUPLE, tuple(rows)), 0), _tuple(size, size))
    matrix = _call("np.transpose", matrix) if transposed else matrix
    try:
        found = _call("np.linalg.solve", matrix, _call("np.reshape", right, _tuple(size)))
    except ValueError as error:
        raise RunError(f"{_SINGULAR} ({error})") from None
    return _call("np.negative", _call("np.reshape", found, _tuple(*_shape(x))))


_SINGULAR = (
    "the solution has no derivative here: the Jacobian of the equations at it is singular, so that a "
    "change of what they depend on moves it infinitely far, or in no certain direction"
)


def _basis(x: Number) -> list[Any]:
    """Return the cotangents of f(x) whose gradients are the rows of its Jacobian."""
    value = real_part(x)
    if _shape(x) == ():
        return [UNIT]
    xp, data = namespace_of(value.data), value.data
    unit = xp.eye(data.size, dtype=data.dtype)
    return [Array(unit[i].reshape(data.shape).copy(), Memory()) for i in range(data.size)]


def _shape(x: Number) -> tuple[int, ...]:
    value = real_part(x)
    return () if type(value) is float else tuple(value.data.shape)


def _tuple(*items: int) -> Record:
    return Record(TUPLE, items)


def _call(name: str, *operands: Any) -> Any:
    return record_of(cast(Tensor, lookup(name)), operands)


def _as_real(number: Any) -> Any:
    return number if is_real(number) else _call("np.float", number)


def _like(number: Number, other: Any) -> Any:
    """Return a number as a real or an array, as another number is."""
    if type(real_part(number)) is float:
        return _as_real(other)
    return _call("np.multiply", other, 1.0) if is_real(other) else other


def _dot(first: tuple[Number, ...], second: tuple[Number, ...]) -> Any:
    total: Any = 0.0
    for one, other in zip(first, second, strict=True):
        total = _call("np.add", total, _call("np.sum", _call("np.multiply", one, other)))
    return total


# Values with the derivatives of others


def _attached(context: Context, y: Any, f: Any, x: Any) -> Any:
    """Return a value with the derivatives of f(x), which is computed only where they are needed."""
    operands, value = enter(Pair(f, x)), constant(y)
    context, seed = silent(context), UNIT if _shape(value) == () else _call("np.multiply", value, 0.0)
    found = numbers(operands)
    if highest_tag(found) is not None:
        return _with_value(_like(value, gradient(context, 0, Bisection(), operands, seed).car), value)
    if not _is_derived(operands):
        return fresh(value)
    plain = replace(operands, found, [without_tape(number) for number in found])

    def pullback(adjoints: list[Number]) -> list[Number]:
        if _are_zero(adjoints):
            return [zero(number) for number in found]
        seed = adjoints[0]
        if _shape(value) == ():  # f(x) may be a real or an array of one
            return _scaled(plain, gradient(context, 0, Bisection(), plain, UNIT).cdr, seed)
        received = gradient(context, 0, Bisection(), plain, seed).cdr
        return [other for _, other in match(plain, received, "cotangent")]

    return _leaves(value, [value], found, pullback)


def _moved(context: Context, f: Any, b: Any) -> Any:
    """Return 0.0 with the derivatives of f(b), which is 0 whatever f captures, where b has any.

    They are not numbers where f fails: it may well be called for a constant, whose derivative nobody needs.
    """
    if type(b) is Dual:
        parts = components([b])
        if not any(type(part) is Node or real_part(part) != 0.0 for part in parts[1:]):
            return fresh(_ZERO)
    elif type(b) is not Node:
        return fresh(_ZERO)
    context, operands = silent(context), enter(Pair(f, b))
    found = numbers(operands)
    if highest_tag(found) is not None:
        return _with_value(_as_real(gradient(context, 0, Bisection(), operands, UNIT).car), _ZERO)
    plain = replace(operands, found, [without_tape(number) for number in found])

    def pullback(adjoints: list[Number]) -> list[Number]:
        if _are_zero(adjoints):
            return [zero(number) for number in found]
        try:
            slope = gradient(context, 0, Bisection(), plain, UNIT).cdr.cdr
        except Raised:
            slope = math.nan
        others = [zero(number) for number in found[:-1]]  # f(b) is 0 whatever f captures
        return [*others, _as_real(_call("np.multiply", slope, adjoints[0]))]

    return _leaves(_ZERO, [_ZERO], found, pullback)


_ZERO = 0.0


def _scaled(operands: Any, received: Any, factor: Number) -> list[Number]:
    """Return the cotangents of operands for a real or an array of one, from those for the cotangent 1."""
    pairs = match(operands, received, "cotangent")
    return [_like(number, _call("np.multiply", other, factor)) for number, other in pairs]


def _leaves(result: Any, outputs: list[Number], inputs: list[Number], pullback: Any) -> Any:
    """Return a result of one block, with its numbers on the tape of the inputs."""
    tape = next(number.tape for number in inputs if type(number) is Node)
    leaves = [tape.leaf(fresh(number)) for number in outputs]
    tape.entries.append(Block(leaves, inputs, pullback))
    return replace(result, outputs, leaves)


def _are_zero(adjoints: list[Number]) -> bool:
    """Return whether a result has received nothing, so that its rule need not run."""
    return all(n == 0.0 if type(n) is float else not n.data.any() for n in adjoints)


def _with_value(number: Number, value: Number) -> Number:
    """Return a number with another value under its derivatives."""
    if type(number) is Dual:
        return Dual(number.tag, _with_value(number.primal, value), number.tangent)
    if type(number) is not Node:
        return fresh(value)
    renamed: Number = _leaves(value, [value], [number], list)
    return renamed


def _underived(_: Any, text: str, f: Any, y: Any) -> Any:
    """Return y; raise an error where a derivative by what f captures is needed."""
    found, result = numbers(f), constant(y)
    if any(type(number) is Dual for number in found):
        raise RunError(text)
    if not _is_derived(f):
        return result

    def pullback(adjoints: list[Number]) -> list[Number]:
        if _are_zero(adjoints):
            return [zero(number) for number in found]
        raise RunError(text)

    return _leaves(result, numbers(result), found, pullback)


_register = partial(operator, failures=(*PYTHON_FAILURES, Warning))
_register("solver", 3, "the result of a solver of Python's", _solver, "none: its numbers are constants")
_register("implicit", 2, "x, which solves f(x) = 0", _implicit, "by the implicit function theorem")
_register("attached", 3, "y with the derivatives of f(x)", _attached, "that of f(x)")
_register("moved", 2, "0.0 with the derivatives of f(b), none if b has none", _moved, "that of f(b)")
_register("underived", 3, "y, where nothing that f captures is differentiated", _underived, "an error")
