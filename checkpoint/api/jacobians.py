"""Whole matrices of derivatives, in the structure that JAX gives them, with numbers at the leaves; and `hvp`.

A Jacobian has the structure of the function's value, with the structure of the argument in the place of
each real: of f([x0, x1]) = (y0, {"b": y1}) it is ([d y0/d x0, d y0/d x1], {"b": [d y1/d x0, d y1/d x1]}).
With a tuple as argnums there is in the place of each real a tuple, with one structure for each argument.
What is no real, in value or argument, has None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from checkpoint.ad.array_library import namespace_of
from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.numbers import elements
from checkpoint.ad.tangent import tangent_of
from checkpoint.api.derivative import ArgNums, Derivative, Options
from checkpoint.api.gradients import Grad
from checkpoint.api.schedules import named_schedule
from checkpoint.api.units import direction, units
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.public import within_programs
from checkpoint.functions.resumption import as_function
from checkpoint.watch.progress import ProgressOption, reported

if TYPE_CHECKING:
    from checkpoint.api.directions import Known

P = ParamSpec("P")
T = TypeVar("T")


class Jacobian(Derivative):
    """A matrix of derivatives, as a function of the same arguments."""

    def structures(
        self, rows: Sequence[Sequence[Any]], args: Sequence[Any], call: Call, at: list[int]
    ) -> list[Any]:
        """Return each row of blocks in the structure of the selected arguments."""
        found = []
        for row in rows:
            left, parts = list(row), []
            for i in at:
                part = call.parts[i]
                count = len(numbers(part))
                parts.append(call.with_leaves(args[i], part, left[:count]))
                del left[:count]
            found.append(self.picked(parts))
        return found


class ReverseJacobian(Jacobian):
    """The function that jacrev returns."""

    kind = "Jacobian"
    counterpart = "jacrev"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call, at = self.call(args, kwargs)
        call.differentiate_by(at)
        with reported(self.options.progress):
            shape, first = self._row(call, 0)
            outputs = numbers(shape)
            count = sum(map(elements, outputs))
            found = [first, *(self._row(call, k)[1] for k in range(1, count))][:count]
        picked = [[number for i in at for number in numbers(call.unpacked(xbar)[i])] for xbar in found]
        inputs = [number for i in at for number in numbers(call.parts[i])]
        rows = []
        for output in outputs:
            lines, picked = picked[: elements(output)], picked[elements(output) :]
            rows.append([stacked(output, [line[k] for line in lines], x, 0) for k, x in enumerate(inputs)])
        return call.with_leaves(call.leave(shape), shape, self.structures(rows, args, call, at))

    def _row(self, call: Call, position: int) -> tuple[Any, Any]:
        """Return the value, as a tree, and the cotangent of the arguments for one of its reals."""
        return row_of(call, (position,), self.schedule)


class ForwardJacobian(Jacobian):
    """The function that jacfwd returns."""

    kind = "Jacobian"
    counterpart = "jacfwd"

    @cached_property
    def _known(self) -> Known:
        """Return what earlier calls have found out of runs along several directions."""
        from checkpoint.api.directions import Known  # noqa: PLC0415  (with the rules of lanes)

        return Known()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "_known" in vars(self):
            whole = self._known.calls.take(self.function, args, kwargs, [])
            if whole is not None:
                return whole
        call, at = self.call(args, kwargs)
        chosen = places(call, at)
        if chosen:
            shape, columns = self._columns(call, at, chosen, args, kwargs)
        else:
            shape, columns = enter(call.run.value()), []
        return self._left(call, at, args, shape, _merged(call, at, columns, numbers(shape)))

    def _left(
        self, call: Call, at: list[int], args: Sequence[Any], shape: Any, rows: Sequence[Sequence[Any]]
    ) -> Any:
        """Return what the caller receives for a value, as a tree, and the blocks for each of its numbers."""
        return call.with_leaves(call.leave(shape), shape, self.structures(rows, args, call, at))

    def _columns(
        self, call: Call, at: list[int], chosen: list[int], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, list[Sequence[Any]]]:
        """Return the value, as a tree, and the tangents of its numbers along each of the places."""
        from checkpoint.api.directions import along_each, learn, repeated  # noqa: PLC0415  (as above)

        again = partial(repeated, self.function, call, args, kwargs)
        shape, columns = along_each(call, at, [(place,) for place in chosen], again, self._known)
        found = list(columns)
        left = partial(self._left, call, at, args)
        learn(self._known, self.function, call, at, (args, kwargs), len(chosen), left)
        return shape, found


class Hessian(Jacobian):
    """The function that hessian returns."""

    kind = "Hessian"
    counterpart = "hessian"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call, at = self.call(args, kwargs)
        call.differentiate_by(at)
        rows = []
        with reported(self.options.progress):
            for place in places(call, at):
                tangent = direction(call, (place,))
                _, _, product = call.run.second(tangent, self.cotangent_of, self.schedule)
                rows.append([number for i in at for number in numbers(call.unpacked(product)[i])])
        rows = _merged(call, at, rows, [number for i in at for number in numbers(call.parts[i])])
        left, parts = self.structures(rows, args, call, at), []
        for i in at:
            part = call.parts[i]
            count = len(numbers(part))
            parts.append(call.with_leaves(args[i], part, left[:count]))
            del left[:count]
        return self.picked(parts)


@within_programs
def jacrev(
    f: Callable[P, Any],
    argnums: ArgNums = 0,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
) -> Callable[P, Any]:
    """Return the Jacobian of a function by reverse mode, as a function: one sweep for each real of its value.

    Its structure is that of the value, with that of the argument in the place of each real.

    Examples:
        >>> jacrev(lambda x: (x[0] * x[1], {"sum": x[0] + x[1]}))([3.0, 4.0])
        ([4.0, 3.0], {'sum': [1.0, 1.0]})
    """
    return ReverseJacobian(f, argnums, options=Options(engine, schedule, memory, progress))


@within_programs
def jacfwd(f: Callable[P, Any], argnums: ArgNums = 0, *, engine: str | None = None) -> Callable[P, Any]:
    """Return the Jacobian of a function by forward mode, as a function: one run for each real selected.

    Its structure is that of `jacrev`. Where most steps are on arrays of NumPy, of float64, the first run is
    along one direction, and the next ones carry many directions at once, with the bits that each has alone
    (further calls for arguments of the same shapes begin with those):
    steps that are rounded correctly element by element, those that only move elements, products of matrices,
    and sums of arrays in one piece are done for all directions at once, others for one after another.

    Examples:
        >>> jacfwd(lambda x: [x, x * x, x * x * x])(2.0)
        [1.0, 4.0, 12.0]
    """
    return ForwardJacobian(f, argnums, options=Options(engine))


def row_of(call: Call, positions: Sequence[int], schedule: Schedule) -> tuple[Any, Any]:
    """Return the value, as a tree, and the cotangent of the arguments for the sum of some of its reals."""
    y, xbar = call.run.vjp(unit_cotangent(positions), schedule)
    return enter(y), xbar


def unit_cotangent(positions: Sequence[int]) -> Callable[[Any], Any]:
    """Return what makes the cotangent of a value that is 1 at the reals at these positions, and else 0."""

    def cotangent_of(y: Any) -> Any:
        tree = enter(y)
        return tangent_of(tree, units(numbers(tree), positions))

    return cotangent_of


def stacked(along: Any, parts: Sequence[Any], like: Any, axis: int) -> Any:
    """Return a block of the matrix, a float or array, from its parts for each real of a number.

    like: the number, of which there is something for each real.
    """
    plain = [part.data if type(part) is Array else part for part in parts]
    if type(along) is not Array:
        return plain[0]
    xp, shape = namespace_of(along.data), tuple(along.data.shape)
    inner = tuple(like.data.shape) if type(like) is Array else ()
    block = xp.stack(plain, axis) if plain else xp.zeros((0,), along.data.dtype)
    return block.reshape(shape + inner if axis == 0 else inner + shape)


def _merged(
    call: Call, at: list[int], columns: Sequence[Sequence[Any]], outputs: Sequence[Any]
) -> list[list[Any]]:
    """Rows of blocks, one for each output, from what there is for each real of the selected arguments."""
    inputs = [number for i in at for number in numbers(call.parts[i])]
    merged, left = [], list(columns)
    for number in inputs:
        lines, left = left[: elements(number)], left[elements(number) :]
        merged.append([stacked(number, [line[k] for line in lines], y, -1) for k, y in enumerate(outputs)])
    return [list(row) for row in zip(*merged, strict=True)]


def places(call: Call, at: list[int]) -> list[int]:
    """Return the position of each real of the selected arguments among those of all arguments."""
    starts, position = {}, 0
    for number in numbers(call.run.argument):
        starts[id(number)] = position
        position += elements(number)
    chosen = [number for i in at for number in numbers(call.parts[i])]
    return [starts[id(number)] + k for number in chosen for k in range(elements(number))]


@within_programs
def hvp(
    f: Callable[..., Any],
    x: T,
    v: Any,
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
) -> T:
    """Return the Hessian of f at x times v: the derivative of `grad(f)` at x along v.

    It is taken by reverse mode over forward mode, so its memory grows as that of a gradient does; the Hessian
    itself is never made.

    Args:
        f: a function of one argument that returns a real.
        x: a pytree.
        v: shaped like x, with None where x has no real.
        engine: as in `vjp`.
        schedule: as in `vjp`.
        memory: as in `vjp`.
        progress: as in `vjp`.

    Returns:
        The product, in x's structure.

    Examples:
        >>> def f(x):
        ...     return x[0] ** 2 * x[1]
        >>> hvp(f, [2.0, 3.0], [1.0, 0.0])
        [6.0, 4.0]
    """
    chosen = named_schedule(schedule, memory)
    call = as_function(f).call((x,), {}, engine, ("x",))
    part = call.parts[0]
    if not holds_real(part):
        raise RunError(call.without_reals("x", x))
    tangent = call.packed([call.tangent(part, v, "v")])
    one = Grad(f).cotangent_of
    with reported(progress):
        _, _, product = call.run.second(tangent, one, chosen)
    along: T = call.leave_cotangent(x, call.unpacked(product)[0])
    return along
