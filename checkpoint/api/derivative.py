"""The base of derivatives that are functions: which arguments are selected, and how a derivative is taken.

In: a function of any positional and keyword arguments (checkpoint.functions.pytrees says of what), `argnums`,
and the options of the interface. Out: a function of the same arguments, which pickles where the function does
and may be called in several threads at once. What always holds: nothing is computed before the first call; an
option that is wrong is refused when the derivative is made.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.arrays import Array
from checkpoint.ad.attributes import stored
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.numbers import NUMBERS, one, real_part
from checkpoint.ad.tangent import zeros_of
from checkpoint.api.journals import Directory, check_journal, check_workers
from checkpoint.api.schedules import named_schedule
from checkpoint.dataclass import dataclass
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.driver.spill.setting import SpillOption
from checkpoint.errors import RunError, an
from checkpoint.functions.interface import Call, holds_real
from checkpoint.functions.leaves import Each, check_each
from checkpoint.functions.public import Derived
from checkpoint.functions.resumption import as_function
from checkpoint.prims.python.native import kind_of
from checkpoint.prims.python.tangents import is_complex
from checkpoint.watch.progress import ProgressOption
from checkpoint.watch.progress import check as check_progress
from checkpoint.workers.chosen import WorkersOption

ArgNums = int | tuple[int, ...]


class Selection:
    """The positional arguments of a function that are selected: one by an int, several by a tuple of ints."""

    def __init__(self, function: Any, argnums: ArgNums) -> None:
        self.by = (argnums,) if isinstance(argnums, int) else argnums
        if not isinstance(self.by, tuple) or not self.by or any(type(i) is not int for i in self.by):
            raise RunError(f"argnums is an int or a tuple of ints, not {argnums!r}")
        self._function = function
        self._is_one = isinstance(argnums, int)

    def positions(self, args: Sequence[Any]) -> list[int]:
        """Return the positions of the selected arguments; RunError where one is missing."""
        for i in self.by:
            if not -len(args) <= i < len(args):
                given = f"{len(args)} positional argument" + ("" if len(args) == 1 else "s")
                raise RunError(f"there is no argument {i}: {name_of(self._function)} was called with {given}")
        return [i % len(args) for i in self.by]

    def picked(self, parts: Sequence[Any]) -> Any:
        """Return the part of the only selected argument, or the tuple of all where argnums is a tuple."""
        return parts[0] if self._is_one else tuple(parts)

    def paths(self) -> list[tuple[int, ...]]:
        """Return the path of each selected argument within what `picked` returns."""
        return [()] if self._is_one else [(k,) for k in range(len(self.by))]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a derivative: the fields are the parameters of these names, as `vjp` has them."""

    engine: str | None = None
    schedule: Schedule | str | None = None
    memory: Memory = None
    progress: ProgressOption = False
    has_state: bool = False
    each: Each = None
    journal: Directory = None
    spill: SpillOption = None
    workers: WorkersOption = None

    def checked(self) -> Schedule:
        """Return the schedule that these options stand for; RunError for a wrong option."""
        chosen = named_schedule(self.schedule, self.memory, self.spill)
        check_progress(self.progress)
        check_each(self.each, self.has_state)
        check_journal(self.journal, self.each)
        check_workers(self.workers, self.each)
        return chosen

    @property
    def are_plain(self) -> bool:
        """Return whether nothing but the result is asked for: small gradients are for these options."""
        scheduled = self.schedule is not None or self.memory is not None or self.spill is not None
        others = self.journal is not None or self.workers is not None or self.each is not None
        plain = self.engine in (None, "c") and self.progress is False and not self.has_state
        return plain and not scheduled and not others


DEFAULT = Options()


class Derivative(Derived):
    """A derivative of a function, as a function of the same arguments.

    function: the function that is differentiated. argnums: by which of its positional arguments.
    has_aux: whether it returns a pair, of which only the first is differentiated.
    has_state: whether the function may change what came in from outside; what it leaves is returned, too.
    options: how it is taken. schedule: the schedule that these stand for.
    """

    kind = "a derivative"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: ArgNums = 0,
        has_aux: bool = False,
        options: Options = DEFAULT,
    ) -> None:
        if not callable(function):
            raise RunError(f"{self.kind} is that of a function, not of {an(type(function).__name__)}")
        self._selection = Selection(function, argnums)
        self.schedule = options.checked()
        self.function = function
        self.argnums = argnums
        self.has_aux = has_aux
        self.has_state = options.has_state
        self.each = options.each
        self.options = options
        functools.update_wrapper(self, function, updated=())
        self.__doc__ = f"{self.kind} of {name_of(function)}.\n\n{function.__doc__ or ''}".rstrip()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at these arguments."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.kind} of {name_of(self.function)}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name a derivative that its module has under the function's name, as functions are."""
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return str(name)
        return type(self), (self.function, self.argnums, self.has_aux, self.options)

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Call, list[int]]:
        """Return the call of the function and the positions of the selected arguments; each holds a real."""
        positions = self._selection.positions(args)
        call = as_function(self.function, self.has_state).call(args, kwargs, self.options.engine)
        parts = call.parts
        for i in positions:
            if not holds_real(parts[i]):
                raise RunError(call.without_reals(f"argument {i} of {name_of(self.function)}", args[i]))
        return call, positions

    def picked(self, parts: Sequence[Any]) -> Any:
        """Return the part of the only selected argument, or the tuple of all where argnums is a tuple."""
        return self._selection.picked(parts)

    def cotangent_of(self, y: Any) -> Any:
        """Return the cotangent 1 of the real that the function returns, or of the first of the pair."""
        if self.has_state:
            value, state = y.items
            return Record(TUPLE, (self._of_value(value), zeros_of(state)))
        return self._of_value(y)

    def _of_value(self, y: Any) -> Any:
        if not self.has_aux:
            return self._one(y)
        if type(y) is not Record or y.layout.cls is not tuple or len(y.items) != 2:
            name = name_of(self.function)
            raise RunError(f"with has_aux, {name} must return a tuple of two, not {_described(y)}")
        return Record(TUPLE, (self._one(y.items[0]), zeros_of(y.items[1])))

    def _one(self, y: Any) -> Any:
        cotangent = one(y) if type(y) in NUMBERS else None
        if cotangent is None:
            instead = "return float(y) of a number, use vjp or jacrev for more than one"
            if is_complex(y) or (type(y) in NUMBERS and _is_of_complex(real_part(y))):
                instead = "return its real or imaginary part, or abs of it; vjp takes complex results"
            raise RunError(
                f"{self.kind} needs a function that returns a real, and {name_of(self.function)} returned "
                f"{_described(y)}: {instead}"
            )
        return cotangent

    def values(self, y: Any, call: Call) -> tuple[Any, Any]:
        """Return the value, and what comes with it: the auxiliary output, the state, or a pair of both."""
        value = call.leave(y)
        if self.has_state and self.has_aux:
            (value, aux), state = value
            return value, (aux, state)
        return value if self.has_aux or self.has_state else (value, None)


def name_of(function: Any) -> str:
    """Return the name of a function in messages."""
    return stored(function, "__qualname__") or type(function).__name__


def _is_of_complex(number: Any) -> bool:
    """Return whether a real or array is an array of complex numbers."""
    return type(number) is Array and bool(dtype_kind(number.data.dtype) == "c")


def _described(y: Any) -> str:
    return f"{kind_of(y)}, {y}" if type(y) in (int, bool) else kind_of(y)
