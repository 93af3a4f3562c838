"""Strips, many lanes at once in vectors, agree with hybrid in every bit, on all vectors of this processor."""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.compile.compiler import find
from checkpoint.ctarget.translate.emit import text as emitted
from checkpoint.ctarget.translate.strips import target
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.sampling import THOROUGH, partly, sample
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler, pytest.mark.usefixtures("soon")]

VECTORS = os.environ.get("STRIPS_TESTED")  # None: the widest; units are compiled once in a process
WIDTH = 400  # several strips on the widest vectors, and lanes that are left


def branches(x: float, n: float) -> float:
    t = 0.0
    while t < n:
        if x > 1.0:
            x = x * 0.5
        elif x > 0.75:
            x = math.sqrt(x) / (1.0 + x * x)
        else:
            x = x * 1.5 + 0.1
        t = t + 1.0
    return x


def straight(x: float, n: float) -> float:
    return (x * n + 0.5) * abs(x - n * 0.1) / (1.0 + x) - 0.25


def one_side(x: float, n: float) -> float:
    return x * 3.0 if x < 1.0 else n / x


def functions(x: float, n: float) -> float:
    for _ in range(3):
        x = math.sin(x) * math.exp(-x) + math.atan2(x, n) + x**1.5
    return x


def nested(x: float, n: float) -> float:
    total = 0.0
    for i in range(4):
        y = x
        while y < n:
            y = y * 1.75 + 0.25
            total = total + y * 0.01
        if i % 2 == 0:
            total = total - x
    return total


def counts(x: float, n: float) -> int:
    count = 0
    while x > 0.01:
        x, count = x * 0.625, count + (2 if x > 0.5 else 1)
    return count


def flips(x: float, n: float) -> bool:
    large = x > 1.0
    while n > 3.0:
        large, n = not large, n - 3.0
    return large


def tuples(x: float, n: float) -> tuple[float, tuple[float, float]]:
    u = (x, n)
    while u[0] < 5.0:
        u = (u[0] * 1.5 + 0.1, u[1] * 0.75)
    return u[0], (u[1], x)


def fours(x: float, n: float) -> tuple[float, int, float, bool]:
    """Elements of several kinds, some of them one place; returned at two places."""
    count = 0
    while x < 5.0:
        if n > 30.0:
            return x, count, x, True
        x, count = x * 1.5 + 0.1, count + 1
    return n, count, x, False


def twins(x: float, n: float) -> tuple[float, float, float]:
    """Results in rows: elements that are one place, the same for all lanes, and in another order."""
    while x < 5.0:
        if n > 30.0:
            return x, n, x
        x = x * 1.5 + 0.1
    return (n, n, x) if n > 20.0 else (x, 0.5, n)


def early(x: float, n: float) -> float:
    for i in range(10):
        x = x * 1.25
        if x > 4.0:
            return x * n + i
    return x


def rounds(x: float, n: float) -> float:
    large = (x - 1.0) * 10.0 ** (n * 0.35)  # up to 1e17, of either sign
    rests = math.ceil(large) % 8 + math.trunc(-large) % 4 * 16 + round(large * 0.5) % 2 * 64
    return math.floor(x * n) * x + int(n / 3.0) + round(x) + float(rests)


def cold(x: float, n: float) -> float:
    """Nothing is left of the derivative."""
    t = 0.0
    while t < n:
        t = t + (2.0 if x > 1.0 else 1.0)
    return t


def signs(x: float, n: float) -> float:
    """Two ways into the loop, with zeros that differ by their signs alone."""
    zero = -0.0 if x > 1.0 else 0.0
    while n > 20.0:
        n = n - 1.0
        x = x * 0.875
    return math.copysign(x, zero)


LANES = [
    *(branches, straight, one_side, functions, nested, counts, flips),
    *(tuples, fours, twins, early, rounds, cold, signs),
]
SMOOTH = [f for f in LANES if f not in (counts, flips)]
DIFFERENTIATED = SMOOTH[::2]  # the values of the others are tried in `make test`


def divides(x: float, n: float) -> float:
    return x / (n - 17.0)


def roots(x: float, n: float) -> float:
    while n > 1.0:
        n = n - 1.0
        x = x - 0.05
    return math.sqrt(x)


def raises(x: float, n: float) -> float:
    if n == 30.0:
        raise ValueError("thirty")
    return x * n


def prints(x: float, n: float) -> float:
    if n == 38.0:
        print(x)
    return x * n


Shared = tuple[tuple[float, tuple[float, float]], ...]  # what lanes share, and walk over


def walks(x: float, n: float, shared: Shared) -> float:
    total = 0.0
    for own in shared:
        if x < own[0]:
            total = total + own[1][0] * x
        else:
            total = total - own[-1][1]
    return total


