"""Parameters of an ODE from many noisy series, by Newton's method, on workers, and with diffrax on one core.

    python -m experiments.ensemble.run [--series N] [--workers N] [--on processes|ray|dask] [--keep]

Question: how sure are the rates of hares and lynxes in Hudson Bay, and what does it take to know? The series
of pelts is estimated (hares.py); from what is found so many noisy series are drawn, and each is estimated
again (a parametric bootstrap). The gradient and the products of the Hessian are those of
checkpoint.value_and_grad and checkpoint.hvp, or of JAX through diffrax's Heun of the same steps (peer.py,
where it is installed). Out: the rates with the spread of the bootstrap, times of an estimate, and with --keep
experiments/results/ensemble-c.json.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import checkpoint
from checkpoint.workers import Dask, Processes, Ray
from experiments import common
from experiments.ensemble import hares
from experiments.ensemble.estimate import Estimate
from experiments.ensemble.newton import Found

NAMES = ("birth of hares", "death by lynxes", "death of lynxes", "birth by hares", "hares in 1900", "lynxes")
BACK_ENDS = {"processes": Processes, "ray": Ray, "dask": Dask}


def spreads(found: Sequence[Found]) -> list[tuple[float, float]]:
    """Return of each parameter the bounds of the middle nine tenths."""
    bounds = []
    for i in range(len(NAMES)):
        sorted_values = sorted(math.exp(each.p[i]) for each in found)
        cut = len(sorted_values) // 20
        bounds.append((sorted_values[cut], sorted_values[-1 - cut]))
    return bounds


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--series", type=common.natural, default=200, help="series of the bootstrap (200)")
    options.add_argument("--workers", type=common.natural, default=2, help="workers (2)")
    options.add_argument("--on", choices=list(BACK_ENDS), default="processes", help="the back end")
    options.add_argument("--alone", type=common.natural, default=20, help="series without workers (20)")
    chosen = options.parse_args()
    estimate = Estimate(hares.STEPS)
    real = estimate.of(hares.REAL)
    random = Random(1)
    series = [hares.simulated(real.p, random, hares.STEPS) for _ in range(chosen.series)]
    with BACK_ENDS[chosen.on](size=chosen.workers) as workers:
        checkpoint.mapped(estimate, series[:4], workers=workers)  # each has translated all
        began = time.perf_counter()
        found = checkpoint.mapped(estimate, series, workers=workers)
        there = time.perf_counter() - began
    few = series[: chosen.alone]
    began = time.perf_counter()
    alone = checkpoint.mapped(estimate, few)
    here = time.perf_counter() - began
    assert [each for each, _ in alone] == [each for each, _ in found[: len(few)]], "the bits differ"
    rows: list[dict[str, Any]] = [
        _row("checkpoint, here", alone, here),
        _row(f"checkpoint, {chosen.on} ({chosen.workers})", found, there),
    ]
    peer = _of_peer(few, alone)
    if peer is not None:
        rows.append(peer)
    for name, value, (low, high) in zip(NAMES, real.p, spreads([each for each, _ in found]), strict=True):
        print(f"{name:18} {math.exp(value):8.4f}   {low:8.4f} to {high:8.4f}")
    lines = [
        [row["name"], f"{row['cpu']:.1f}", f"{row['wall']:.1f}", f"{row['products']:.0f}"] for row in rows
    ]
    print(common.table(("", "CPU ms a series", "wall ms a series", "products"), lines))
    if chosen.keep:
        common.save("ensemble", "c", series=chosen.series, rows=rows)


def _row(name: str, found: Sequence[tuple[Found, float]], wall: float) -> dict[str, Any]:
    return {
        "name": name,
        "cpu": 1e3 * statistics.mean(seconds for _, seconds in found),
        "wall": 1e3 * wall / len(found),
        "products": statistics.mean(each.products for each, _ in found),
    }


def _of_peer(series: Sequence[hares.Series], ours: Sequence[tuple[Found, float]]) -> dict[str, Any] | None:
    """Return the times of diffrax, whose minima must be ours; None where it is not installed."""
    try:
        from experiments.ensemble.peer import Peer  # noqa: PLC0415  (of packages that only this needs)
    except ImportError as error:
        print(f"no diffrax: {error}")
        return None
    peer = Peer(hares.STEPS)
    peer(series[0])
    began = time.perf_counter()
    found = [peer(each) for each in series]
    wall = time.perf_counter() - began
    for (theirs, _), (mine, _) in zip(found, ours, strict=True):
        assert all(
            math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in zip(theirs.p, mine.p, strict=True)
        )
    return _row("diffrax, here", found, wall)


if __name__ == "__main__":
    main()
