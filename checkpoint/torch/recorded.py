"""Calls of programs whose tensors PyTorch's autograd records.

In: a function and its arguments. Out: its value and its derivatives, of every order, as functions of the
tensors among all that came in which require gradients, wherever they are: in nests, in objects, in what the
function closes over. All other arrays are constants.

Write u for these tensors, y for those of the value, J for the Jacobian. A *reversal* of level 0 takes (u, v)
to (y, v J). One of level k + 1 is that of the directional derivative of level k, (u, w) -> (y, J w); so the
derivative of a reversal is the next one (checkpoint.prims.operators): for cotangents (a, w) of its results, u
receives the first half of the cotangent that the reversal of (u, w) at (a, v) gives, and v receives J w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakMethod

from checkpoint.ad.array_library import noticed, remembered
from checkpoint.ad.arrays import Array, Copies, Memory
from checkpoint.ad.graph import enter, numbers, renew, replace
from checkpoint.ad.numbers import Number, real_part, zero
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.tangent import cotangent_of, match, tangent_of
from checkpoint.ad.values import Pair
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import BudgetError, UnfitKey, Unreached
from checkpoint.functions.interface import Call
from checkpoint.functions.resumption import as_function
from checkpoint.prims.operators import swept
from checkpoint.prims.waiting import Waiting

Tensors = Sequence[Any]


class Recorded:
    """A call whose tensors are recorded.

    inputs: the caller's tensors that require gradients, one for each place where the call has one.
    """

    def __init__(
        self,
        f: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        engine: str | None,
        schedule: Schedule,
        has_state: bool,
    ) -> None:
        self._settings = remembered()
        self._schedule = schedule
        self._seen: dict[int, tuple[Any, Any]] = {}
        with _noticing(self._seen):
            self.call: Call = as_function(f, has_state).call(args, kwargs, engine)
        self.inputs: list[Any] = []
        self._active: list[int] = []
        self._choose()
        self._prepare_to_begin_again()

    def _prepare_to_begin_again(self) -> None:
        """Let the run notice and choose again where it begins again; no cycle may hold tensors."""
        run, seen, choose = self.call.run, self._seen, WeakMethod(self._choose)
        renew = run.renew
        assert renew is not None

        def noticing(takes_any_key: bool) -> Any:
            with _noticing(seen):
                return renew(takes_any_key)

        def chosen(_: Any) -> None:
            again = choose()
            assert again is not None
            again()

        run.renew, run.entered = noticing, chosen

    def _choose(self) -> None:
        """Let the tensors that require gradients be active, and all other arrays be constants."""
        found = self.call.run.found
        given = [self._seen.get(id(x.data), (None,))[0] if type(x) is Array else None for x in found]
        self._active = [i for i, x in enumerate(given) if x is not None and x.requires_grad]
        self.inputs = [given[i] for i in self._active]
        self._seen.clear()
        _mark(found, self._active)

    # The value, and its cotangents

    def waiting(self) -> Waiting:
        """Return the run at its end."""
        return self.call.run.waiting(self._schedule)

    @staticmethod
    def value(waiting: Waiting) -> Any:
        """Return the value as the caller's own, of the language."""
        return renew(waiting.value, Copies())

    def finished(self, waiting: Waiting, v: Tensors, is_last: bool) -> tuple[list[Any], list[Any]]:
        """Return the tensors of the value, and the cotangents of the inputs for theirs, as `reversal` does.

        If that uses `waiting` up, as the last one (`is_last`) may, or fails, `waiting` is closed.
        """
        lasts = False
        try:
            with self._as_then(), self.call.run.errors:
                found = waiting.cotangents(_cotangent(0, v), is_last)
                parts = [_conjugated(found[i].data) for i in self._active]
            lasts = not (is_last or waiting.is_over)
            return _tensors(waiting.value, 0), parts
        except (Unreached, UnfitKey, BudgetError):  # only the reversal reaches it; or a new run needs less
            return self.reversal(0, [x.detach() for x in self.inputs], v)
        finally:
            if not lasts:
                waiting.close()

    # Reversals

    def reversal(self, level: int, u: Tensors, v: Tensors) -> tuple[list[Any], list[Any]]:
        """Return the tensors of the value, and the cotangents of the inputs, of the reversal of a level."""
        run, inputs = self.call.run, list(map(id, self.inputs))
        with self._as_then():
            while True:
                try:
                    return self._reversal(level, u, v)
                except (Unreached, UnfitKey) as error:
                    run.begin_again(error)
                    if list(map(id, self.inputs)) != inputs:
                        raise

    def _reversal(self, level: int, u: Tensors, v: Tensors) -> tuple[list[Any], list[Any]]:
        run = self.call.run
        with run.errors:
            whole, found, active = self._entered(level, u)
            context = run.context()
            y, parts = swept(context, level, self._schedule, whole, found, _cotangent(level, v))
            return _tensors(y, level), [_conjugated(parts[i].data) for i in active]

    def _entered(self, level: int, u: Tensors) -> tuple[Any, list[Number], list[int]]:
        """Return what a run of a level starts with, its numbers, and the positions of the active ones."""
        run = self.call.run
        if level == 0:
            new: list[Number] = list(run.found)
            for i, x in zip(self._active, u, strict=True):
                new[i] = Array(x, Memory(FROZEN))
            whole = replace(run.u, run.found, new)
            found = numbers(whole)
            _mark(found, self._active)
            return whole, found, self._active
        half = len(u) // 2
        lower, found, active = self._entered(level - 1, u[:half])
        tangents = list(map(zero, found))
        for i, x in zip(active, u[half:], strict=True):
            tangents[i] = Array(x, Memory(FROZEN))
        whole = enter(Pair(lower, tangent_of(lower, tangents, found)))
        active = [*active, *(len(found) + i for i in active)]
        found = numbers(whole)
        _mark(found, active)
        return whole, found, active

    @contextmanager
    def _as_then(self) -> Iterator[None]:
        """Have the settings of array libraries be those of the first pass."""
        restore = remembered()
        self._settings()
        try:
            yield
        finally:
            restore()


