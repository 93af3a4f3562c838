"""Facts about a whole program are collected in few translations, and only classes with objects count."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.lang.core import Lambda
from checkpoint.lang.python.linking import methods, program
from tests.support.recording import first_arguments


class Base:
    def __init__(self, x: float) -> None:
        self.x = x

    def scaled(self) -> float:
        return 2.0 * self.x


def derived(count: int) -> list[Any]:
    """Return classes, each with a method of its own."""
    made: list[Any] = []
    for i in range(count):
        made.append(type(f"Derived{i}", (Base,), {"scaled": Base.scaled}))
    return made


A, B, C, D, E, F = derived(6)


def of_many(x: float) -> float:
    total = 0.0
    for each in (A(x), B(x), C(x), D(x), E(x), F(x)):
        total += each.scaled()
    return total


class Named:
    """A class of which no object is made."""

    def scaled(self) -> float:
        raise ValueError("never called")


def of_named(x: float) -> float:
    thing: Any = Base(x)
    if isinstance(thing, Named):
        return thing.scaled()
    result: float = thing.scaled()
    return result


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets the linker of each translation of a whole program."""
    return first_arguments(monkeypatch, program, "_linked")


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each function whose translation is finished."""
    names: list[str] = []
    translation = methods.Methods.translation

    def recorded(linker: methods.Methods, each: methods.Pending) -> Lambda:
        made = translation(linker, each)
        names.append(each.name)
        return made

    monkeypatch.setattr(methods.Methods, "translation", recorded)
    return names


def made_elsewhere(x: float) -> Any:
    return A(x)


def of_one_made_elsewhere(x: float) -> float:
    result: float = made_elsewhere(x).scaled()
    return result


def test_classes_that_the_function_names_are_known_before_anything_is_translated(
    finished: list[str],
) -> None:
    assert checkpoint.grad(of_many)(3.0) == 12.0
    assert finished.count("of_many") == 1


def test_classes_that_another_function_names_take_two_translations(passes: list[Any]) -> None:
    assert checkpoint.grad(of_one_made_elsewhere)(3.0) == 2.0
    assert len(passes) == 2


def test_a_class_that_is_only_named_has_no_objects(passes: list[Any]) -> None:
    assert checkpoint.grad(of_named)(3.0) == 2.0
    assert Base in passes[-1].facts.classes
    assert Named not in passes[-1].facts.classes
