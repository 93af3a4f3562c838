"""Try CONTRIBUTING's new scalar function, in a process of its own, in a copy of the sources that has it."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

import checkpoint
from checkpoint.ctarget import library
from checkpoint.scalars import special
from checkpoint.scalars.compiled import ByC, by_c

logistic: Any = special.logistic  # type: ignore[attr-defined]  # the copy has it
ENGINES = ("interp", "hybrid", "c")
NO_SCALAR = 0xFFFF


def run(x: float, n: int) -> float:
    total = 0.0
    for _ in range(n):
        x = logistic(x) - 0.3 * x
        total = total + x
    return total


def written_out(x: float, n: int) -> float:
    """Return the same sum without the new function."""
    total = 0.0
    for _ in range(n):
        x = 1.0 / (1.0 + math.exp(-x)) - 0.3 * x
        total = total + x
    return total


def on_array(x: Any) -> Any:
    return np.sum(logistic(x) * x)


def array_written_out(x: Any) -> Any:
    return np.sum(1.0 / (1.0 + np.exp(-x)) * x)


def agree(found: Any, expected: Any, close: float = 1e-13) -> None:
    assert np.allclose(found, expected, rtol=close, atol=close), (found, expected)


def on_reals() -> None:
    """Check value, first and second derivative on three engines: equal in every bit, and as written out."""
    found = []
    for engine in ENGINES:
        first = checkpoint.value_and_grad(run, engine=engine)(0.3, 40)
        second = checkpoint.hvp(lambda x: run(x, 40), 0.3, 1.0, engine=engine)
        found.append((first, second))
        agree(first, checkpoint.value_and_grad(written_out, engine=engine)(0.3, 40))
        agree(second, checkpoint.hvp(lambda x: written_out(x, 40), 0.3, 1.0, engine=engine))
    assert found[0] == found[1] == found[2]


def in_texts() -> None:
    f = checkpoint.read("(lambda (x) (logistic (* x x)))")
    for engine in ENGINES:
        agree(checkpoint.vjp(f, 0.5, 1.0, engine=engine)[0], logistic(0.25), 0.0)
        y, xbar = checkpoint.vjp(f, np.array([0.5, -1.0]), np.ones(2), engine=engine)
        agree(y, [logistic(0.25), logistic(1.0)], 0.0)
        agree(xbar[0], checkpoint.vjp(f, 0.5, 1.0, engine=engine)[1])


def on_arrays() -> None:
    """Check all engines and single precision, to second order; the loop in C changes no bit."""
    x = np.linspace(-3.0, 3.0, 7)
    for engine in ENGINES:
        for operand in (x, x.reshape(7, 1), np.float32(x)):
            close = 1e-13 if operand.dtype == np.float64 else 1e-6
            g = checkpoint.grad(on_array, engine=engine)(operand)
            h = checkpoint.hvp(on_array, operand, np.ones_like(operand), engine=engine)
            agree(g, checkpoint.grad(array_written_out, engine=engine)(operand), close)
            agree(h, checkpoint.hvp(array_written_out, operand, np.ones_like(operand), engine=engine), close)
            assert g.dtype == h.dtype == operand.dtype
    in_c = logistic(x)
    by_c.loop = ByC().loop
    assert logistic(x).tobytes() == in_c.tobytes()


def translated() -> None:
    """Check that with CHECKPOINT_JIT=wait all bits are those without it, from the first steps on."""
    assert library.runtime().lib.ck_scalar_number(b"py.logistic") != NO_SCALAR
    print(*checkpoint.value_and_grad(run, engine="c")(0.3, 5000))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name]()
