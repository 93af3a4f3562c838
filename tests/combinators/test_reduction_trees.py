"""Reductions of all items at once, by engine c: their bits are those of the levels one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, engines
from checkpoint.ctarget import library
from checkpoint.scalars import formula_derivatives, formulas
from checkpoint.scalars.compiled import ByC, by_c
from tests.combinators.test_formulas import by_threads, joined, random_formula

WIDTH = 4
# One tile, some; a stage or two; nothing, something, much left over.
COUNTS = [1, 2, 3, 127, 128, 255, 256, 257, 511, 4095, 4096, 4097, 8191, 12289, 40961]
BY_C = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))


def items(count: int, stride: int, seed: int) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [draw.normal(size=count * stride)[::stride] for _ in range(WIDTH)]


def applied(text: str, *inputs: Any) -> list[Any]:
    found = [np.empty(len(inputs[0])) for _ in formulas.parsed(text).results]
    formulas.fill(np, text, inputs, found)
    return found


def combined(text: str, columns: list[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """Return what all items are combined to, and of each level its items and what is left over before it."""
    levels, over = list[tuple[Any, Any]](), None
    while (count := len(columns[0])) > 1:
        levels.append((columns, over))
        if count % 2:
            last = [x[-1:] for x in columns]
            over = last if over is None else applied(text, *last, *over)
        even = count // 2 * 2
        columns = applied(text, *[x[0:even:2] for x in columns], *[x[1:even:2] for x in columns])
    levels.append((columns, over))
    return (columns if over is None else applied(text, *columns, *over)), levels


def reversed_(text: str, levels: list[tuple[Any, Any]], given: list[Any]) -> list[Any]:
    """Return the cotangents of the items of the first level."""
    pulled = formula_derivatives.cotangents(text)
    (top, over), over_given = levels[-1], given
    if over is not None:
        both = applied(pulled, *top, *over, *given)
        given, over_given = both[:WIDTH], both[WIDTH:]
    for columns, before in levels[-2::-1]:
        count = len(columns[0])
        even, whole = count // 2 * 2, [np.empty(count) for _ in columns]
        both = applied(pulled, *[x[0:even:2] for x in columns], *[x[1:even:2] for x in columns], *given)
        for to, left, right in zip(whole, both[:WIDTH], both[WIDTH:], strict=True):
            to[0:even:2], to[1:even:2] = left, right
        if count % 2 and before is None:
            last = over_given
        elif count % 2:
            both = applied(pulled, *[x[-1:] for x in columns], *before, *over_given)
            last, over_given = both[:WIDTH], both[WIDTH:]
        for to, x in zip(whole, last if count % 2 else [], strict=False):
            to[-1:] = x
        given = whole
    return given


def bits(columns: list[Any]) -> list[bytes]:
    return [np.where(np.isnan(x), np.nan, x).tobytes() for x in columns]


@BY_C
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_all_levels_at_once_have_the_bits_of_each(seed: int, threads: int) -> None:
    library.runtime()
    text = random_formula(seed, 2 * WIDTH)
    with np.errstate(all="ignore"), by_threads(threads):
        for number, count in enumerate(COUNTS):
            columns, given = items(count, 1 + number % 3, seed), items(1, 1, seed + 1)
            value, received = ([np.empty(n) for _ in columns] for n in (1, count))
            assert formulas.reduced(text, columns, value)
            pulled = formula_derivatives.cotangents(text)
            assert formulas.reduced_reversed(text, pulled, columns, given, received)
            expected, levels = combined(text, columns)
            assert bits(value) == bits(expected)
            assert bits(received) == bits(reversed_(text, levels, given))


@BY_C
def test_what_it_does_not_take_is_left_to_the_levels() -> None:
    library.runtime()
    text, x = "2||add 0 1|2", np.ones(5)
    strange: list[Any] = [x.astype(np.float32), x[:0], np.ones((5, 1)), x.astype(">f8")]
    for columns in strange:
        assert not formulas.reduced(text, [columns], [np.empty(1)])
    assert not formulas.reduced(text, [x], [np.empty(2)])
    assert not formulas.reduced("3||add 0 1|3", [x], [np.empty(1)])
    pulled = formula_derivatives.cotangents(text)
    assert not formulas.reduced_reversed(text, pulled, [x], [x[:1]], [np.empty(4)])


@pytest.mark.parametrize("count", [5, 9000])
def test_a_quotient_that_fails_in_any_level_raises_what_its_items_raise(count: int) -> None:
    def divided(a: Any, b: Any) -> Any:
        return a / b

    x = np.ones(count)
    for at in (1, count // 2 | 1):
        x[at] = 0.0
        for engine in engines.usable():
            with pytest.raises(ZeroDivisionError):
                checkpoint.grad(lambda x: arrays.reduce(divided, x), engine=engine)(x)
        x[at] = 1.0


def test_gradients_are_the_same_without_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    pair = draw.uniform(0.5, 1.0, 9001), draw.uniform(-1.0, 1.0, 9001)

    def loss(pair: Any) -> Any:
        whole = arrays.reduce(joined, pair)
        return whole[0] + 2.0 * whole[1]

    with config.override(check=False):  # the operator is not associative
        found = [checkpoint.value_and_grad(loss, engine=engine)(pair) for engine in engines.usable()]
        monkeypatch.setattr(by_c, "tree", ByC().tree)
        found += [checkpoint.value_and_grad(loss, engine=engine)(pair) for engine in engines.usable()]
    assert len({(value, *[x.tobytes() for x in slopes]) for value, slopes in found}) == 1
