"""Wear: from faulty products, find how soon machines wear out, when each one did, and how sure that is.

A machine is new at first and may wear out on any day, which nobody sees. The model is a program with chance
in it: `flip` is a delimited control operator that runs the rest of the program for both outcomes, and returns
their mean. So the program that tells how a machine's life goes is the likelihood of its record, which is
maximised by its gradient; its Hessian says how sure the result is.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import checkpoint
from checkpoint.control import reset, shift

DAYS = 14
TRUE = [0.10, 0.05, 0.60]
NAMES = ("chance to wear out, a day", "faults of a new machine", "faults of a worn one")
FIRST = [0.3, 0.3, 0.4]


def flip(p: float) -> bool:
    """Return True with probability p: the value of the run is its mean over both."""
    answer: bool = shift(lambda rest: p * rest(True) + (1.0 - p) * rest(False))
    return answer


def life(chances: list[float], faults: list[bool]) -> float:
    """Return the probability of a machine's record in the life that `flip` makes."""
    wearing, new, worn = chances
    probability, is_worn = 1.0, False
    for fault in faults:
        if not is_worn:
            is_worn = flip(wearing)
        chance = worn if is_worn else new
        probability *= chance if fault else 1.0 - chance
    return probability


def likelihood(chances: list[float], faults: list[bool]) -> float:
    """Return the probability of a machine's record, whatever its life."""
    mean: float = reset(lambda: life(chances, faults))
    return mean


def unlikeliness(logits: np.ndarray, records: list[list[bool]]) -> float:
    """Return minus the logarithm of the probability of all records."""
    chances = [1.0 / (1.0 + math.exp(-logit)) for logit in logits]
    total = 0.0
    for faults in records:
        total -= math.log(likelihood(chances, faults))
    return total


def records_of(machines: int, seed: int = 3) -> tuple[list[list[bool]], list[int]]:
    """Return records that chance has made, and the days on which the machines wore out."""
    rng = np.random.default_rng(seed)
    days = [int(day) - 1 for day in rng.geometric(TRUE[0], machines)]
    rolls = rng.random((machines, DAYS))
    chances = [[TRUE[2] if day >= worn else TRUE[1] for day in range(DAYS)] for worn in days]
    return [[bool(b) for b in row] for row in rolls < np.array(chances)], days


@dataclass(frozen=True)
class Inferred:
    """chances: as found. low, high: two standard deviations away. losses: at each gradient."""

    chances: list[float]
    low: list[float]
    high: list[float]
    losses: list[float]
    records: list[list[bool]]
    days: list[int]


def solve(machines: int = 30, iterations: int = 60) -> Inferred:
    """Maximise the likelihood by SciPy's BFGS with our gradient; take the Hessian at the maximum."""
    records, days = records_of(machines)
    value_and_gradient = checkpoint.value_and_grad(unlikeliness)
    losses = []

    def both(logits: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(logits, records)
        losses.append(value)
        return value, gradient

    first = np.log(FIRST) - np.log1p(-np.array(FIRST))
    found = minimize(both, first, jac=True, method="BFGS", options={"maxiter": iterations}).x
    spread = np.sqrt(np.diag(np.linalg.inv(checkpoint.hessian(unlikeliness)(found, records))))

    def chances(logits: np.ndarray) -> list[float]:
        return [float(p) for p in 1.0 / (1.0 + np.exp(-logits))]

    low, high = chances(found - 2.0 * spread), chances(found + 2.0 * spread)
    return Inferred(chances(found), low, high, losses, records, days)


def report(found: Inferred) -> str:
    """Return what was found, as text."""
    rows = zip(NAMES, found.chances, found.low, found.high, TRUE, strict=True)
    return "\n".join(
        f"{name}: {p:.3f} ({low:.3f} to {high:.3f}), in truth {true}" for name, p, low, high, true in rows
    )


def worn_by(chances: list[float], faults: list[bool]) -> list[float]:
    """Return for each day the probability that the machine is worn by then, given its record."""
    wearing, new, worn = chances

    def weight(day: int) -> float:
        """Return the probability of the record and of wearing out on this day."""
        p = (1.0 - wearing) ** day * (wearing if day < DAYS else 1.0)
        rates = [new if i < day else worn for i in range(DAYS)]
        return p * math.prod([q if fault else 1.0 - q for q, fault in zip(rates, faults, strict=True)])

    weights = np.array([weight(day) for day in range(DAYS + 1)])
    return [float(x) for x in np.cumsum(weights)[:DAYS] / weights.sum()]


def draw(found: Inferred, file: str) -> None:
    """Draw the records with the probability of being worn, and the chances with their errors."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=(1.6, 1.0)
    )
    order = sorted(range(len(found.days)), key=found.days.__getitem__)[::2]
    worn = [worn_by(found.chances, found.records[machine]) for machine in order]
    shown = left.imshow(worn, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for row, machine in enumerate(order):
        days = [day for day, fault in enumerate(found.records[machine]) if fault]
        left.plot(days, [row] * len(days), "x", color="tab:red", markersize=5)
        if found.days[machine] <= DAYS:
            left.plot([found.days[machine] - 0.5] * 2, [row - 0.5, row + 0.5], color="black")
    left.set(xlabel="day", ylabel="machine", yticks=(), title="worn? crosses: faults, lines: the truth")
    figure.colorbar(shown, ax=left)
    places = range(len(NAMES))
    sizes = np.abs(np.array([found.low, found.high]) - found.chances)
    right.errorbar(found.chances, places, xerr=sizes, fmt="o", capsize=4, label="found, ± 2 deviations")
    right.plot(TRUE, places, "|", color="black", markersize=18, label="truth")
    right.set(
        yticks=places, yticklabels=("wears out", "new: faults", "worn: faults"), ylim=(2.6, -0.9), xlim=(0, 1)
    )
    right.legend(fontsize="small", loc="upper right")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
