"""Common parts of the tests of primitives for Python: a moment of a run, and what a primitive does then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from checkpoint.ad.containers import Record
from checkpoint.ad.numbers import apply, takes_reals
from checkpoint.ad.record import PYTHON_FAILURES, Data, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.versions import Version
from checkpoint.errors import RunError
from checkpoint.prims.python.native import from_native, native


class Moment:
    """A machine as a primitive sees it; like one, it holds the version since which it runs."""

    def __init__(self, steps: int = 0, since: Version | None = None) -> None:
        self.steps = steps
        self.owner = object()
        self.since = since or Version()
        self.version, self.changes = self.since.continued()


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Body:
    mass: float
    place: list[float]


@dataclass(order=True, frozen=True)
class Ranked:
    rank: int
    name: str = field(compare=False)


class Plain:
    def __init__(self, value: float) -> None:
        self.value = value


def no_other(value: Any) -> Any:
    """Refuse what is no data, for `from_native`."""
    raise RunError(f"a {type(value).__name__} is no data")


def value_of(python: Any, now: Moment | None = None) -> Any:
    """Return a Python object as a value of the run."""
    return from_native(python, no_other, owner=None if now is None else now.owner)


def perform(now: Moment, name: str, *operands: Any) -> Any:
    """Do what an engine does for a primitive on these values in the next step."""
    record = lookup(f"py.{name}")
    if isinstance(record, Scalar):
        if takes_reals(operands):
            return apply(record, operands)
        assert record.otherwise is not None
        return perform(now, record.otherwise.removeprefix("py."), *operands)
    if isinstance(record, Data):
        value = record.value(*operands)
        if record.mutable:
            value.owner = now.owner
        return value
    assert isinstance(record, Rearrange | Select | Update)
    return record.value(now, *operands)


@dataclass
class Outcome:
    """A result as Python writes it, or an exception's class and text."""

    text: str

    @classmethod
    def of(cls, function: Callable[[], Any]) -> Outcome:
        try:
            result = function()
        except PYTHON_FAILURES as error:
            return cls(f"{type(error).__name__}: {error}")
        return cls(f"{type(result).__name__} {result!r}")


def same_as_python(name: str, function: Callable[..., Any], *operands: Any) -> None:
    """Check that a primitive does on values of Python objects what a function does on the objects."""
    now = Moment()
    values = [value_of(operand) for operand in operands]
    ours = Outcome.of(lambda: native(perform(now, name, *values)))
    assert ours == Outcome.of(lambda: function(*operands)), (name, operands)


def items_of(record: Record) -> list[Any]:
    """Return the fields of a tuple as Python objects."""
    return [native(item) for item in record.items]
