"""Cotangents of the C engine: map and stack against models, and gradients that take rarer ways."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.build import compiler
from checkpoint.ctarget.library import reason
from tests.ctarget.c_sources import SANITIZED, command, files, object_files
from tests.driver.test_held_bytes import Weighing

HERE = Path(__file__).parent
SOURCES = [
    *files("cotangent", "cotangent_rows", "cotangent_stack", "accumulator_sums", "birth_rows", "real_rows"),
    *files("lane_gifts", "left_over"),
    *files("heap", "heap_check", "pages", "stack", "tape"),
    *files("reverse_program", "reverse_jump", "reverse_shorten", "slots"),
]


@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["test_cotangent", "test_real_rows"])
def test_against_a_model(name: str, tmp_path: Path) -> None:
    program = tmp_path / "cotangent"
    own = [HERE / "reverse" / f"{name}.c", HERE / "runtime" / "standins.c", *object_files(SOURCES)]
    subprocess.run([*command(SANITIZED), f"-I{HERE / 'runtime'}", *own, "-o", program], check=True)
    done = subprocess.run([program], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def keys(x: float) -> float:
    """Fields of dictionaries under keys of all kinds."""
    d = {"k": x, 5: x * x, (1, 2): 2 * x, None: x + 1, (0, "a"): x, 1 << 70: 3 * x}
    d["k"] = d[5] * d[(1, 2)]
    d[(0, "a")] = d["k"] - d[None]
    return d["k"] + d[(0, "a")] * d[1 << 70]


def special(x: float) -> float:
    """Partials that C has not, beside integers."""
    total = 0.0
    for i in range(1, 4):
        total = total + math.gamma(x + i) * i + math.lgamma(x) / i
    return total


def closures(x: float) -> float:
    """A closure without an environment called by one that has one."""

    def apply(k: Callable[[float, float], float]) -> float:
        return k(x, x * x)

    return apply(lambda a, b: a * b) * 2.0


def raised(x: float) -> Any:
    """Return the argument of an exception that carries a real past frames with slots."""

    def inner(y: float, depth: int) -> float:
        if depth == 0:
            raise ValueError(y * x)
        return inner(y * 1.5, depth - 1) + y

    try:
        return inner(x, 3)
    except ValueError as error:
        return x * error.args[0]


def arrays(a: Any) -> Any:
    """Cotangents of arrays through lists, closures and loops."""
    parts = [a, a * 2.0]
    total = 0.0
    for i in range(3):
        parts.append(parts[i] * parts[i + 1] + np.sin(a))
        total = total + np.sum(parts[-1])
    return total


def second(x: float) -> Any:
    """Cotangents of duals."""
    inner = checkpoint.grad(lambda y: y * y * math.sin(y) + y * x)
    return inner(x) * x


CASES: list[tuple[Any, Any]] = [
    (keys, 1.3),
    (special, 1.7),
    (closures, 0.6),
    (raised, 0.8),
    (arrays, np.array([0.5, -1.0, 2.0])),
    (second, 0.9),
]


@pytest.mark.skipif(reason() is not None, reason="there is no C engine here")
@pytest.mark.parametrize(("f", "x"), CASES, ids=[f.__name__ for f, _ in CASES])
@pytest.mark.parametrize("base", [1, 7, 10**6])
def test_gradients_are_those_of_hybrid(f: Any, x: Any, base: int) -> None:
    schedule = checkpoint.Bisection(base=base)
    expected = checkpoint.vjp(f, x, engine="hybrid", schedule=schedule)
    found = checkpoint.vjp(f, x, engine="c", schedule=schedule)
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one, other)


def branching(x: float) -> float:
    """Branches in a loop, past each of which many slots live."""
    a, b, c, d = x, 2.0 * x, 3.0 * x, 4.0 * x
    e, f, g, h = a + b, b + c, c + d, d + a
    for i in range(100):
        if i % 2:
            a = a + 1.0
        if i % 3:
            b = b + 1.0
        if i % 5:
            c = c + 1.0
        if i % 7:
            d = d + 1.0
        if i % 11:
            e = e + 1.0
        if i % 13:
            f = f + 1.0
    return a * b + c * d + e * f + g * h


@pytest.mark.skipif(reason() is not None, reason="there is no C engine here")
def test_what_reverses_a_block_has_no_room_that_it_does_not_use() -> None:
    """Before that was so, this was 50 KB, and a megabyte for programs with objects."""
    weighing = Weighing(checkpoint.Bisection(base=500))
    checkpoint.vjp(branching, 0.5, engine="c", schedule=weighing)
    _, last = weighing.told[-1]
    assert 0 < last.fixed < 32 * 1024
