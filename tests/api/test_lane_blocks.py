"""vmap in blocks: many lanes are run a block at a time, which nothing shows but memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import grad, jvp, primops, value_and_grad, vmap
from checkpoint.prims import lanes
from tests.api.test_lanes import ENGINES, equal, root

LANES = 23
XS = np.linspace(0.5, 3.0, LANES)
ROWS = np.arange(2.0 * LANES).reshape(2, LANES) / 7.0


def pair(x: float) -> tuple[float, float]:
    return root(x), x * x


def numbered(x: float) -> tuple[float, int, bool]:
    return x * 2.0, int(x), x > 1.0


def later_whole(x: float) -> Any:
    """Return a float in some lanes, an integer in others: in the middle of a block, and in all of some."""
    return x * 0.5 if x < 1.2 else int(x * 3.0)


def later_whole_pair(x: float) -> tuple[Any, float]:
    return later_whole(x), x * 0.25


def later_nested(x: float) -> Any:
    return (x, 2.0 * x) if x < 1.9 else (x, 2.0 * x, x)


def an_array(x: float) -> Any:
    return np.array([x, x * x])


def of_a_column(column: Any) -> Any:
    return column[0] * column[1]


CASES: dict[str, Callable[[str], Any]] = {
    "floats": lambda e: vmap(root, engine=e)(XS),
    "pairs": lambda e: vmap(pair, engine=e)(XS),
    "numbers of several kinds": lambda e: vmap(numbered, engine=e)(XS),
    "whole numbers later": lambda e: vmap(later_whole, engine=e)(XS),
    "whole numbers later, in pairs": lambda e: vmap(later_whole_pair, engine=e)(XS),
    "arrays": lambda e: vmap(an_array, engine=e)(XS),
    "arrays along the last axis": lambda e: vmap(an_array, out_axes=1, engine=e)(XS),
    "items along the last axis": lambda e: vmap(of_a_column, in_axes=1, engine=e)(ROWS),
    "whole numbers mapped": lambda e: vmap(lambda n: n * 2, engine=e)(np.arange(LANES)),
    "nested": lambda e: vmap(lambda row: vmap(root)(row + 1.0), engine=e)(ROWS),
    "a gradient by items": lambda e: value_and_grad(lambda a: np.sum(vmap(root)(a) ** 3), engine=e)(XS),
    "a gradient by columns": lambda e: grad(lambda a: np.sum(vmap(of_a_column, 1)(a)), engine=e)(ROWS),
    "a gradient by what lanes share": lambda e: grad(
        lambda k, a: np.sum(vmap(lambda x: root(x * k))(a) * a), engine=e
    )(1.5, XS),
    "a gradient of pairs": lambda e: grad(
        lambda a: np.sum(vmap(pair)(a)[0] * vmap(pair)(a)[1]), engine=e, memory="1MiB"
    )(XS),
    "a gradient, whole numbers later": lambda e: grad(
        lambda a: np.sum(vmap(later_whole_pair)(a)[0]), engine=e
    )(XS),
    "a tangent": lambda e: jvp(vmap(root), XS, np.ones(LANES), engine=e),
}


@pytest.mark.parametrize("name", CASES)
def test_blocks_of_any_size_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    want = CASES[name](ENGINES[0])
    for block in (1, 7, LANES - 1):
        monkeypatch.setattr(lanes, "BLOCK", block)
        for engine in ENGINES:
            assert equal(want, CASES[name](engine)), (block, engine)


def test_steps_are_those_of_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "BLOCK", 5)
    counts = [primops(lambda a: np.sum(vmap(pair)(a)[0]), XS, engine=engine) for engine in ENGINES]
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", [4, LANES])
def test_an_unlike_lane_is_named(block: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "BLOCK", block)
    with pytest.raises(ValueError, match=r"^lane 13 of vmap returns a tuple of .*, and lane 0 "):
        vmap(later_nested, engine=engine)(XS)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_lane_that_fails_is_named(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "BLOCK", 4)
    bad = float(XS[14])
    with pytest.raises(ZeroDivisionError) as caught:
        vmap(lambda x: 1.0 / (x - bad), engine=engine)(XS)
    assert any("lane 14 of vmap" in note for note in caught.value.__notes__)
