"""Pullbacks of functions of arrays: the residuals of one application, and the cotangents of its operands.

In: an application (checkpoint.ad.tensors), and later the accumulators of its result's numbers
(checkpoint.ad.accumulators). Out: the contributions to its operands, the last operand first. The residuals
are the arrays that the vjp rules read; of other arrays only shape and dtype are stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from checkpoint.ad.accumulators import Accumulator, Scattered
from checkpoint.ad.array_library import dtype_kind, is_view, libraries, namespace, zeros_beside
from checkpoint.ad.numbers import Node
from checkpoint.ad.operands import of_reals
from checkpoint.ad.tracing.traces import FORMS, constant, traced, tracing
from checkpoint.errors import InternalError


class Rules(Protocol):
    """The fields of a record of arrays (checkpoint.ad.tensors, Tensor) that a pullback reads."""

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> tuple[tuple[int, ...], ...] | None: ...
    @property
    def variadic(self) -> bool: ...
    @property
    def vjps(self) -> tuple[Callable[..., Any] | None, ...]: ...
    @property
    def views(self) -> bool: ...
    @property
    def pull(self) -> Callable[..., Sequence[Any]] | None: ...
    def is_differentiated(self, position: int) -> bool: ...
    def vjp(self, position: int) -> Callable[..., Any] | None: ...


class Like:
    """The shape and dtype of an array whose elements no rule reads."""

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


FORMS.add(Like)
NESTS = (list, tuple)  # making `list | tuple` takes longer than asking for it
PLAIN = frozenset((float, int, bool, str, slice, type(None)))
RESULT = -1  # the position of the result, however many operands there are

_needed: dict[
    tuple[str, tuple[int, ...]], frozenset[int]
] = {}  # by the name of a record and the wanted operands


def needed(record: Rules, wanted: tuple[int, ...]) -> frozenset[int] | None:
    """Return the positions whose elements the rules of the wanted operands read; None for all positions."""
    needs = record.needs
    if needs is None:
        return None
    key = (record.name, wanted)
    if key not in _needed:
        last = len(needs) - 1
        _needed[key] = frozenset([p for i in wanted for p in needs[min(i, last)]])
    return _needed[key]


class Pullback:
    """The pullback of one application, with its residuals.

    record: the record that was applied.
    natives: the native operands; arrays that no rule reads are outlines.
    result: the native result; None if no rule reads it.
    wanted: the positions of the operands that receive a cotangent.
    saved: what the record's `saves` has saved for its `pull`.
    form: for a tuple or list as result a tuple with an outline or form of each item, None for an item without
        a derivative; None if the result is one number.
    """

    __slots__ = ("form", "natives", "record", "result", "saved", "wanted")

    def __init__(
        self,
        record: Rules,
        natives: list[Any],
        result: Any,
        wanted: tuple[int, ...],
        saved: tuple[Any, ...] = (),
    ) -> None:
        self.record = record
        self.wanted = wanted
        self.saved = saved
        self.form = _form(result) if isinstance(result, NESTS) else None
        self.natives, self.result = natives, result
        read = needed(record, wanted)
        if read is not None:
            self.natives = [x if i in read or type(x) in PLAIN else outline(x) for i, x in enumerate(natives)]
            if len(natives) not in read and RESULT not in read:
                self.result = None if self.form is None else outline(result)

    def contributions(self, received: Sequence[Any]) -> Iterator[Any]:
        """Yield the contribution to each number in the wanted operands, the last one first.

        received: the accumulators of the result's numbers. If all of them are 0.0, nothing is yielded.
        """
        if not any(received):  # an Accumulator counts as true
            return
        g = self._cotangent(received)
        for position, cotangent in self._cotangents(g):
            like = self.natives[position]
            if isinstance(like, NESTS):
                yield from self._spread(cotangent, like, g)
            else:
                yield self._contribution(cotangent, like, g)

    def of_elements(self, received: Sequence[Any]) -> list[Any]:
        """Return the contributions to the elements of the only wanted operand, in their order: none if all
        that is received is 0.0.
        """
        if not any(received):
            return []
        g = self._cotangent(received)
        ((position, cotangent),) = self._cotangents(g)
        like = self.natives[position]
        if of_reals(like) and of_reals(cotangent):
            return list(cotangent)
        return [*self._spread(cotangent, like, g)][::-1]

    def _cotangents(self, g: Any) -> Iterator[tuple[int, Any]]:
        """Yield the positions of the wanted operands and their cotangents, the last one first."""
        natives, record = self.natives, self.record
        xp = namespace((g, *natives))
        if record.pull is not None:
            found = traced(record.pull, xp, self.wanted, g, self.result, self.saved, *natives, is_formed=True)
            yield from zip(reversed(self.wanted), reversed(found), strict=True)
            return
        for position in reversed(self.wanted):
            rule = record.vjp(position) if record.variadic else record.vjps[position]
            assert rule is not None
            yield position, traced(rule, xp, g, self.result, *natives, is_formed=True)

    def contribution(self, position: int, g: Any) -> Any:
        """Return the contribution to an operand, for the result's cotangent g, where both are one number."""
        natives = self.natives
        rule = self.record.vjps[position]
        cotangent = rule(namespace((g, *natives)), g, self.result, *natives)  # type: ignore[misc]
        return self._contribution(cotangent, natives[position], g)

    def _cotangent(self, received: Sequence[Any]) -> Any:
        """Return the result's cotangent in the form that rules take: an array, a float, or a nested tuple."""
        if self.form is None:
            return _array(received[0])
        beside = next((_array(x) for x in received if type(x) is not float), None)
        return _shaped(self.form, iter(received), beside)

    def _spread(self, cotangent: Any, like: Any, g: Any) -> Iterator[Any]:
        if of_reals(like) and of_reals(cotangent):
            yield from reversed(cotangent)
            return
        for part, inner in zip(reversed(cotangent), reversed(like), strict=True):
            if isinstance(inner, NESTS):
                yield from self._spread(part, inner, g)
            elif is_number(inner):
                yield self._contribution(part, inner, g)

    def _contribution(self, cotangent: Any, like: Any, g: Any) -> Any:
        """Return the cotangent that a rule has returned for one number as a contribution."""
        if type(like) is float:
            return float(cotangent)
        if type(cotangent) is Scattered:
            return cotangent
        if cotangent.shape != like.shape:
            raise InternalError(
                f"{self.record.name}: a cotangent of shape {cotangent.shape} for {like.shape}"
            )
        return Accumulator(cotangent, self._is_new(cotangent, g))

    def _is_new(self, cotangent: Any, g: Any) -> bool:
        """Return whether nobody else holds the elements of an array that a rule has returned."""
        if cotangent.shape == () or is_view(cotangent) or cotangent is g or tracing.get() is not None:
            return False
        for held in (*self.natives, *self.saved):
            if cotangent is held:
                return False
        return cotangent is not self.result

    def arrays(self) -> Iterator[Any]:
        """Yield the arrays among the residuals."""
        for part in (*self.natives, self.result, *self.saved):
            if type(part) in libraries:
                yield part
            elif isinstance(part, NESTS):
                yield from _arrays_in(part)