def nearest(x: float, n: float, shared: Shared) -> float:
    """Lanes hold different objects, and read each twice."""
    best, near = shared[0], 100.0
    for _ in range(3):
        for own in shared:
            if abs(own[0] - x) < near:
                near, best = abs(own[0] - x), own
        x, near = x * best[1][0] + 0.1, near * 2.0
    return x * best[1][1] + shared[1][0]


def makes(x: float, n: float, shared: Shared) -> float:
    """What is made in a loop takes the place of what was made before."""
    u = (0.0, 0.0)
    for own in shared:
        if own[0] > x:
            u = (u[1] + own[1][0] * x, own[0])
    return u[0] - u[1] * x


def returns(x: float, n: float, shared: Shared) -> tuple[float, float]:
    """A result is a part of what lanes share, or was made in a loop."""
    u = shared[1][1]
    for own in shared:
        if own[0] > x:
            u = (u[1] + own[1][0] * x, own[0])
    return u


def swaps(x: float, n: float, shared: Shared) -> float:
    """Two of the objects made at one place are needed at once."""
    u = v = shared[1][1]
    while n > 1.0:
        u, v, n = (v[1], u[0] + x), u, n - 1.0
    return u[0] * v[1]


def by_index(x: float, n: float, shared: Shared) -> float:
    return x * shared[int(n) % 3][1][0] + shared[int(n) % 2 - 1][0]


SHARING = [walks, nearest, makes, returns, by_index, swaps]


FAILING = [divides, roots, raises, prints]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)


