"""The reversal of functions of arrays: what is kept of one application, and what its operands receive.

Comes in: an application (checkpoint.ad.tensors), and later what its result has received. Goes out: the
contributions to its operands, the last operand first. Kept are the arrays that a rule reads; of the others
shape and dtype. Accumulators are those of checkpoint.ad.accumulators.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from checkpoint.ad.accumulators import Accumulator, Scattered
from checkpoint.ad.arrays import backends, namespace
from checkpoint.ad.numbers import Node
from checkpoint.errors import InternalError


class Rules(Protocol):
    """What a reversal reads of a record of arrays (checkpoint.ad.tensors)."""

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> tuple[tuple[int, ...], ...] | None: ...
    @property
    def variadic(self) -> bool: ...
    @property
    def vjps(self) -> tuple[Callable[..., Any] | None, ...]: ...
    def vjp(self, position: int) -> Callable[..., Any] | None: ...


class Like:
    """What is kept of an array of which a rule reads no element."""

    __slots__ = ("dtype", "shape")

    def __init__(self, data: Any) -> None:
        self.shape = tuple(data.shape)
        self.dtype = data.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


PLAIN = frozenset((float, int, bool, str, slice, type(None)))
RESULT = -1  # the position of the result, however many operands there are

_needed: dict[tuple[str, tuple[int, ...]], frozenset[int]] = {}  # by record and what is wanted


def needed(record: Rules, wanted: tuple[int, ...]) -> frozenset[int] | None:
    """The positions whose elements the rules of wanted operands read; None: all."""
    needs = record.needs
    if needs is None:
        return None
    key = (record.name, wanted)
    if key not in _needed:
        last = len(needs) - 1
        _needed[key] = frozenset([p for i in wanted for p in needs[min(i, last)]])
    return _needed[key]


class Pullback:
    """What the reversal of one application needs: the operands and the result, as far as rules read them.

    wanted: the positions of the operands that receive a cotangent. form: of a tuple or list as result, for
    each item an outline of its number, or the form of the item; None where it is none, and where the result
    is one number.
    """

    __slots__ = ("form", "natives", "record", "result", "wanted")

    def __init__(self, record: Rules, natives: list[Any], result: Any, wanted: tuple[int, ...]) -> None:
        self.record = record
        self.wanted = wanted
        self.form = _form(result) if isinstance(result, list | tuple) else None
        self.natives, self.result = natives, result
        read = needed(record, wanted)
        if read is not None:
            self.natives = [x if i in read or type(x) in PLAIN else outline(x) for i, x in enumerate(natives)]
            if len(natives) not in read and RESULT not in read:
                self.result = None if self.form is None else outline(result)

    def contributions(self, received: Sequence[Any]) -> Iterator[Any]:
        """What each number in the wanted operands receives, the last first; nothing if nothing has arrived.

        received: what each number of the result has received.
        """
        if not any(received):  # an amount is true
            return
        g = self._cotangent(received)
        natives, record = self.natives, self.record
        xp = namespace((g, *natives))
        for position in reversed(self.wanted):
            rule = record.vjp(position) if record.variadic else record.vjps[position]
            given = rule(xp, g, self.result, *natives)  # type: ignore[misc]
            like = natives[position]
            if isinstance(like, list | tuple):
                yield from self._spread(given, like, g)
            else:
                yield self._one(given, like, g)

    def contribution(self, position: int, g: Any) -> Any:
        """What an operand that is one number receives, for g that of a result that is one number."""
        natives = self.natives
        rule = self.record.vjps[position]
        given = rule(namespace((g, *natives)), g, self.result, *natives)  # type: ignore[misc]
        return self._one(given, natives[position], g)

    def _cotangent(self, received: Sequence[Any]) -> Any:
        """That of the result, as rules take it."""
        if self.form is None:
            return _array(received[0])
        return _shaped(self.form, iter(received))

    def _spread(self, given: Any, like: Any, g: Any) -> Iterator[Any]:
        for part, inner in zip(reversed(given), reversed(like), strict=True):
            if isinstance(inner, list | tuple):
                yield from self._spread(part, inner, g)
            elif is_number(inner):
                yield self._one(part, inner, g)

    def _one(self, given: Any, like: Any, g: Any) -> Any:
        """What a rule gave for one number, as accumulators take it."""
        if type(like) is float:
            return float(given)
        if type(given) is Scattered:
            return given
        if given.shape != like.shape:
            raise InternalError(f"{self.record.name}: a cotangent of shape {given.shape} for {like.shape}")
        return Accumulator(given, self._is_new(given, g))

    def _is_new(self, given: Any, g: Any) -> bool:
        """Whether nothing else holds the elements of what a rule gave."""
        if given.shape == () or getattr(given, "base", given) is not None or given is g:
            return False
        for held in self.natives:
            if given is held:
                return False
        return given is not self.result

    def arrays(self) -> Iterator[Any]:
        """The arrays that are kept."""
        for part in (*self.natives, self.result):
            if type(part) in backends:
                yield part
            elif isinstance(part, list | tuple):
                yield from _arrays_in(part)


def _arrays_in(parts: Any) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, list | tuple):
            yield from _arrays_in(part)
        elif type(part) in backends:
            yield part


def is_number(data: Any) -> bool:
    """Whether it has derivatives: a float, or an array of floats or complex numbers."""
    if type(data) is float:
        return True
    return hasattr(data, "shape") and data.dtype.kind in "fc"


def outline(data: Any) -> Any:
    """An operand without the elements of its arrays."""
    if type(data) in backends:
        return Like(data)
    if isinstance(data, list):
        return [outline(part) for part in data]
    return tuple([outline(part) for part in data]) if isinstance(data, tuple) else data


def _form(data: Any) -> Any:
    if isinstance(data, list | tuple):
        return tuple(map(_form, data))
    return outline(data) if is_number(data) else None


def _shaped(form: Any, received: Iterator[Any]) -> Any:
    """What the numbers of a result have received, in its structure."""
    if isinstance(form, tuple):
        return tuple([_shaped(part, received) for part in form])
    return None if form is None else _or_zeros(next(received), form)


def _array(amount: Any) -> Any:
    return amount.array if type(amount) is Accumulator else amount


def _or_zeros(amount: Any, like: Any) -> Any:
    """The cotangent of one number of several, of which not all have received one."""
    if type(amount) is float and type(like) is not float:
        return namespace(()).zeros(like.shape, like.dtype)
    return _array(amount)


class Pull:
    """An application on a tape: nodes out, numbers in; those of the wanted operands, in their order."""

    __slots__ = ("inputs", "outputs", "pullback")

    def __init__(self, outputs: list[Node], inputs: list[Any], pullback: Pullback) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.pullback = pullback

    def propagate(self) -> None:
        """Add the contributions, the last operand first."""
        contributions = self.pullback.contributions([node.adjoint for node in self.outputs])
        for number, contribution in zip(reversed(self.inputs), contributions, strict=False):
            if type(number) is Node:
                number.adjoint += contribution
