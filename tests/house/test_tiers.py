"""The table of what `make test` leaves out names what there is, and each function keeps some of its cases."""

from __future__ import annotations

import re
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.tiers import LEAST, NONE, SHARES, TESTS, all_but_a_share

ENGINES = ("interp", "hybrid", "c")


def items(parameters: list[dict[str, Any]]) -> list[Any]:
    """Return tests with parameters."""
    return [
        SimpleNamespace(
            name="-".join(map(str, values.values())),
            callspec=SimpleNamespace(params=values),
            get_closest_marker=lambda name: None,
        )
        for values in parameters
    ]


@pytest.mark.parametrize("key", SHARES)
def test_the_table_names_what_there_is(key: str) -> None:
    place, _, function = key.partition("::")
    if function:
        assert re.search(rf"^def {function.partition('[')[0]}\(", (TESTS / place).read_text(), re.MULTILINE)
    else:
        assert (TESTS / place).is_file() or list((TESTS / place).glob("test_*.py"))


def test_a_case_is_kept_on_all_engines_or_on_none() -> None:
    tests = items([{"engine": engine, "n": n} for n in range(40) for engine in ENGINES])
    left_out = all_but_a_share(tests, 4)
    kept = [test for test in tests if test not in left_out]
    assert len(kept) == len(ENGINES) * 10
    assert {(engine, n) for engine in ENGINES for n in {test.callspec.params["n"] for test in kept}} == {
        (test.callspec.params["engine"], test.callspec.params["n"]) for test in kept
    }
    assert all_but_a_share(tests, 4) == left_out
    assert all_but_a_share(tests, NONE) == tests


@pytest.mark.parametrize("count", [1, 3, 5])
def test_functions_of_few_cases_keep_them(count: int) -> None:
    tests = items([{"n": n} for n in range(count)])
    assert len(all_but_a_share(tests, 100)) == count - 1
    assert len(all_but_a_share(tests, 100, least=LEAST)) == max(0, count - LEAST)


def test_every_value_of_few_is_kept_beside_others() -> None:
    tests = items([{"law": law, "program": n} for law, n in product("abcdefg", range(50))])
    left_out = all_but_a_share(tests, 1000)
    kept = [test.callspec.params["law"] for test in tests if test not in left_out]
    assert set(kept) == set("abcdefg")
    assert len(kept) <= 7 + 1
    assert len(all_but_a_share(tests, 1000, few=0)) == len(tests) - 1
