"""Pullbacks of functions: the value first, and the cotangents later, as often as they are asked for.

In: a function and its arguments. Out: its value, and a Pullback, which holds what the first pass has kept for
the reversal. Each call reverses that (checkpoint/api/reversals.py), under the settings of array libraries
that held when the function was run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from checkpoint import config
from checkpoint.ad.array_library import library_of, remembered
from checkpoint.ad.arrays import Array, Copies, Discrete
from checkpoint.ad.graph import containers_in, renew
from checkpoint.api.derivative import ArgNums, Selection
from checkpoint.api.reversals import Reversals
from checkpoint.api.schedules import named_schedule
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.resumption import as_function
from checkpoint.prims.arrays import refused


class Pullback:
    """The function from the cotangent of a value to those of the arguments; a context manager that closes it.

    It is for one thread at a time.

    Examples:
        >>> import checkpoint
        >>> y, pullback = checkpoint.pullback(lambda x: [x * x, 3.0 * x], 2.0)
        >>> with pullback:
        ...     print(pullback([1.0, 0.0]), pullback([0.0, 1.0]))
        4.0 3.0
    """

    def __init__(
        self, f: Callable[..., Any], call: Call, given: Sequence[Any], argnums: ArgNums, schedule: Schedule
    ) -> None:
        """Run a call, of whose positional arguments `given` some are differentiated by."""
        self._selection = Selection(f, argnums)
        self._positions = self._selection.positions(given)
        for i in self._positions:
            if not holds_real(call.parts[i]):
                raise RunError(call.without_reals(f"argument {i}", given[i]))
        call.differentiate_by(self._positions)
        self._call: Call | None = call
        self._given = given
        self._settings = remembered()
        self._reversals = Reversals(call, schedule)
        self._versions = _versions(call)
        self.value = call.leave(renew(self._reversals.value, Copies()))

    def __call__(self, ybar: Any = None) -> Any:
        """Return the cotangent of the argument, or the tuple of several, for the cotangent of the value.

        ybar: shaped like the value; may be left out where that is a real, and is 1 then.

        Raises:
            RunError: if the pullback is closed, if `ybar` has another shape than the value, or if an argument
                has been changed in place since, as far as its library knows.
        """
        call = self._call
        if call is None:
            raise RunError("this pullback is closed, and what it held is gone: call it before close()")
        self._check(call)
        settings_here = remembered()
        self._settings()
        try:
            found = call.unpacked(self._reversals.cotangent(call.seed(ybar, "ybar")))
            parts = [call.leave_cotangent(self._given[i], found[i]) for i in self._positions]
        finally:
            settings_here()
        return self._selection.picked(parts)

    def _check(self, call: Call) -> None:
        """Raise RunError where an array that came in has changed since the function was run."""
        for array, before in self._versions:
            if _version(array) != before:
                raise RunError(
                    "an array that came in was changed in place after the function was run, so its "
                    "derivative there is lost: call the pullback before, or pass a copy"
                )

    def close(self) -> None:
        """Release all that is held; no cotangent can be asked for afterwards."""
        self._call, self._given, self._versions = None, (), []
        self._reversals.close()

    def __enter__(self) -> Pullback:
        """Return the pullback, which `with` closes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def pullback(
    f: Callable[..., Any],
    *args: Any,
    argnums: ArgNums = 0,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    has_state: bool = False,
) -> tuple[Any, Pullback]:
    """Return the value y of f at its arguments, and the pullback: from a cotangent of y to an argument's.

    The first pass keeps what its reversal needs, within `memory`, until the pullback is closed or forgotten.
    A call costs what is left of a `vjp` then: a reversal alone, as far as all is kept that it needs. By a
    schedule other than "plain" and `Budget`, and while gradients are observed, the first call uses that up,
    and a further one costs a whole `vjp`. Arrays in y are copies, which you may change. Arrays that came in
    must stay as they are until the last call: of PyTorch's tensors a change is noticed, of NumPy's arrays
    only under CHECKPOINT_CHECK=1.

    Args:
        f: a function of any positional arguments, each a pytree.
        args: the arguments.
        argnums: the positions of the arguments by which; of a tuple the cotangents are a tuple.
        engine: as in `vjp`.
        schedule: as in `vjp`.
        memory: as in `vjp`.
        has_state: as in `vjp`; y and its cotangents are then pairs.

    Raises:
        RunError: if a selected argument holds no real.
        BudgetError: if the gradient needs more memory than it may hold.
        Exception: what f raises.

    Examples:
        >>> import checkpoint
        >>> y, pull = checkpoint.pullback(lambda x, n: x**n, 3.0, 2)
        >>> y, pull(), pull(10.0)
        (9.0, 6.0, 60.0)
        >>> pull.close()
        >>> pull()
        Traceback (most recent call last):
        checkpoint.errors.RunError: this pullback is closed, and what it held is gone: call it before close()
    """
    chosen = named_schedule(schedule, memory)
    call = as_function(f, has_state).call(args, {}, engine)
    made = Pullback(f, call, args, argnums, chosen)
    return made.value, made


refused(pullback, "checkpoint.pullback, whose results live longer than a step,", "call checkpoint.vjp there")


def _versions(call: Call) -> list[tuple[Any, Any]]:
    """Return the arrays that came into a call and whose changes are noticed, with their versions."""
    run = call.run
    handles: list[Any] = [number for number in run.found if type(number) is Array]
    handles += [other for other in containers_in(run.u) if type(other) is Discrete]
    found = [(handle.data, _version(handle.data)) for handle in handles]
    return [(data, version) for data, version in found if version is not None]


def _version(data: Any) -> Any:
    """Return what is another one once an array was changed; None where nothing knows."""
    library = library_of(data)
    version = library.version(data)
    return hash(library.content(data)) if version is None and config.current().check else version
