"""Lotka and Volterra's equations fitted to counts of lynx and hares, and the fitted orbit carried on.

    python -m experiments.simulation.run [--steps N] [--memory BYTES]

Question: are the gradients through a solver that is plain Python, with every step that it accepts and
rejects, those of a solver made for it (diffrax) and of differences, and what do they cost over 10^6 steps?
Out: tables; with --keep experiments/results/simulation-ENGINE.json. Without diffrax its rows are left out.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

import checkpoint
from experiments import common
from experiments.simulation import orbits, peer
from experiments.simulation.counts import HARES, LYNX

NAMES = ("hares", "lynx", "birth", "hunting", "feeding", "death")
FIRST = tuple(map(math.log, (HARES[0], LYNX[0], 0.5, 0.025, 0.025, 0.8)))
COARSE, FINE = 1e-6, 1e-10
STEP = 1e-5  # of differences
YEARS = [float(year) for year in range(1, len(HARES))]


def fitted(tolerance: float, engine: str) -> list[float]:
    """Return the logarithms of the start and the rates that fit the counts best."""
    gradient = checkpoint.value_and_grad(orbits.misfit, engine=engine)
    found = minimize(lambda logs: gradient(logs.tolist(), tolerance, True), FIRST, jac=True, method="BFGS")
    best: list[float] = found.x.tolist()
    return best


def accepted(logs: Sequence[float], tolerance: float) -> list[float]:
    """Return the times to which the steps of the misfit's orbit lead that are accepted, from 0 on."""
    (x, y), rates = orbits.parameters(logs)
    found, t, size = [0.0], 0.0, orbits.FIRST
    for end in YEARS:
        while t < end:
            is_last = t + size >= end
            h = end - t if is_last else size
            u, v, p, q = orbits.step(x, y, h, rates)
            error = orbits.size_of(x, y, p, q, tolerance)
            if error <= 1.0:
                x, y, t = u, v, end if is_last else t + h
                found.append(t)
            if not is_last or error > 1.0:
                size = orbits.next_size(h, error, True)
    return found


def accepted_of_many(logs: Sequence[float], count: int, tolerance: float) -> list[float]:
    """Return the times to which the accepted ones among so many steps lead, from 0 on."""
    (x, y), rates = orbits.parameters(logs)
    found, t, size = [0.0], 0.0, orbits.FIRST
    for _ in range(count):
        u, v, p, q = orbits.step(x, y, size, rates)
        error = orbits.size_of(x, y, p, q, tolerance)
        if error <= 1.0:
            x, y, t = u, v, t + size
            found.append(t)
        size = orbits.next_size(size, error, True)
    return found


def differences(f: Callable[[list[float]], float], logs: Sequence[float]) -> Any:
    """Return the central differences of a function."""
    found = []
    for i in range(len(logs)):
        low, high = list(logs), list(logs)
        low[i] -= STEP
        high[i] += STEP
        found.append((f(high) - f(low)) / (2.0 * STEP))
    return np.array(found)


def gradients(logs: list[float], tolerance: float, engine: str) -> dict[str, Any]:
    """Return the gradient of the misfit in all ways."""

    def ours(is_constant: bool) -> Any:
        return np.array(checkpoint.grad(orbits.misfit, engine=engine)(logs, tolerance, is_constant))

    found = {
        "sizes as constants": ours(True),
        "sizes differentiated": ours(False),
        "differences": differences(lambda z: orbits.misfit(z, tolerance, False), logs),
    }
    if peer.is_there():
        times = accepted(logs, tolerance)
        for name, controller in (
            ("diffrax, the same steps", peer.by_steps(times)),
            ("diffrax, its own steps", peer.by_tolerance(tolerance)),
        ):
            misfit = partial(peer.of_counts, controller=controller)
            found[name] = np.array(peer.gradient(misfit, np.array(logs))()[1])
    return found


def timed(action: Callable[[], Any]) -> tuple[Any, float, int]:
    """Return the result, the seconds of the processor that it took, and the growth of the process's peak."""
    gc.collect()
    before = common.fresh_peak()
    begun = time.process_time()
    found = action()
    return found, time.process_time() - begun, common.peak() - before


def long_orbit(logs: list[float], count: int, memory: str, engine: str) -> dict[str, Any]:
    """Return derivatives of the end of a long orbit: value, seconds of the processor, growth of the peak."""
    begun = time.process_time()
    end = orbits.far(logs, count, COARSE, True)
    python = time.process_time() - begun
    gradient = checkpoint.value_and_grad(orbits.far, engine=engine, memory=memory)
    along = [1.0 / (1 + i) for i in range(len(logs))]

    def product(steps: int) -> Any:
        def at(z: Any) -> Any:
            return orbits.far(z, steps, COARSE, True)

        return checkpoint.hvp(at, logs, along, engine=engine, memory=memory)

    for _ in range(2):  # what runs long is translated
        gradient(logs, count // 10, COARSE, True)
        product(count // 100)
    found = {
        "orbit, by Python": ([end], python, 0),
        "gradient": timed(lambda: gradient(logs, count, COARSE, True)),
        "Hessian-vector product": timed(lambda: product(count)),
    }
    if peer.is_there():
        times = accepted_of_many(logs, count, COARSE)
        found["gradient, diffrax"] = timed(peer.gradient(peer.far(times, None), np.array(logs)))
    return found


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--steps", type=common.natural, default=1_000_000, help="of the long orbit (10^6)")
    options.add_argument("--memory", default="16MiB", help="of its gradient (16MiB)")
    chosen = options.parse_args()
    best = fitted(COARSE, chosen.engine)
    start, rates = orbits.parameters(best)
    print(common.table(NAMES, [[f"{value:.5g}" for value in (*start, *rates)]]))
    content: dict[str, Any] = {"fit": [*start, *rates], "misfit": orbits.misfit(best, COARSE, True)}
    rows = []
    for tolerance in (COARSE, FINE):
        found = gradients(list(FIRST), tolerance, chosen.engine)
        constant = found["sizes as constants"]
        _, taken, refused = orbits.orbit_to(*_orbit(FIRST), tolerance, True)
        for name, other in found.items():
            away = float(np.max(np.abs(other - constant)) / np.max(np.abs(constant)))
            rows.append([f"{tolerance:.0e}", f"{taken} + {refused}", name, f"{away:.1e}"])
    print(common.table(("tolerance", "steps", "gradient of the misfit", "from the first"), rows))
    content["gradients"] = rows
    rows = []
    for name, (value, seconds, bytes_) in long_orbit(
        best, chosen.steps, chosen.memory, chosen.engine
    ).items():
        rows.append([name, f"{seconds:.2f}", f"{bytes_ / 2**20:.1f}", _shown(value)])
    print(common.table(("over the long orbit", "s", "MiB", "result"), rows))
    content["long"] = rows
    if chosen.keep:
        common.save("simulation", chosen.engine, steps=chosen.steps, memory=chosen.memory, **content)


def _orbit(logs: Sequence[float]) -> tuple[Any, list[float], Any]:
    start, rates = orbits.parameters(logs)
    return start, YEARS, rates


def _shown(value: Any) -> str:
    """Return the first numbers of a result."""
    flat: list[float] = np.concatenate([np.ravel(np.array(part, dtype=float)) for part in value]).tolist()
    return " ".join([f"{number:.9g}" for number in flat[:3]])


if __name__ == "__main__":
    main()