@pytest.fixture
def strips(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compile for the vectors that this process tests; count the strips that are run."""
    if VECTORS is not None:
        monkeypatch.setattr(target, "_widest", lambda: VECTORS)
    return counted(monkeypatch)


def arguments(width: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(width)
    return rng.random(width) * 2.0, rng.integers(1, 40, width).astype(float)


def outcome(run: Callable[[], Any], capsys: pytest.CaptureFixture[str]) -> Any:
    try:
        found = run()
    except Exception as error:
        return type(error), str(error), getattr(error, "__notes__", []), capsys.readouterr().out
    return [np.asarray(part).tobytes() for part in parts(found)], capsys.readouterr().out


def same(a: Any, b: Any) -> bool:
    """Return whether results have the same bits."""
    return [np.asarray(x).tobytes() for x in parts(a)] == [np.asarray(x).tobytes() for x in parts(b)]


def parts(found: Any) -> list[Any]:
    return [leaf for part in found for leaf in parts(part)] if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize("f", partly(LANES, {*LANES}.difference(DIFFERENTIATED)), ids=lambda f: f.__name__)
def test_values_and_steps(f: Any, strips: Any, capsys: pytest.CaptureFixture[str]) -> None:
    args = arguments(WIDTH)
    mapped = checkpoint.vmap(f)
    want = outcome(lambda: checkpoint.vmap(f, engine="hybrid")(*args), capsys)
    for _ in until_in_strips(strips):
        assert outcome(lambda: checkpoint.vmap(f, engine="c")(*args), capsys) == want
    assert strips.value > 0
    steps = {
        checkpoint.primops(lambda given: mapped(*given), args, engine=engine) for engine in ("hybrid", "c")
    }
    assert len(steps) == 1


@pytest.mark.filterwarnings("ignore::checkpoint.RoundingWarning")  # one of them rounds
@pytest.mark.parametrize("f", partly(SMOOTH, DIFFERENTIATED), ids=lambda f: f.__name__)
def test_gradients(f: Any, strips: Any) -> None:
    args = arguments(WIDTH)

    def total(xs: Any, ns: Any, k: float) -> Any:
        def lane(x: float, n: float) -> Any:
            return f(x * k + 0.125, n * k)

        return sum([np.sum(part * k) for part in parts(checkpoint.vmap(lane)(xs, ns))])

    want = checkpoint.value_and_grad(total, (0, 1, 2), engine="hybrid")(*args, 1.25)
    for _ in until_in_strips(strips):
        for schedule in ("plain", "bisection"):
            gradient = checkpoint.value_and_grad(total, (0, 1, 2), engine="c", schedule=schedule)
            assert same(want, gradient(*args, 1.25))
    assert strips.value > 0


def scene(k: float) -> Shared:
    return tuple([(a * k, (b, c + k)) for a, b, c in ((1.5, 0.25, 2.0), (0.5, 1.25, -1.0), (2.5, 0.75, 0.5))])


@pytest.mark.parametrize("f", sample(SHARING, 3), ids=lambda f: f.__name__)
def test_objects_of_lanes(f: Any, strips: Any) -> None:
    """Lanes copy objects, walk over them, hold different ones, and make more."""
    args, mapped = (*arguments(WIDTH), scene(1.25)), checkpoint.vmap(f, (0, 0, None))
    want = checkpoint.vmap(f, (0, 0, None), engine="hybrid")(*args)
    for _ in until_in_strips(strips):
        assert same(checkpoint.vmap(f, (0, 0, None), engine="c")(*args), want)
    assert strips.value > 0 or f is swaps
    steps = {
        checkpoint.primops(lambda given: mapped(*given), args, engine=engine) for engine in ("hybrid", "c")
    }
    assert len(steps) == 1


@pytest.mark.filterwarnings("ignore::checkpoint.RoundingWarning")  # of an index
@pytest.mark.parametrize("f", sample([*SHARING[1:], SHARING[0]], 3), ids=lambda f: f.__name__)
def test_gradients_by_objects_of_lanes(f: Any, strips: Any) -> None:
    args = arguments(WIDTH)

    def total(xs: Any, ns: Any, k: float) -> Any:
        found = checkpoint.vmap(f, (0, 0, None))(xs, ns, scene(k))
        return sum([np.sum(part * k) for part in parts(found)])

    want = checkpoint.value_and_grad(total, (0, 1, 2), engine="hybrid")(*args, 1.25)
    for _ in until_in_strips(strips):
        for schedule in ("plain", "bisection"):
            gradient = checkpoint.value_and_grad(total, (0, 1, 2), engine="c", schedule=schedule)
            assert same(want, gradient(*args, 1.25))
    assert strips.value > 0 or f is swaps


@pytest.mark.parametrize("f", sample(FAILING), ids=lambda f: f.__name__)
def test_a_lane_that_leaves(f: Any, strips: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The lanes of its strip run one by one; what follows may run in strips again."""
    args = arguments(2 * WIDTH)
    want = outcome(lambda: checkpoint.vmap(f, engine="hybrid")(*args), capsys)
    for _ in range(2):
        assert outcome(lambda: checkpoint.vmap(f, engine="c")(*args), capsys) == want


def test_lanes_of_long_runs(strips: Any) -> None:
    """Lanes that take more steps than a slice of a run has stay right, whether a strip holds them or not."""
    xs, ns = arguments(WIDTH)
    found = [checkpoint.vmap(branches, engine=engine)(xs, ns * 40.0) for engine in ("hybrid", "c")]
    assert same(found[0], found[1])


def test_every_budget_gives_the_same(strips: Any) -> None:
    xs, ns = arguments(2 * WIDTH)

    def total(xs: Any, ns: Any) -> Any:
        return np.sum(checkpoint.vmap(branches)(xs, ns))

    for _ in until_in_strips(strips):
        plain = checkpoint.value_and_grad(total, (0, 1), engine="c")(xs, ns)
    for memory in ("1MiB", "2MiB", "8MiB"):
        assert same(plain, checkpoint.value_and_grad(total, (0, 1), engine="c", memory=memory)(xs, ns))
    assert strips.value > 0


def test_hot_loops_are_vectors_alone(tmp_path: Path) -> None:
    """Within the loops of a strip nothing is allocated, no tag is tested, nothing is called; and vectors are
    what the compiler multiplies.
    """
    if not is_alone():
        check_alone(__file__, "vectors_alone")
        return
    units = units_of(lambda: checkpoint.vmap(branches, engine="c")(*arguments(WIDTH)))
    (text,) = [text for unit in units if "strip_tape" in (text := emitted.source(unit, "plain", "taped"))]
    assert "append_reals(" in text  # results are in a row,
    assert "cotangent_take_row(" in text  # and their cotangents
    loops = text[text.index("\nrun_2:") : text.index("\nnext:")]
    assert not re.search(r"make\w*\(|kind_of|is_tuple|->tag|FOR_LANES|services", loops)
    compiler = find()
    assert compiler is not None
    (tmp_path / "unit.c").write_text(text)
    command = compiler.command(str(tmp_path / "unit.c"), str(tmp_path / "unit.s"))
    subprocess.run([*[word for word in command if word != "-shared"], "-S"], check=True)
    if platform.machine() in ("x86_64", "AMD64"):
        assert "mulpd" in (tmp_path / "unit.s").read_text()


@pytest.mark.parametrize("vectors", ["avx2", ""], ids=["256", "128"])
def test_narrower_vectors(vectors: str) -> None:
    if vectors == target._widest():
        pytest.skip("these are the vectors that this process tests")
    if not set(filter(None, [vectors])) <= target._flags():
        pytest.skip("this processor has no such vectors")
    some = "functions or early" if not THOROUGH else "branches or early or nested or functions"
    tests = f"gradients and ({some}) or lane_that_leaves"
    check_alone(__file__, tests, STRIPS_TESTED=vectors)