@contextmanager
def _noticing(seen: dict[int, tuple[Any, Any]]) -> Iterator[None]:
    """Note which arrays enter."""
    token = noticed.set(seen)
    try:
        yield
    finally:
        noticed.reset(token)


def _mark(found: Sequence[Number], active: Sequence[int]) -> None:
    """Give each array a memory of its own, which says whether it is active."""
    wanted = frozenset(active)
    for i, number in enumerate(found):
        if type(number) is Array:
            number.memory = Memory(FROZEN)
            number.memory.constant = i not in wanted


def is_tensor(number: Number) -> bool:
    """Return whether a number of a value is a tensor, which autograd records; reals are constants to it."""
    real: Any = real_part(number)  # on a tape the number is a node
    return type(real) is Array and hasattr(real.data, "requires_grad")


def _tensors(y: Any, level: int) -> list[Any]:
    """Return the tensors of the value of a level."""
    if level == 0:
        return [number.data for number in numbers(y) if is_tensor(number)]
    tangents = {id(number): tangent for number, tangent in match(y.car, y.cdr, "tangent")}
    found = [tangents[id(number)].data for number in numbers(y.car) if is_tensor(number)]
    return [*_tensors(y.car, level - 1), *found]


def _cotangent(level: int, v: Tensors) -> Callable[[Any], Any]:
    """Return the function from the value of a level to its cotangent, which has these tensors."""

    def filled(y: Any) -> Any:
        if level:
            half = len(v) // 2
            lower = [_cotangent(level - 1, part)(y.car) for part in (v[:half], v[half:])]
            return Pair(*lower)
        rest = iter(v)
        return cotangent_of(y, [_handle(next(rest)) if is_tensor(x) else zero(x) for x in numbers(y)])

    return filled


def _handle(data: Any) -> Array:
    return Array(_conjugated(data.detach()), Memory(FROZEN))


def _conjugated(cotangent: Any) -> Any:
    """Return a cotangent of PyTorch's as one of a run, or back: complex ones are conjugated."""
    return cotangent.conj().resolve_conj() if cotangent.is_complex() else cotangent
