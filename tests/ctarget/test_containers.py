"""Lists, dictionaries and the native steps on them: C programs against models, with sanitizers; gradients."""

from __future__ import annotations

import gc
import subprocess
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ctarget import plans
from checkpoint.ctarget.build import compiler
from checkpoint.functions import runs
from checkpoint.prims.python import classes as python_classes
from tests.ctarget.c_sources import SANITIZED, command, files, object_files
from tests.engine_containers.programs import PROGRAMS
from tests.engine_containers.support import closure
from tests.support.tracing import traced

HERE = Path(__file__).parent / "containers"
SOURCES = files(
    "heap",
    "heap_check",
    *("versions", "memo", "lists", "dictionary", "instances", "keys", "classify", "containers", "collector"),
    "natives",
    "natives_read",
    "natives_make",
    "natives_change",
    "natives_predicate",
    "natives_integer",
)


@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["lists", "dictionaries", "versions"])
def test_against_a_model(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    own = [HERE / f"test_{name}.c", HERE / "standins.c", *object_files(SOURCES)]
    subprocess.run([*command(SANITIZED), *own, "-lm", "-o", program], check=True)
    subprocess.run([program], check=True, timeout=300)


def copies(x: float, n: int) -> float:
    xs = [x * i for i in range(n)]
    ys = xs[1:3] + [xs.pop(), x] * 2
    first, second, *rest = ys
    pair = first, second
    a, b = pair
    total = sum(xs[::-1]) + a * b + rest[0]
    zs = list(xs)
    zs.pop(0)
    zs += ys
    zs.extend(tuple(xs)[2:])
    for i, z in enumerate(zs.copy()):
        zs[i] = zs[i - 1] * 0.5 + z * i
    return total + sum(zs)


def joins(x: float, n: int) -> float:
    """Sources that are one list, literals, the same number several times, nothing; copies that are copied."""
    table = [0.0, x] * 2
    for i in range(n):
        first, second = [table[0] * x, table[1]], [table[2] + x, x]
        table = first + second + ([x] if i % 3 else [])
        twice = table + table
        twice[0] = twice[4] * x
        rows: tuple[float | list[float], ...] = (twice[0], x) * 3 + (twice[1], table)
        rows += (1, x)
        numbers = [row[1] if isinstance(row, list) else row for row in rows]
        table = (3 * twice)[2:6]
        table[i % 4] = table[i % 3] * 0.5 + numbers[4] + numbers[7] + numbers[8] * numbers[9]
    return table[0] * table[1] + table[3]


def keys(x: float, n: int) -> float:
    d: dict[object, float] = {}
    for i in range(n):
        d[i, str(i % 3)] = x * i
        d[str(i)] = d[i, str(i % 3)] * x
        d[i] = d[str(i)] + d.get("0", x)
    d.pop(0)
    total = x if True in d and None not in d else 0.0
    for key in list(d):
        total = total + d[key] * 0.5
    d[1 << 70] = d[(1 << 62) + 1] = total
    return total + d[1 << 70] if 1 << 70 in d else total * len(d)


class Moving(NamedTuple):
    place: float
    speed: float


def objects(x: float, n: int) -> float:
    state = Moving(x, 1.0)
    for _ in range(n):
        place, speed = state
        state = Moving(place + 0.1 * speed, speed=state.speed - 0.1 * state[0] * x)
    return state.place * state[-1] if isinstance(state, tuple) else 0.0


class Held:
    def __init__(self, x: float) -> None:
        self.x = x


def classes(x: float, n: int) -> float:
    """A value of each kind is asked for its class, which is none of the bases."""
    values = (x, n, n > 3, None, (x,), [x], {n: x}, range(n), "text", Moving(x, 1.0), Held(x), classes)
    total = 0.0
    for i, each in enumerate(values):
        if type(each) is float or type(each) is tuple or type(each) is Held:
            total = total + x * i
        if type(each) in (int, list, str) or type(each) is Moving:
            total = total * x
        if type(each) is not bool and type(each) is not dict:
            total = total + x
    return total


@pytest.mark.skipif(engines.available()["c"] is not None, reason="no C engine here")
@pytest.mark.parametrize("function", [copies, joins, keys, objects, classes])
def test_equal_to_hybrid(function: Callable[[float, int], float]) -> None:
    c, hybrid = (checkpoint.value_and_grad(function, engine=engine)(0.7, 12) for engine in ("c", "hybrid"))
    assert c == hybrid
    assert c[0] == function(0.7, 12)
    for schedule in (checkpoint.Bisection(), checkpoint.Binomial(snapshots=4)):
        assert checkpoint.value_and_grad(function, engine="c", schedule=schedule)(0.7, 12) == hybrid


@pytest.mark.skipif(engines.available()["c"] is not None, reason="no C engine here")
@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_what_is_joined_is_taped_without_python(schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def product(engine: str) -> object:
        return checkpoint.hvp(lambda x: joins(x, 12), 0.7, 0.25, engine=engine, schedule=schedule)

    expected = checkpoint.grad(joins, engine="hybrid", schedule=schedule)(0.7, 12), product("hybrid")
    monkeypatch.setattr(plans, "perform_taped", None)
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    assert (checkpoint.grad(joins, engine="c", schedule=schedule)(0.7, 12), product("c")) == expected


@pytest.mark.skipif(engines.available()["c"] is not None, reason="no C engine here")
def test_classes_are_known_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = checkpoint.value_and_grad(classes, engine="hybrid")(0.7, 12)
    monkeypatch.setattr(python_classes, "class_of", None)
    assert checkpoint.value_and_grad(classes, engine="c")(0.7, 12) == expected


@pytest.mark.skipif(engines.available()["c"] is not None, reason="no C engine here")
def test_what_holds_itself_is_freed_with_its_run() -> None:
    engine = engines.get("c")
    procedures = [closure(PROGRAMS[name], engine) for name in ("own_parts", "objects")]

    def bytes_after(times: int) -> int:
        for _ in range(times):
            for procedure in procedures:
                runs.vjp_values(procedure, 0.7, 1.0, engine, checkpoint.Bisection(base=20))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    with traced():
        levels = [bytes_after(times) for times in (5, 40, 40, 40)]
    # A heap has kilobytes; at times a table of the whole process grows meanwhile.
    assert min(later - earlier for earlier, later in pairwise(levels)) < 40 * 100