def _arrays_in(parts: Any) -> Iterator[Any]:
    if of_reals(parts):
        return
    for part in parts:
        if isinstance(part, NESTS):
            yield from _arrays_in(part)
        elif type(part) in libraries:
            yield part


def is_number(data: Any) -> bool:
    """Return whether a native value has derivatives: a float, or an array of floats or complex numbers."""
    if type(data) is float:
        return True
    return hasattr(data, "shape") and dtype_kind(data.dtype) in "fc"


def outline(data: Any) -> Any:
    """Return a native value with a Like in place of each array."""
    if type(data) in libraries:
        return Like(data)
    if isinstance(data, NESTS) and of_reals(data):
        return data
    if isinstance(data, list):
        return [outline(part) for part in data]
    return tuple([outline(part) for part in data]) if isinstance(data, tuple) else data


def _form(data: Any) -> Any:
    """Return the `form` of a Pullback for a native value."""
    if isinstance(data, NESTS):
        return tuple(data) if of_reals(data) else tuple(map(_form, data))
    return outline(data) if is_number(data) else None


def _shaped(form: Any, received: Iterator[Any], beside: Any) -> Any:
    """Return the cotangents of a result's numbers in its structure.

    beside: one of them, on whose device zeros are made for what has received nothing.
    """
    if isinstance(form, tuple):
        if beside is None and of_reals(form):
            return tuple(islice(received, len(form)))
        return tuple([_shaped(part, received, beside) for part in form])
    return None if form is None else _or_zeros(next(received), form, beside)


def _array(accumulator: Any) -> Any:
    return accumulator.array if type(accumulator) is Accumulator else accumulator


def _or_zeros(accumulator: Any, like: Any, beside: Any) -> Any:
    """Return the cotangent in an accumulator; zeros for an array's that has received nothing."""
    if type(accumulator) is float and type(like) is not float:
        return constant(zeros_beside(beside, like.shape, like.dtype))
    return _array(accumulator)


class Pull:
    """An application as an entry of a tape.

    outputs: the nodes of the result. inputs: the numbers in the wanted operands, in their order.
    """

    __slots__ = ("inputs", "outputs", "pullback")

    def __init__(self, outputs: list[Node], inputs: list[Any], pullback: Pullback) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.pullback = pullback

    def propagate(self) -> None:
        """Add the contributions to the adjoints of the inputs, the last one first."""
        contributions = self.pullback.contributions([node.adjoint for node in self.outputs])
        for number, contribution in zip(reversed(self.inputs), contributions, strict=False):
            if type(number) is Node:
                number.adjoint += contribution

    def clear(self) -> None:
        """Take back what has been added to the adjoints of the outputs."""
        for node in self.outputs:
            node.clear()
