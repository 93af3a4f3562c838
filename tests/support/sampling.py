"""Samples of parameters: the rest is behind the mark `long`."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from random import Random
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
THOROUGH = bool(os.environ.get("CHECKPOINT_THOROUGH"))  # all samples, new random examples: make test-long


def sample(values: Iterable[Any], every: int = 2) -> list[Any]:
    """Return parameters of a test, of which one in `every` is always run, the others by `-m long`.

    A tuple is the values of several parameters.
    """
    return [
        pytest.param(
            *(value if type(value) is tuple else (value,)), marks=pytest.mark.long if i % every else ()
        )
        for i, value in enumerate(values)
    ]


def partly(values: Iterable[Any], always: Container[Any]) -> list[Any]:
    """Return parameters of a test, of which those in `always` are always run, the others by `-m long`.

    A tuple is the values of several parameters.
    """
    return [
        pytest.param(
            *(value if type(value) is tuple else (value,)), marks=() if value in always else pytest.mark.long
        )
        for value in values
    ]


def mark_engines_in_turn(items: Iterable[pytest.Item]) -> None:
    """Of functions with the mark `engines_in_turn`, mark as long all tests but those of one engine for each
    combination of other parameters. The engines take turns, among wide tests and among the others.
    """
    found: dict[tuple[str, bool], dict[Any, list[pytest.Item]]] = {}  # by function and tier, and combination
    for item in items:
        parameters = dict(getattr(getattr(item, "callspec", None), "params", {}))
        if "engine" in parameters and len(parameters) > 1 and item.get_closest_marker("engines_in_turn"):
            del parameters["engine"]
            combination = tuple([(name, id(value)) for name, value in parameters.items()])
            tier = item.nodeid.partition("[")[0], item.get_closest_marker("wide") is not None
            found.setdefault(tier, {}).setdefault(combination, []).append(item)
    for combinations in found.values():
        for number, alike in enumerate(combinations.values()):
            for i, item in enumerate(alike):
                if i != number % len(alike):
                    item.add_marker(pytest.mark.long)


def in_turn(engines: Sequence[T]) -> list[T]:
    """Return the one engine that the test decides, or all in `make test-long`; over many tests it is each."""
    return list(engines) if THOROUGH else [Random(os.environ["PYTEST_CURRENT_TEST"]).choice(engines)]


def is_among(every: int) -> bool:
    """Return whether the test is one in `every`, which its name decides; in `make test-long` each is."""
    return THOROUGH or Random(os.environ["PYTEST_CURRENT_TEST"]).randrange(every) == 0


def side_by_side(key: str, *kinds: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations of one element of each kind, in which each element of every kind appears.

    There are as many as the longest kind has elements. Which elements meet depends on the key alone, so
    that over many keys all combinations appear.
    """
    random = Random(key)
    turned = [(kind, random.randrange(len(kind))) for kind in kinds]
    return [
        tuple([kind[(i + first) % len(kind)] for kind, first in turned]) for i in range(max(map(len, kinds)))
    ]
