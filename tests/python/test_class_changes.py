"""Members that classes and objects are given between two calls: the next call has what Python has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checkpoint import value_and_grad

pytestmark = pytest.mark.engines_in_turn


def fresh() -> tuple[Any, Any, Any]:
    """Return a class with an attribute and methods, one that derives from it, and an object of the first."""

    class Base:
        k = 2.0

        def scaled(self, x: float) -> float:
            return x * self.k

        @classmethod
        def of_class(cls, x: float) -> float:
            return x * cls.k

    class Derived(Base):
        pass

    return Base, Derived, Base()


def give_attribute(base: Any, derived: Any, thing: Any) -> None:
    derived.k = 11.0


def give_method(base: Any, derived: Any, thing: Any) -> None:
    derived.scaled = lambda self, x: x * x


def give_class_method(base: Any, derived: Any, thing: Any) -> None:
    derived.of_class = classmethod(lambda cls, x: x * x * cls.k)


def give_operator(base: Any, derived: Any, thing: Any) -> None:
    base.__call__ = lambda self, x: -x


def give_object_attribute(base: Any, derived: Any, thing: Any) -> None:
    thing.k = 5.0


def give_object_method(base: Any, derived: Any, thing: Any) -> None:
    thing.scaled = lambda x: x * x * x


@pytest.mark.parametrize(
    "change",
    [
        give_attribute,
        give_method,
        give_class_method,
        give_operator,
        give_object_attribute,
        give_object_method,
    ],
)
def test_a_new_member_is_seen(change: Callable[[Any, Any, Any], None], engine: str) -> None:
    base, derived, thing = fresh()

    def f(x: float) -> Any:
        found = derived().scaled(x) + 10.0 * derived.of_class(x) + 100.0 * thing.scaled(x)
        return found + (1000.0 * thing(x) if callable(thing) else 0.0)

    def of_argument(x: float, thing: Any) -> float:
        return float(thing.scaled(x))

    call, with_object = value_and_grad(f, engine=engine), value_and_grad(of_argument, engine=engine)
    before = call(3.0), with_object(3.0, thing)
    assert before == ((666.0, 222.0), (6.0, 2.0))
    change(base, derived, thing)
    assert call(3.0)[0] == f(3.0)
    assert with_object(3.0, thing)[0] == thing.scaled(3.0)
    assert call(3.0)[1] == pytest.approx((f(3.001) - f(2.999)) / 0.002, rel=1e-6)
    for each in ("k", "scaled", "of_class"):
        if each in vars(derived):
            delattr(derived, each)
        thing.__dict__.pop(each, None)
    if "__call__" in vars(base):
        del base.__call__
    assert (call(3.0), with_object(3.0, thing)) == before


class Scale:
    def __call__(self, x: float) -> float:
        return 2.0 * x


class Plain:
    pass


def test_classes_and_their_objects_are_callable_as_in_python(engine: str) -> None:
    def f(x: float) -> Any:
        flags = [callable(each) for each in (Scale(), Plain(), Scale, len, None, x, f)]
        return x * sum(2**i * flag for i, flag in enumerate(flags))

    assert value_and_grad(f, engine=engine)(3.0)[0] == f(3.0)
