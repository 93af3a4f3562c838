"""`checkpoint.dataclass` makes classes that behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

import checkpoint.dataclass as ours

Decorator = Callable[..., Any]


def plain(dataclass: Decorator) -> type:
    @dataclass
    class Point:
        """A point."""

        x: float
        y: float = 2.0
        names: list[str] = field(default_factory=list)
        scale: ClassVar[float] = 3.0
        hidden: int = field(default=0, repr=False, compare=False)

    return Point


def slotted(dataclass: Decorator) -> type:
    @dataclass(slots=True, frozen=True)
    class Point:
        """A point."""

        x: float
        y: float = 2.0
        self: Any = None  # the name that a method's first parameter has

    return Point


def frozen(dataclass: Decorator) -> type:
    @dataclass(frozen=True, kw_only=True)
    class Point:
        """A point."""

        y: float = 2.0
        x: float

        def __post_init__(self) -> None:
            if self.y == 0.0:
                raise ValueError("no y")

    return Point


def derived(dataclass: Decorator) -> type:
    @dataclass(slots=True, eq=False, repr=False)
    class Base:
        """A base."""

        x: float
        y: float = field(default=2.0, init=False)

    @dataclass(slots=True)
    class Point(Base):
        """A point."""

        more: dict[str, int] = field(default_factory=dict, kw_only=True)
        last: tuple[int, ...] = field(default_factory=tuple, init=False)

    return Point


def with_members(dataclass: Decorator) -> type:
    @dataclass(frozen=True)
    class Point:
        """A point with methods of its own."""

        x: float
        y: float = 2.0

        def __repr__(self) -> str:
            return "<point>"

        def __hash__(self) -> int:
            return 7

    return Point


def without_fields(dataclass: Decorator) -> type:
    @dataclass(frozen=True)
    class Point:
        """A point without fields."""

    return Point


CLASSES = [plain, slotted, frozen, derived, with_members, without_fields]


def outcome(ask: Callable[[], Any]) -> Any:
    """Return what a call returns, or its error as text."""
    try:
        return ask()
    except (TypeError, ValueError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def behaviour(cls: Any) -> dict[str, Any]:
    """Return what users of a class can see of it."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}), ((1.0,), {}), ((1.0, 5.0), {}), ((), {"x": 1.0}), ((), {"x": 1.0, "y": 0.0}),
        ((1.0,), {"more": {"a": 1}}), ((1.0,), {"self": 3}), ((1.0,), {"wrong": 1}), ((1, 2, ["a"], 4), {}),
    ]  # fmt: skip
    seen: dict[str, Any] = {"signature": str(inspect.signature(cls)), "match": cls.__match_args__}
    seen["params"], seen["doc"] = repr(cls.__dataclass_params__), cls.__doc__
    seen["fields"] = [(f.name, f.type, f.init, f.repr, f.compare, f.kw_only) for f in dataclasses.fields(cls)]
    seen["slots"], seen["hashable"] = vars(cls).get("__slots__"), cls.__hash__ is None
    for args, kwargs in calls:
        made = outcome(lambda args=args, kwargs=kwargs: cls(*args, **kwargs))  # type: ignore[misc]  # defaults
        seen[f"{args} {kwargs}"] = made if isinstance(made, str) else of_object(cls, made, args, kwargs)
    return seen


def of_object(cls: Any, made: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return what users of an object can see of it."""
    again = cls(*args, **kwargs)
    return [
        repr(made).replace(hex(id(made)), "ID"),
        made == again,
        made == 1,
        outcome(lambda: hash(made) == hash(again)),
        outcome(lambda: dataclasses.asdict(made)),
        outcome(lambda: dataclasses.asdict(dataclasses.replace(made, x=9.0))),
        dataclasses.asdict(copy.copy(made)),
        outcome(lambda: setattr(made, "x", 4.0)),
        outcome(lambda: delattr(made, "y")),
        outcome(lambda: setattr(made, "new", 4.0)) if "__slots__" not in vars(cls) else None,
        getattr(made, "x", None),
    ]


@pytest.mark.parametrize("make", CLASSES)
def test_a_class_behaves_as_one_of_the_standard_library(make: Callable[[Decorator], type]) -> None:
    assert behaviour(make(ours.dataclass)) == behaviour(make(dataclasses.dataclass))


@pytest.mark.parametrize("make", CLASSES)
def test_what_is_looked_up_first_changes_nothing(make: Callable[[Decorator], type]) -> None:
    expected = behaviour(make(dataclasses.dataclass))
    for name in ("__eq__", "__hash__", "__repr__", "__dataclass_fields__", "__match_args__", "__init__"):
        cls = make(ours.dataclass)
        assert getattr(cls, name) == getattr(cls, name)
        assert behaviour(cls) == expected


def test_a_class_that_derives_from_one_is_made_first() -> None:
    base = plain(ours.dataclass)

    class Derived(base):  # type: ignore[misc, valid-type]  # a variable as a base
        pass

    made = Derived(1.0)
    assert made == Derived(1.0)
    assert repr(made).endswith("Derived(x=1.0, y=2.0, names=[])")
    assert base(1.0) != made


def test_methods_of_a_base_are_reached_by_super() -> None:
    @ours.dataclass(slots=True)
    class Base:
        x: float

    class Derived(Base):
        def __init__(self, x: float) -> None:
            super().__init__(2.0 * x)

        def __repr__(self) -> str:
            return "derived " + super().__repr__().partition("(")[2]

    assert repr(Derived(1.0)) == repr(Derived(1.0)) == "derived x=2.0)"


@dataclasses.dataclass(frozen=True)
class Standard:
    """A class of the standard decorator."""

    x: float


@ours.dataclass(frozen=True, slots=True)
class Mixed(Standard):
    """A class of ours that derives from it."""

    y: float = 2.0


def test_classes_of_both_decorators_derive_from_one_another() -> None:
    again = dataclasses.make_dataclass("Again", [("z", float)], bases=(frozen(ours.dataclass),), frozen=True)
    assert repr(again(x=1.0, z=3.0)) == "Again(y=2.0, x=1.0, z=3.0)"
    assert repr(Mixed(1.0)) == "Mixed(x=1.0, y=2.0)"


def test_objects_of_frozen_classes_with_slots_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Mixed(1.0))) == Mixed(1.0)
    assert copy.deepcopy(Mixed(1.0)) == Mixed(1.0)


def test_an_import_writes_no_methods_of_classes_without_instances() -> None:
    """The standard decorator writes all of them at once: a third of the time of the import."""
    code = "import checkpoint\nfrom checkpoint.driver import budget\nprint('__eq__' in vars(budget.Budget))\n"
    code += "print(type(vars(budget.Budget)['__eq__']).__name__)\nbudget.Budget() == 1\n"
    code += "print(type(vars(budget.Budget)['__eq__']).__name__)"
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True
    )
    assert found.stdout.split() == ["True", "_Placeholder", "function"]
