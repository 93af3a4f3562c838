"""The mark `wide`: tests that `make test` leaves to `make test-wide`. Continuous integration runs both.

SHARES says how much of a file or of a test function `make test` tries: one case in so many, or none. A case
is a combination of parameters but for the engine: the engines try it together, or take turns among the
cases that are kept. In a file with the mark `together` a case is a program, and all functions of the file
keep about the same ones. Which cases are kept depends on names alone, so each run has the same. A function
keeps at least three cases, unless it is named itself, and every value of a parameter that has few values
beside other parameters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent.parent
LEAST = 3  # cases of a function that are kept
FEW = 8  # values of a parameter, each of which is kept
NONE = 0  # no case is kept
# By file, or by file and function: one case in so many is kept.
SHARES = {
    "ctarget/test_array_reversals.py": 4,
    "ctarget/test_containers.py::test_against_a_model": NONE,
    "ctarget/test_cotangent.py::test_against_a_model": NONE,
    "ctarget/test_driver.py": 4,
    "ctarget/test_entering.py": 3,
    "ctarget/test_held_tapes.py": 4,
    "ctarget/test_numbers.py": 4,
    "ctarget/test_operators.py": 4,
    "ctarget/test_rows.py": 4,
    "ctarget/test_runtime.py": NONE,
    "ctarget/test_series.py": 8,
    "ctarget/test_weighing.py": 4,
    "laws/test_corpus.py": 4,
    "laws/test_corpus_gradients.py": 4,
    "python/test_capsules.py": 4,
    "python/test_capsules_nested.py": 4,
    "python/test_corpus.py": 6,
}


def mark_wide(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves out."""
    functions: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        file = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
        if item.get_closest_marker("long") is None:
            functions[file, getattr(item, "originalname", item.name)].append(item)
    for (file, function), tests in functions.items():
        own = SHARES.get(f"{file}::{function}")
        every = SHARES.get(file) if own is None else own
        if every is not None:
            for left_out in all_but_a_share(tests, every, LEAST if own is None else 1):
                left_out.add_marker(pytest.mark.wide)


def all_but_a_share(tests: Sequence[pytest.Item], every: int, least: int = LEAST) -> Sequence[pytest.Item]:
    """Return the tests of one function that are no tests of the one case in `every` that is kept."""
    if every == NONE:
        return tests
    cases: dict[Hashable, list[pytest.Item]] = defaultdict(list)
    for test in tests:
        cases[_case_of(test)].append(test)
    few = _few_valued(tests)
    kept = max(least, ceil(len(cases) / every))
    tried: set[tuple[str, int]] = set()
    found = []
    for i, case in enumerate(sorted(cases, key=lambda case: _rank(case, cases[case]))):
        new = {(name, id(_parameters(test)[name])) for test in cases[case] for name in few} - tried
        if i < kept or new:
            tried |= new
        else:
            found += cases[case]
    return found


def _few_valued(tests: Iterable[pytest.Item]) -> list[str]:
    """Return the parameters that have few values, where there are several parameters."""
    values: dict[str, set[int]] = defaultdict(set)
    for test in tests:
        for name, value in _parameters(test).items():
            values[name].add(id(value))
    return [name for name, found in values.items() if len(found) <= FEW] if len(values) > 1 else []


def _parameters(item: pytest.Item) -> dict[str, Any]:
    """Return the parameters of a test but for its engine, unless that is the only one."""
    found: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return {name: value for name, value in found.items() if name != "engine" or len(found) == 1}


def _case_of(item: pytest.Item) -> Hashable:
    """Return what the tests of one case have in common: their program's name, or all parameters."""
    mark, parameters = item.get_closest_marker("together"), _parameters(item)
    if mark and mark.args[0] in parameters:
        program = parameters[mark.args[0]]
        return str(getattr(program, "name", program))
    return tuple([(name, id(value)) for name, value in parameters.items()])


def _rank(case: Hashable, tests: Sequence[pytest.Item]) -> float:
    """Return a number without a pattern, which is the same for a program in all functions."""
    return Random(case if isinstance(case, str) else tests[0].name).random()
