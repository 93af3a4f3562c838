"""Integrals of functions: scipy.integrate's quad and fixed_quad.

In a program these are translated. SciPy's quad finds the value, in one step, which calls the program's
function on plain numbers, and returns the mesh that it found good enough. The derivatives are Leibniz's
rule: the integrand at the limits, and the integral of its derivatives by what it captures, as a sum over
nodes on that mesh. Before they are used the nodes are checked to give the integral itself to the accuracy
that was asked for. So the derivatives of an integrand with jumps that move lack what the jumps contribute.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy import integrate

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as

Mesh = tuple[list[float], list[float]]


def _legendre(count: int = 12) -> tuple[Any, Any]:
    """Return nodes from 0 to 1, the distances of these from 1, and weights."""
    x, w = np.polynomial.legendre.leggauss(count)
    return np.stack([(1.0 + x) / 2.0, (1.0 - x) / 2.0]), w / 2.0


END = tuple([(float(s), float(w)) for s, w in zip(*_legendre(8)[0][:1], _legendre(8)[1], strict=True)])


def tanh_sinh() -> tuple[Any, Any]:
    """Return the same that crowd at the ends, for integrands that are singular there."""
    step = 1.0 / 8.0
    t = np.arange(-29, 30) * step
    u = np.pi / 2.0 * np.sinh(t)
    near = np.stack([1.0 / (1.0 + np.exp(-2.0 * u)), 1.0 / (1.0 + np.exp(2.0 * u))])
    return near, step * np.pi * np.cosh(t) * near[0] * near[1]


def _between(lo: float, hi: float, parts: Any, rule: tuple[Any, Any]) -> Mesh:
    """Return the nodes and weights of a finite interval; those near its end are as exact as at its start."""
    (from_start, from_end), weights = rule
    nodes, found = [], []
    for a, b in parts:
        for s, r, w in zip(from_start, from_end, weights, strict=True):
            x = b - (b - a) * r if b == hi and r < s else a + (b - a) * s
            if lo < x < hi:
                nodes.append(float(x))
                found.append(float(w * (b - a)))
    return nodes, found


def _beyond(lo: float, hi: float, parts: Any, rule: tuple[Any, Any]) -> Mesh:
    """Return the same of an infinite interval, from parts of 0 to 1, as QUADPACK maps it there."""
    (from_start, _), weights = rule
    nodes, found = [], []
    for a, b in parts:
        for s, w in zip(from_start, weights, strict=True):
            t = float(a + (b - a) * s)
            distance = (1.0 - t) / t if t > 0.0 else math.inf
            if not math.isfinite(distance * distance):
                continue
            if math.isinf(lo) and math.isinf(hi):
                places = [distance, -distance]
            else:
                places = [hi - distance] if math.isinf(lo) else [lo + distance]
            nodes += places
            found += [float(w * (b - a) / t**2)] * len(places)
    return nodes, found


def _mesh(f: Any, lo: float, hi: float, info: dict[str, Any], value: float, error: float) -> Mesh:
    """Return nodes and weights on the mesh of an integral that give its value; none if these do not."""
    last = int(info["last"])
    parts = sorted(zip(info["alist"][:last], info["blist"][:last], strict=True))
    on_interval = _beyond if math.isinf(lo) or math.isinf(hi) else _between
    for rule in (_legendre(), tanh_sinh()):
        nodes, weights = on_interval(lo, hi, parts, rule)
        found = sum(w * f.silently(x) for x, w in zip(nodes, weights, strict=True))
        if abs(found - value) <= error:
            return nodes, weights
    return [], []


@solver("scipy.integrate.quad")
def _quad(f: Any, a: float, b: float, full_output: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    found = integrate.quad(f, a, b, full_output=1, **options)
    value, error, info = found[:3]
    if len(found) > 3 and not full_output:
        warnings.warn(found[3], integrate.IntegrationWarning, stacklevel=2)
    lo, hi = min(a, b), max(a, b)
    tolerance = max(error, options["epsabs"], options["epsrel"] * abs(value))
    mesh: Mesh = [], []
    if options["weight"] is None:
        mesh = _mesh(f, lo, hi, info, value if a <= b else -value, tolerance)
    details = {key: item for key, item in info.items() if np.ndim(item) == 0 or len(np.shape(item)) == 1}
    return value, error, (details, *found[3:]), mesh, bool(mesh[0]) or a == b


_NO_MESH = (
    "the integral by quad has no derivative here: no nodes on its mesh give its value, since the integrand "
    "is singular or there is a weight. Split the interval at the singularities, or substitute a variable "
    "that removes them"
)


def quad(
    func: Any,
    a: Any,
    b: Any,
    args: Any = (),
    full_output: Any = 0,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
    weight: Any = None,
    wvar: Any = None,
    wopts: Any = None,
    maxp1: Any = 50,
    limlst: Any = 50,
    complex_func: Any = False,
) -> Any:
    """See scipy.integrate.quad."""
    if complex_func:
        raise refusal("quad(complex_func=True): integrate the real and the imaginary part")
    args = args if isinstance(args, tuple) else (args,)
    a, b = float(a), float(b)

    def integrand(x: Any) -> Any:
        return float(func(x, *args))

    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points, "weight": weight}
    options["wvar"] = wvar
    options["maxp1"] = maxp1
    options["limlst"] = limlst
    found = prim("py.solver", "scipy.integrate.quad", (integrand,), (a, b, bool(full_output), options))
    nodes, weights = found[3]

    def total(sign: Any) -> Any:
        total = 0.0
        for i in range(len(nodes)):
            total += weights[i] * integrand(nodes[i])
        return total * sign

    if not found[4]:
        value = prim("py.underived", _NO_MESH, (total, a, b), found[0])
    else:
        inside = prim("py.attached", found[0], total, 1.0 if a <= b else -1.0)

        def to_limit(limit: Any) -> Any:
            """Return the integral from a limit's value to it, which is 0, exactly up to the order 15."""
            moved = limit - prim("py.stop", limit)
            return moved * sum([w * integrand(limit - s * moved) for s, w in END])

        above = 0.0 if math.isinf(b) else prim("py.moved", to_limit, b)
        below = 0.0 if math.isinf(a) else prim("py.moved", to_limit, a)
        value = prim(
            "py.attached", found[0], lambda parts: parts[0] + parts[1] - parts[2], (inside, above, below)
        )
    return (value, found[1], *found[2]) if full_output else (value, found[1])


@solver("scipy.special.roots_legendre")
def _roots_legendre(n: int) -> tuple[Any, Any]:
    from scipy.special import roots_legendre  # noqa: PLC0415  # imports much, for what few programs use

    x, w = roots_legendre(n)
    return np.real(x), w


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """See scipy.integrate.fixed_quad."""
    x, w = prim("py.solver", "scipy.special.roots_legendre", (), (n,))
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    y = (b - a) * (x + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *args), axis=-1), None


translated_as(integrate.quad, quad)
translated_as(integrate.fixed_quad, fixed_quad)
