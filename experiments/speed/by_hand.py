"""The hand-written C of by_hand*.c: compiled, and called.

In: sizes. Out: values and gradients, and the nanoseconds that each takes per iteration (CPU time). Compiled
as one would for speed, -O3 -march=native, once with the rounding of the engines (no contraction to fused
multiply-adds) and once with whatever the processor has.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from functools import cache

from checkpoint.ctarget.build import compiler
from experiments import common

SOURCES = [
    common.HERE / "speed" / f"{name}.c"
    for name in ("by_hand", "by_hand_rk4", "by_hand_nested", "by_hand_paper")
]
FOLDER = common.HERE.parent / "build" / "speed"
FLAGS = ("-std=c11", "-O3", "-march=native", "-fPIC", "-shared")
EVERY = 10_000  # iterations between checkpoints
BASE = 1_000  # of bisection: iterations that are stored at most

Array = ctypes.Array[ctypes.c_double]


@cache
def library(fused: bool) -> ctypes.CDLL:
    """Return the compiled file; fused: with fused multiply-adds."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / f"by_hand-{'fused' if fused else 'exact'}.so"
    contract = f"-ffp-contract={'fast' if fused else 'off'}"
    command = compiler()
    if command is None:
        raise SystemExit("this experiment needs a C compiler (set CC to name one)")
    subprocess.run([*command, *FLAGS, contract, *map(str, SOURCES), "-o", str(target), "-lm"], check=True)
    return ctypes.CDLL(str(target))


class ByHand:
    """The functions of the C file. Each returns the value and the gradient, which is empty without one."""

    def __init__(self, fused: bool = False) -> None:
        self._library = library(fused)

    def lorenz(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        return self._call("lorenz", n, 5 / n, _reals(u)), []

    def lorenz_stored(
        self, n: int, u: tuple[float, ...], room: Array, times: int = 1
    ) -> tuple[float, list[float]]:
        """Store all points in `room`, three numbers for each of the n; repeat all of it `times` times."""
        g = _reals((0.0,) * 6)
        value = self._call("lorenz_stored", n, 5 / n, _reals(u), g, room, ctypes.c_int64(times))
        return value, list(g)

    def lorenz_checkpoints(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        """Keep a checkpoint every EVERY iterations."""
        g = _reals((0.0,) * 6)
        return self._call("lorenz_checkpoints", n, 5 / n, _reals(u), g, ctypes.c_int64(EVERY)), list(g)

    def lorenz_bisection(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        """Store at most BASE points; a longer segment is divided in two."""
        g = _reals((0.0,) * 6)
        return self._call("lorenz_bisection", n, 5 / n, _reals(u), g, ctypes.c_int64(BASE)), list(g)

    def rk4(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        return self._call("rk4", n, 5 / n, _reals(u)), []

    def rk4_checkpoints(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        """Keep a checkpoint every EVERY iterations."""
        g = _reals((0.0,) * 6)
        return self._call("rk4_checkpoints", n, 5 / n, _reals(u), g, ctypes.c_int64(EVERY)), list(g)

    def nested(self, n: int, y: float) -> tuple[float, list[float]]:
        return self._call("nested", n, y), []

    def nested_steps(self, n: int) -> int:
        """Return the number of steps that its inner loop makes in all."""
        function = self._library.nested_steps
        function.restype = ctypes.c_int64
        steps: int = function(ctypes.c_int64(n))
        return steps

    def nested_checkpoints(self, n: int, y: float) -> tuple[float, list[float]]:
        """Keep a checkpoint every EVERY steps of the inner loop."""
        g = _reals((0.0,))
        return self._call("nested_checkpoints", n, y, g, ctypes.c_int64(EVERY)), list(g)

    def deep(self, depth: int, x: float) -> tuple[float, list[float]]:
        return self._call("deep", depth, x), []

    def deep_gradient(self, depth: int, x: float, room: Array) -> tuple[float, list[float]]:
        """Store all values in `room`."""
        g = _reals((0.0,))
        return self._call("deep_gradient", depth, x, g, room), list(g)

    def mapped(self, n: int, u: tuple[float, ...]) -> tuple[float, list[float]]:
        return self._call("mapped", n, 5 / n, _reals(u)), []

    def _call(self, name: str, n: int, real: float, *arguments: object) -> float:
        function = getattr(self._library, name)
        function.restype = ctypes.c_double
        value: float = function(ctypes.c_int64(n), ctypes.c_double(real), *arguments)
        return value


def room(numbers: int) -> Array:
    """Return memory that has been touched, so that no measurement pays for its first use."""
    made = (ctypes.c_double * numbers)()
    ctypes.memset(made, 1, ctypes.sizeof(made))
    return made


def nanoseconds(action: Callable[[], object], iterations: int, repeats: int, warm: int = 1) -> float:
    """Return an action's median CPU time for each of its iterations, after `warm` executions."""
    for _ in range(warm):
        action()
    return 1e9 * common.median_seconds(action, repeats)[0] / iterations


def _reals(numbers: tuple[float, ...]) -> Array:
    return (ctypes.c_double * len(numbers))(*numbers)
