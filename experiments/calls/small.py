"""Small gradients: what one call costs, beside JAX's jitted call and Python's own run of the function.

What is measured, in seconds of the clock, as medians of calls that alternate within one process:
- ten:   value and gradient of ten operations on a float; JAX's is jitted, with floats for results;
- list:  the gradient of a sum of squares of 1,000 floats in a list, beside Python's own run of the function;
- fit:   value and gradient of a sum of squares over 50 points by a NumPy array of ten parameters, beside
         JAX's; it has no bar: arrays are no small gradients yet.
Without JAX the first and the last have no peer.

Reproduce:

    python -m experiments.calls.small
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import grad, value_and_grad
from experiments import common
from experiments.calls.overhead import ten_operations

BARS = {"ten": 0.7, "list": 5.0}
NUMBERS = [0.5 + 0.001 * i for i in range(1000)]
POWERS = np.linspace(0.0, 1.0, 50)[:, None] ** np.arange(10.0)
TARGET = np.sin(POWERS[:, 1])
WEIGHTS = np.linspace(-1.0, 1.0, 10)


def squares(xs: list[float]) -> float:
    return sum([x * x for x in xs])


def fit(weights: Any, powers: Any, target: Any) -> Any:
    """Return the sum of squares of what a polynomial misses."""
    missed = powers @ weights - target
    return np.sum(missed * missed)


def jax_fit() -> Callable[..., Any]:
    """Return JAX's value and gradient of `fit`, compiled; ImportError where it is not installed."""
    import jax  # noqa: PLC0415  (optional)

    jax.config.update("jax_enable_x64", True)

    def missed(weights: Any, powers: Any, target: Any) -> Any:
        each = powers @ weights - target
        return jax.numpy.sum(each * each)

    compiled: Callable[..., Any] = jax.jit(jax.value_and_grad(missed))
    return compiled


def jax_calls() -> dict[str, Callable[[], Any]]:
    """Return the calls of JAX, compiled; none where it is not installed."""
    try:
        import jax  # noqa: PLC0415  (optional)
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def ten(x: Any) -> Any:
        y = x * x + 3.0
        z = jnp.sin(y) - x / y
        return z * z * 0.5 + jnp.exp(-z)

    of_ten, of_fit = jax.jit(jax.value_and_grad(ten)), jax_fit()

    def floats() -> tuple[float, float]:
        value, gradient = of_ten(0.7)
        return float(value), float(gradient)

    def arrays() -> tuple[float, Any]:
        value, gradient = of_fit(WEIGHTS, POWERS, TARGET)
        return float(value), np.asarray(gradient)

    return {"ten": floats, "fit": arrays}


def alternating(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median microseconds of each call; each is made twice in turn, and the second is timed."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            call()
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: 1e6 * statistics.median(each) for name, each in times.items()}


def agree(name: str, own: Any, other: Any) -> None:
    """Raise AssertionError unless two values with gradients agree within rounding."""
    assert math.isclose(own[0], other[0], rel_tol=1e-9), name
    assert np.allclose(own[1], other[1], rtol=1e-9), name


def measured(repeats: int) -> list[dict[str, Any]]:
    """Return a row for each kind of call: its time, that of its peer, their ratio and its bar."""
    of_ten, of_list, of_fit = value_and_grad(ten_operations), grad(squares), value_and_grad(fit)
    own: dict[str, Callable[[], Any]] = {
        "ten": lambda: of_ten(0.7),
        "list": lambda: of_list(NUMBERS),
        "fit": lambda: of_fit(WEIGHTS, POWERS, TARGET),
    }
    peers: dict[str, Callable[[], Any]] = {**jax_calls(), "list": lambda: squares(NUMBERS)}
    for name in peers.keys() - {"list"}:
        agree(name, own[name](), peers[name]())
    times = alternating({**own, **{f"{name}, peer": call for name, call in peers.items()}}, repeats)
    rows = []
    for name in own:
        peer = times.get(f"{name}, peer")
        ratio = None if peer is None else times[name] / peer
        rows.append({"what": name, "call": times[name], "peer": peer, "ratio": ratio, "bar": BARS.get(name)})
    return rows


def main() -> None:
    parser = common.parser("what small gradients cost")
    parser.add_argument("--calls", type=int, default=3_000, help="timed calls of each (3,000)")
    options = parser.parse_args()
    rows = measured(options.calls)
    numbers = ("call", "peer", "ratio", "bar")
    shown = [
        (row["what"], *["-" if row[name] is None else f"{row[name]:.2f}" for name in numbers]) for row in rows
    ]
    print(common.table(("us", *numbers), shown))
    common.save("calls-small", "c", calls=options.calls, rows=rows)


if __name__ == "__main__":
    main()
