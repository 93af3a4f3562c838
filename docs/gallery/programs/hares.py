"""Hares: find the birth and death rates of hares and lynx from a hundred-year-old ledger of furs.

Two differential equations say how hares and lynx live off each other. Their start and rates are fitted to
twenty-one years of counts; the equations are solved by a method of Runge and Kutta (Bogacki and Shampine's,
of orders 3 and 2) that chooses the sizes of its steps, rejects some, and is written out here.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import checkpoint

# Pelts bought by the Hudson's Bay Company, in thousands, 1900 to 1920 (Howard 2009, after Odum and Hewitt).
HARES = [30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1]
HARES += [40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
LYNX = [4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4]
LYNX += [8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
FIRST = [30.0, 4.0, 0.6, 0.02, 0.02, 0.6]  # hares, lynx, birth, hunting, feeding, death
TOLERANCE = 1e-6


def growth(x: float, y: float, rates: list[float]) -> tuple[float, float]:
    """Return how fast the logarithms of hares and lynx grow, per year."""
    birth, hunting, feeding, death = rates
    return birth - hunting * math.exp(y), feeding * math.exp(x) - death


def orbit(x: float, y: float, rates: list[float], times: list[float]) -> list[tuple[float, float]]:
    """Return the logarithms of hares and lynx at some times, from those of the start."""
    found, t, size = [], 0.0, 0.01
    for end in times:
        while t < end:
            h = min(size, end - t)
            x1, y1 = growth(x, y, rates)
            x2, y2 = growth(x + h / 2 * x1, y + h / 2 * y1, rates)
            x3, y3 = growth(x + 3 * h / 4 * x2, y + 3 * h / 4 * y2, rates)
            u = x + h * (2 * x1 + 3 * x2 + 4 * x3) / 9
            v = y + h * (2 * y1 + 3 * y2 + 4 * y3) / 9
            x4, y4 = growth(u, v, rates)
            p = h * (-5 / 72 * x1 + x2 / 12 + x3 / 9 - x4 / 8)  # the estimated errors
            q = h * (-5 / 72 * y1 + y2 / 12 + y3 / 9 - y4 / 8)
            error = math.sqrt(p * p + q * q) / TOLERANCE + 1e-10
            if error <= 1.0:
                x, y, t = u, v, end if h == end - t else t + h
            size = h * min(5.0, max(0.2, 0.9 / error ** (1 / 3)))
        found.append((x, y))
    return found


def misfit(logarithms: np.ndarray) -> float:
    """Return the sum of squared differences between the logarithms of the orbit and of the counts."""
    x, y = float(logarithms[0]), float(logarithms[1])
    rates = [math.exp(value) for value in logarithms[2:]]
    places = [(x, y), *orbit(x, y, rates, [float(year) for year in range(1, len(HARES))])]
    total = 0.0
    for (hares, lynx), counted, caught in zip(places, HARES, LYNX, strict=True):
        total += (hares - math.log(counted)) ** 2 + (lynx - math.log(caught)) ** 2
    return total


@dataclass(frozen=True)
class Fitted:
    """parameters: hares and lynx of 1900, and the four rates. losses: the misfit at each gradient."""

    parameters: list[float]
    losses: list[float]


def solve(iterations: int = 30) -> Fitted:
    """Minimise the misfit by SciPy's BFGS with our gradient."""
    value_and_gradient = checkpoint.value_and_grad(misfit)
    losses = []

    def both(logarithms: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(logarithms)
        losses.append(value)
        return value, gradient

    found = minimize(both, np.log(FIRST), jac=True, method="BFGS", options={"maxiter": iterations})
    return Fitted([float(value) for value in np.exp(found.x)], losses)


def report(found: Fitted) -> str:
    """Return what was found, as text."""
    names = ("hares 1900", "lynx 1900", "birth", "hunting", "feeding", "death")
    rates = ", ".join(f"{name} {value:.4g}" for name, value in zip(names, found.parameters, strict=True))
    return f"{rates}; misfit {found.losses[0]:.3f} at first, {found.losses[-1]:.3f} in the end"


def draw(found: Fitted, file: str) -> None:
    """Draw the counts and the fitted orbit, over time and one over the other, carried on to 1950."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(9, 3.2), layout="constrained", width_ratios=(2.2, 1.0)
    )
    x, y, *rates = found.parameters
    times = [0.1 * i for i in range(1, 501)]
    logarithms = [(math.log(x), math.log(y)), *orbit(math.log(x), math.log(y), rates, times)]
    places = [(math.exp(x), math.exp(y)) for x, y in logarithms]
    years = [1900.0, *(1900.0 + t for t in times)]
    for number, (counts, name) in enumerate(((HARES, "hares"), (LYNX, "lynx"))):
        left.plot(years, [place[number] for place in places], label=name, color=f"C{number}")
        left.plot(range(1900, 1921), counts, "o", markersize=4, color=f"C{number}")
    left.set(xlabel="year", ylabel="thousand pelts", ylim=(0.0, None))
    left.legend(fontsize="small", loc="upper right")
    right.plot(HARES, LYNX, "o", markersize=4, color="grey", label="counted")
    right.plot(*zip(*places, strict=True), color="black", label="fitted")
    right.set(xlabel="hares", ylabel="lynx")
    right.legend(fontsize="small")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
