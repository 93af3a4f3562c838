"""Loops around gradients: SciPy's minimiser with our value and gradient, and a training loop in a program.

What is measured:
- minimise: one `scipy.optimize.minimize(..., jac=True)` (BFGS) of the fit of small.py, ten parameters, with
  `value_and_grad`, beside the same with JAX's jitted `value_and_grad`: seconds of the clock, medians of calls
  in turn, and how many evaluations each made. Without JAX there is no peer;
- training: the program experiments/stalingrad/backprop.vlad, whose loop takes 10,000 gradients by reverse
  mode: CPU seconds of the first and the second call (CHECKPOINT_JIT as set, "wait" unless it is).
What is required: both minimisers find the same minimum to 1e-6; the training ends at the published error.

Reproduce:

    python -m experiments.calls.loops
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from checkpoint import engines, value_and_grad
from checkpoint.ad.values import list_value
from checkpoint.functions.runs import call_values
from experiments import common
from experiments.calls.small import POWERS, TARGET, WEIGHTS, fit, jax_fit
from experiments.stalingrad.subjects import ERRORS

Evaluation = Callable[[Any], tuple[float, Any]]


def minimum(of: Evaluation) -> Any:
    """Return what SciPy's BFGS finds from WEIGHTS."""
    return scipy.optimize.minimize(of, WEIGHTS, jac=True, method="BFGS")


def evaluations() -> dict[str, Evaluation]:
    """Return value and gradient of the fit, ours and JAX's where it is installed."""
    own = value_and_grad(fit)
    found: dict[str, Evaluation] = {"checkpoint": lambda weights: own(weights, POWERS, TARGET)}
    try:
        compiled = jax_fit()
    except ImportError:
        return found

    def by_jax(weights: Any) -> tuple[float, Any]:
        value, gradient = compiled(weights, POWERS, TARGET)
        return float(value), np.asarray(gradient)

    return {**found, "jax": by_jax}


def minimising(repeats: int) -> list[dict[str, Any]]:
    """Return a row for each system."""
    calls = evaluations()
    found = {name: minimum(of) for name, of in calls.items()}
    values = [each.fun for each in found.values()]
    assert max(values) - min(values) <= 1e-6, values
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, of in calls.items():
            start = time.perf_counter()
            minimum(of)
            times[name].append(time.perf_counter() - start)
    return [
        {
            "what": f"minimise, {name}",
            "seconds": statistics.median(times[name]),
            "evaluations": int(found[name].nfev),
            "value": float(found[name].fun),
        }
        for name in calls
    ]


def training(engine_name: str, gradients: int) -> dict[str, Any]:
    """Return the row of the training loop."""
    engine = engines.get(engine_name)
    text = '(include "stalingrad/backprop.vlad") (lambda ((list steps)) (train "R" steps))'
    train, error = common.value_of(text, engine), 0.0

    def action() -> None:
        nonlocal error
        error = call_values(train, list_value([float(gradients)]), engine)

    first, second = common.seconds(action), common.seconds(action)
    assert abs(error - ERRORS[gradients]) <= 1e-12, error
    return {"what": f"training, {gradients:,} gradients", "first": first, "seconds": second, "value": error}


def main() -> None:
    parser = common.keepable(common.parser("loops around gradients"))
    parser.add_argument("--gradients", type=int, choices=list(ERRORS), default=10_000)
    options = parser.parse_args()
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    rows = [*minimising(options.repeats), training(options.engine, options.gradients)]
    for row in rows:
        print(", ".join([each if name == "what" else f"{name} {each:.6g}" for name, each in row.items()]))
    if options.keep:
        common.save("calls-loops", options.engine, rows=rows)


if __name__ == "__main__":
    main()
