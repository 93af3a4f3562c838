"""Lists, tuples and integers in translated code agree with the machine, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.specialise import block_steps, steps
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler]

Function = Callable[[float, float], float]


def reads(x: float, y: float) -> float:
    """Reads by indices of either sign: lists of reals and integers, tuples of several lengths."""
    xs, ks = [x * i for i in range(7)], [3, 1, 4, 1, 5]
    t = (x, y, x * y, 1.5)
    kinds = (t, (x, x), (y, y, y))
    i, s = 0, 0.0
    while i < 300:
        s = s * 0.9 + xs[i % 7] * xs[-1 - i % 3] + xs[2] * ks[i % 5] + len(xs) * y
        u = kinds[i % 3]
        for j in range(len(u)):
            s = s * 0.99 + u[j] * t[i % 4] + u[-1]
        i += 1
    return s


def writes(x: float, y: float) -> float:
    """Two lists of one length, changed in one block; one that grows, of reals and integers."""
    xs, ys, log = [x, y, 2.0, 3.0], [0.0] * 4, [1.0]
    i = 0
    while i < 200:
        xs[i % 4], ys[(i + 1) % 4] = xs[(i + 1) % 4] * 0.9 + 0.01 * ys[i % 4], xs[i % 4] * y
        if i % 3 == 0:
            log.append(xs[0] * ys[1])
        if i % 7 == 0:
            log.append(3)
        xs[-1] = xs[-2] * 0.5 if i % 5 else log[-1]
        i += 1
    return sum(log) + sum(xs) + ys[2]


def mixed(x: float, y: float) -> float:
    """Integers where there were reals: cotangents that reach them go no further."""
    xs = [x, y, x * y]
    i = 0
    while i < 150:
        xs[i % 3] = xs[i % 3]
        xs[0] = 1.5 if i % 5 == 0 else xs[1] * 0.99 + xs[2]
        xs[1] = i if i % 11 == 0 else xs[0] * x * 0.1
        i += 1
    return xs[0] + xs[1] + xs[2]


def rows(x: float, y: float) -> float:
    """Lists of lists."""
    m = [[x * i + j for j in range(4)] for i in range(4)]
    for k in range(60):
        m[k % 4][(k * 3) % 4] = m[(k + 1) % 4][k % 4] * 0.7 + y
        m[(k + 2) % 4] = [m[0][0], x, y, m[1][1] * x]
    return sum([sum(row) for row in m])


def pairs(x: float, y: float) -> float:
    """Lists of tuples that are made for them."""
    best: list[Any] = []
    i = 0
    while i < 100:
        best.append((x * i, (y, i)))
        p = best[i // 2]
        x = x * 0.99 + p[1][0] * 0.001 + p[0] * 0.0001
        best[i // 3] = (p[1][0], p[1])
        i += 1
    total: float = x + best[3][0]
    return total


def piles(x: float, y: float) -> float:
    """A stack, until it is empty; the truth of containers."""
    pile: list[Any] = [(x, 0)]
    t, n, empty = 0.0, 0, ()
    while pile and n < 300:
        v, deep = pile[-1]
        pile = pile[:-1]
        t += v * y
        if deep < 7 and not empty:
            pile.append((v * 0.5, deep + 1))
            pile.append((v * 0.6 + y, deep + 1))
        n += 1 if (v, n) else 2
    return t + len(pile)


def made_and_kept(x: float, y: float) -> float:
    """A list that has two names as soon as it is made."""
    s = 0.0
    for i in range(100):
        xs = [x, y, s]
        zs = xs
        s = s * 0.5 + zs[i % 3] * xs[0]
    return s


def aliased(x: float, y: float) -> float:
    """A read of a list through another name, after a change."""
    xs, i, s = [x, y], 0, 0.0
    while i < 100:
        zs = xs
        xs[0] = xs[1] * x
        s += zs[0] if i == 90 else 0.0
        i += 1
    return s


def too_far(x: float, y: float) -> float:
    xs, i = [x] * 10, 0
    while i < 100:
        xs[i] = xs[i - 1] * y
        i += 1
    return xs[0]


def whole(x: float, y: float) -> float:
    """Integers made of reals and of bits, and where they are too large."""
    i, s = 0, 0.0
    while i < 300:
        k = int(x * i) + math.floor(y * i) - math.ceil(x * i) + round(s) - math.trunc(-y * i)
        s = s * 0.5 + k**2 * 0.001 + float(i) * x * 0.01 + (i >> 2) * y + (i & 3) + (i ^ 5 | 1) * 0.1
        s += (~i) * 0.01 + (i << 3) * 0.01 + (i**9 % 7) * y + ((i << 60) % 5) * x + int(1e300 * i) % 3
        if isinstance(k, int) and not isinstance(s, int):
            s += x
        if math.isnan(s) or math.isinf(s) or not math.isfinite(s):
            s = 0.0
        s = max(min(s, 5.0), -4.0) + min(i, 3)
        i += 1
    return s


FUNCTIONS = [reads, writes, mixed, rows, pairs, piles, made_and_kept, aliased, too_far, whole]


def outcome(f: Function, engine: str) -> list[str]:
    """Return the value and gradient, or the failure."""
    try:
        value, gradient = checkpoint.value_and_grad(f, argnums=(0, 1), engine=engine)(1.3, 0.7)
    except Exception as error:
        return [repr(error)]
    return [each.hex() for each in (value, *gradient)]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translate what runs a few hundred steps."""
    translate_soon(monkeypatch)


@pytest.mark.filterwarnings("ignore::checkpoint.RoundingWarning")  # one of them rounds everything
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_bit_for_bit(f: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with hybrid; the machine does no step unless a block reads what it has just made."""
    done: list[str] = []
    refused: list[str] = []
    compute = block_steps.compute

    def spy(block: steps.Steps, step: Any, uses: Any) -> Any:
        done.append(step.op)
        try:
            return compute(block, step, uses)
        except steps.Untranslatable:
            refused.append(step.op)
            raise

    monkeypatch.setattr(block_steps, "compute", spy)
    assert outcome(f, "c") == outcome(f, "hybrid")
    assert done
    if f in (writes, mixed):
        assert "py.item" in done
        assert not set(refused) & {"py.item", "py.item-to-change", "py.len", "py.set", "py.append", "py.list"}
