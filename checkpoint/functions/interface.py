"""The interface that Python functions and `.vlad` procedures share: what the public functions work on.

In: a Function, and its arguments as the caller has them. Out: a Call, which gives the value, counts, capsules
and derivatives. Languages differ in how values enter a run and leave it: those are the abstract methods of
Call, and all else is written here once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from checkpoint.ad.activity import enter_as_constant
from checkpoint.ad.graph import ATOMS, holds_number
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.values import Capsule
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.run import Run
from checkpoint.prims.operators import Swept, swept


class Function(ABC):
    """A function that the public interface can run and differentiate, in whichever language it is written."""

    __slots__ = ()

    @abstractmethod
    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> Call:
        """Return the call with these arguments.

        engine: the name of an engine; None for the fastest.
        names: what messages call the positional arguments.
        """


class Call(ABC):
    """A function with its arguments, on an engine, between a caller's values and those of the language.

    run: the procedure and its argument, as values of the language.
    given: the arguments as the caller has them, positional ones first.
    """

    __slots__ = ("given", "run")

    def __init__(self, run: Run, given: Sequence[Any]) -> None:
        self.run = run
        self.given = given

    # How values enter and leave

    @abstractmethod
    def leave(self, value: Any) -> Any:
        """Return a value of the run as the caller's own."""

    @abstractmethod
    def seed(self, ybar: Any, name: str) -> Callable[[Any], Any]:
        """Return a function from the value y, of the language, to the cotangent that `ybar` stands for.

        ybar: the caller's; None for 1, where y is a real. name: what messages call it.
        """

    @abstractmethod
    def tangent(self, part: Any, xtan: Any, name: str) -> Any:
        """Return the tangent of an argument, of the language, that `xtan` stands for."""

    @abstractmethod
    def leave_cotangent(self, x: Any, xbar: Any) -> Any:
        """Return the cotangent of an argument x in its structure, with None where x has no real."""

    @abstractmethod
    def leave_tangent(self, y: Any, ytan: Any) -> Any:
        """Return the tangent of the value y, which has left."""

    @abstractmethod
    def with_leaves(self, x: Any, part: Any, leaves: Sequence[Any]) -> Any:
        """Return the structure of x, whose value is `part`, with something else for each real, else None."""

    @abstractmethod
    def leave_capsule(self, capsule: Capsule) -> Capsule:
        """Return a capsule of this run as the caller's own."""

    @abstractmethod
    def without_reals(self, name: str, x: Any) -> str:
        """Return the message for an argument that holds nothing to differentiate."""

    # One argument of the procedure stands for one of the caller's, unless a subclass packs them.

    @property
    def parts(self) -> Sequence[Any]:
        """The value of each argument, as it entered."""
        return self.parts_of(self.run.u.cdr)

    def parts_of(self, argument: Any) -> Sequence[Any]:
        """Return what the procedure's argument, or a (co)tangent of it, holds of each of the caller's."""
        return (argument,)

    def packed(self, parts: Sequence[Any]) -> Any:
        """Return the (co)tangent of the procedure's argument from those of the caller's."""
        return parts[0]

    def unpacked(self, whole: Any) -> Sequence[Any]:
        """Return the (co)tangents of the caller's arguments from that of the procedure's."""
        return (whole,)

    # What can be done with a call

    def differentiate_by(self, positions: Collection[int]) -> None:
        """Let the arguments at other positions be constants: they receive no cotangents (ad/activity.py)."""

        def enter(argument: Any) -> None:
            for i, part in enumerate(self.parts_of(argument)):
                if i not in positions:
                    enter_as_constant(part)

        if len(set(positions)) < len(self.parts):
            self.run.entered = enter
            enter(self.run.u.cdr)

    def value(self) -> Any:
        """Return the value of the function."""
        return self.leave(self.run.value())

    def steps(self) -> int:
        """Return the number of steps of the run."""
        return self.run.steps()

    def interrupt(self, steps: int) -> Capsule:
        """Return the capsule that holds the rest of the run after a number of steps."""
        return self.leave_capsule(self.run.interrupt(steps))

    def vjp(
        self, ybar: Any, schedule: Schedule, names: tuple[str, str], by: Swept = swept
    ) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents of the arguments.

        names: of an argument and the cotangent. by: takes the gradient.
        """
        if not any(type(part) is Capsule or holds_real(part) for part in self.parts):
            raise RunError(self.without_reals(names[0], self.given[0]))
        y, xbar = self.run.vjp(self.seed(ybar, names[1]), schedule, by=by)
        pairs = zip(self.given, self.unpacked(xbar), strict=True)
        return self.leave(y), [self.leave_cotangent(x, part) for x, part in pairs]

    def jvp(self, xtan: Any) -> tuple[Any, Any]:
        """Return the value and its tangent, for the tangent of the only argument."""
        y, tangent = self.run.jvp(self.packed([self.tangent(self.parts[0], xtan, "xtan")]))
        value = self.leave(y)
        return value, self.leave_tangent(value, tangent)


def holds_real(value: Any) -> bool:
    """Return whether a value of the language has anything to differentiate."""
    return type(value) in NUMBERS or (type(value) not in ATOMS and holds_number(value))
