"""Newton's method with products of the Hessian: the same for any derivatives that it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Vector = Sequence[float]
ENOUGH = 1e-9  # of the gradient, in the largest component
MOST_TURNS = 60
LEAST_CURVATURE = 1e-8  # below which a direction counts as one of negative curvature


class Found(NamedTuple):
    """A minimum. turns, products: how many gradients and products of the Hessian it took."""

    p: list[float]
    value: float
    turns: int
    products: int


def minimum(
    value_and_gradient: Callable[[list[float]], tuple[float, Vector]],
    product: Callable[[list[float], Vector], Vector],
    start: Vector,
) -> Found:
    """Return the minimum that is reached from a point. product: of the Hessian at a point and a vector."""
    p, products = list(start), 0
    value, gradient = value_and_gradient(p)
    for turn in range(MOST_TURNS):
        if max(map(abs, gradient)) < ENOUGH:
            return Found(p, value, turn, products)
        direction, count = _direction(gradient, lambda x, at=p: product(at, x))  # type: ignore[misc]
        products += count
        slope, scale = _dot(direction, gradient), 1.0
        while True:
            there = [x + scale * dx for x, dx in zip(p, direction, strict=True)]
            reached, its_gradient = value_and_gradient(there)
            # The last turns gain less than values can show.
            if reached <= value + 1e-4 * scale * slope + 1e-13 * abs(value) or scale < 1e-10:
                break
            scale /= 2.0
        p, value, gradient = there, reached, its_gradient
    return Found(p, value, MOST_TURNS, products)


def _direction(gradient: Vector, product: Callable[[Vector], Vector]) -> tuple[list[float], int]:
    """Return Newton's direction by conjugate gradients, cut short where the curvature is negative."""
    x, residual = [0.0] * len(gradient), [-g for g in gradient]
    d, norm = list(residual), _dot(residual, residual)
    first = norm
    for count in range(1, 2 * len(gradient) + 1):
        hd = product(d)
        curvature = _dot(d, hd)
        if curvature <= LEAST_CURVATURE * _dot(d, d):
            return (x if count > 1 else d), count
        step = norm / curvature
        x = [xi + step * di for xi, di in zip(x, d, strict=True)]
        residual = [ri - step * hi for ri, hi in zip(residual, hd, strict=True)]
        before, norm = norm, _dot(residual, residual)
        if norm <= 1e-24 * first:
            return x, count
        d = [ri + norm / before * di for ri, di in zip(residual, d, strict=True)]
    return x, 2 * len(gradient)


def _dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
