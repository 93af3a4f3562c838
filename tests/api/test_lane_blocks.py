"""vmap in blocks: many lanes are run a block at a time, which nothing shows but memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import grad, jvp, primops, value_and_grad, vmap
from checkpoint.prims import lanes
from tests.api.test_lanes import ENGINES, equal, root

pytestmark = pytest.mark.engines_in_turn

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


def inverse(x: float) -> float:
    return 1.0 / (x - float(XS[14]))


@pytest.mark.parametrize("engine", ENGINES)
def test_lanes_of_lanes_are_named(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "BLOCK", 4)
    rows = np.stack([XS + 1e-3] * 6 + [XS])
    with pytest.raises(ZeroDivisionError) as caught:
        vmap(lambda row: vmap(inverse)(row + 0.0), engine=engine)(rows)
    found = [note for note in caught.value.__notes__ if "of vmap" in note]
    assert ["lane 14 of vmap" in found[0], "lane 6 of vmap" in found[-1]] == [True, True]


def shows(x: float) -> float:
    print(int(x * 10.0))
    return 1.0 / (x - float(XS[14]))


@pytest.mark.parametrize("engine", ENGINES)
def test_lanes_before_one_that_fails_have_printed(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lanes, "BLOCK", 4)
    with pytest.raises(ZeroDivisionError):
        vmap(shows, engine=engine)(XS)
    assert capsys.readouterr().out.split() == [str(int(x * 10.0)) for x in XS[:15]]


def late(x: float) -> Any:
    return x * 0.5 if x < 8_191.0 else int(x)


@pytest.mark.parametrize("count", [4_096, 4_097, 4_098, 8_193, 8_194, 10_000])
def test_blocks_of_the_usual_size(count: int) -> None:
    """Around the ends of blocks: whole numbers come with the last two lanes of the second one."""
    xs = np.arange(float(count))
    want = np.where(xs < 8_191.0, xs * 0.5, xs)
    assert equal(vmap(late)(xs), want)
    assert equal(vmap(lambda x: (x, late(x)))(xs), (xs, want))
    slopes = grad(lambda a: np.sum(vmap(late)(a)))(xs)
    assert equal(slopes, np.where(xs < 8_191.0, 0.5, 0.0))


@pytest.mark.parametrize("lane", [4_096, 4_097, 8_192, 8_193, 9_999])
def test_a_lane_around_the_end_of_a_block_is_named(lane: int) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        vmap(lambda x: 1.0 / (x - float(lane)))(np.arange(10_000.0))
    assert any(f"lane {lane} of vmap" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", [1, 4, 5, 8, 9, 13, 16, 17, 20, 21])
def test_any_number_of_columns(count: int, engine: str) -> None:
    """Rows are made of groups of columns; each item is where it belongs, in values and in derivatives."""
    columns = tuple([np.arange(3.0) + k for k in range(count)])

    def lane(items: tuple[float, ...]) -> float:
        total = 0.0
        for x in items:
            total = 2.0 * total + x * x
        return total

    def summed(columns: tuple[Any, ...]) -> Any:
        return np.sum(vmap(lane)(columns))

    found = vmap(lane, engine=engine)(columns)
    assert found.tolist() == [lane(tuple([float(column[i]) for column in columns])) for i in range(3)]
    slopes = grad(summed, engine=engine)(columns)
    for k, slope in enumerate(slopes):
        assert slope.tolist() == (2.0 * columns[k] * 2.0 ** (count - 1 - k)).tolist()
