"""Functions of scipy.linalg: expm, sqrtm, triangular and Sylvester equations, Cholesky factors.

Loaded when a program names one of them. The derivative of the matrix exponential is SciPy's expm_frechet;
its own derivatives are blocks of exponentials of twice the size, so that they nest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy import linalg as _scipy

from checkpoint.ad.arrays import Discrete, Memory
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.tensors import SAME, record_of
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY, NEGATIVE
from tensorlib.linear.decompositions import (
    cholesky_cotangent,
    cholesky_tangent,
    for_triangle,
    identity,
    symmetric_read,
)
from tensorlib.linear.einsum import transposed
from tensorlib.linear.linalg import of_arrays, regular, shape_in, squares, swapped
from tensorlib.linear.products import MATMUL
from tensorlib.rules import raw, real_only, record, unbroadcast

# expm


def _frechet(xp: Any, a: Any, e: Any) -> Any:
    """Return the derivative of the exponential at matrices, in directions e."""
    a, e = xp.asarray(a), xp.asarray(e)
    if a.ndim == 2:
        return _scipy.expm_frechet(a, e, compute_expm=False)
    found = xp.empty(a.shape, xp.result_type(a, e))
    for index in np.ndindex(a.shape[:-2]):
        found[index] = _scipy.expm_frechet(a[index], e[index], compute_expm=False)
    return found


def _corners(x: Any) -> tuple[Any, Any]:
    """Return the matrices that put one into the first or second of two blocks, by products from the left."""
    size = shape_in(x)[-1]
    both = identity(x, 2 * size)
    return both[:, :size], both[:, size:]


def _block(first: Any, second: Any, x: Any, e: Any) -> Any:
    """Return the matrix of blocks x e, 0 x."""
    diagonal = ADD(MATMUL(MATMUL(first, x), first.T), MATMUL(MATMUL(second, x), second.T))
    return ADD(diagonal, MATMUL(MATMUL(first, e), second.T))


def _frechet_vjp(xp: Any, g: Any, y: Any, a: Any, e: Any) -> Any:
    first, second = _corners(a)
    turned = swapped(xp, _block(first, second, a, e))
    found = _frechet(xp, turned, first @ g @ second.T)
    return unbroadcast(xp, first.T @ found @ first + second.T @ found @ second, a)


def _frechet_jvp(tangent: Any, y: Any, a: Any, e: Any) -> Any:
    first, second = _corners(a)
    along = ADD(MATMUL(MATMUL(first, tangent), first.T), MATMUL(MATMUL(second, tangent), second.T))
    found = record("tensorlib.expm_frechet")(_block(first, second, a, e), along)
    return MATMUL(MATMUL(first.T, found), second)


# Equations


def _options(trans: Any, lower: Any) -> tuple[int, bool]:
    """Return whether the matrix is transposed, and whether what is read lies below the diagonal."""
    if trans not in (0, 1, "N", "T"):
        raise refusal(f"scipy.linalg.solve_triangular(trans={trans!r}): trans is 0, 1, 'N' or 'T' here")
    return int(trans in (1, "T")), bool(lower)


def _triangular(
    xp: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Any:
    _options(trans, lower)
    return _scipy.solve_triangular(a, b, trans, lower, unit_diagonal)


def _read(x: Any, lower: bool, unit: Any) -> Any:
    """Return ones where a triangular matrix is read."""
    ones = np.ones(shape_in(x), raw(x).dtype)
    return np.tril(ones, -bool(unit)) if lower else np.triu(ones, int(bool(unit)))


def _triangular_left(
    xp: Any, g: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Any:
    turned, below = _options(trans, lower)
    back = _scipy.solve_triangular(a, g, 1 - turned, lower, unit_diagonal)
    found = -xp.outer(back, y) if y.ndim == 1 else -(back @ y.T)
    return unbroadcast(xp, (found.T if turned else found) * _read(a, below, unit_diagonal), a)


def _triangular_right(
    xp: Any, g: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Any:
    turned = _options(trans, lower)[0]
    return unbroadcast(xp, _scipy.solve_triangular(a, g, 1 - turned, lower, unit_diagonal), b)


def _triangular_jvp(
    tangent: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Any:
    turned, below = _options(trans, lower)
    read = MULTIPLY(tangent, _read(a, below, unit_diagonal))
    side = MATMUL(transposed(read) if turned else read, y)
    return NEGATIVE(record("scipy.linalg.solve_triangular")(a, side, trans, lower, unit_diagonal))


def _sylvester_vjp(position: int) -> Callable[..., Any]:
    def vjp(xp: Any, g: Any, y: Any, a: Any, b: Any, q: Any) -> Any:
        back = _scipy.solve_sylvester(a.T, b.T, g)
        found = (lambda: -back @ y.T, lambda: -y.T @ back, lambda: back)[position]()
        return unbroadcast(xp, found, (a, b, q)[position])

    return vjp


def _solve_sylvester(xp: Any, a: Any, b: Any, q: Any) -> Any:
    real_only("scipy.linalg.solve_sylvester", a, b, q)
    return _scipy.solve_sylvester(a, b, q)


def _sylvester(a: Any, b: Any, q: Any) -> Any:
    return record("scipy.linalg.solve_sylvester")(a, b, q)


# Cholesky


def _cholesky(xp: Any, a: Any, lower: Any = False) -> Any:
    real_only("scipy.linalg.cholesky", a)
    return _scipy.cholesky(a, lower)


def _cholesky_vjp(xp: Any, g: Any, y: Any, a: Any, lower: Any = False) -> Any:
    if not lower:
        g, y = swapped(xp, g), swapped(xp, y)
    return unbroadcast(xp, for_triangle(xp, cholesky_cotangent(xp, g, y), bool(lower)), a)


def _cholesky_jvp(tangent: Any, y: Any, a: Any, lower: Any = False) -> Any:
    symmetric = symmetric_read(tangent, bool(lower))
    if lower:
        return cholesky_tangent(symmetric, y)
    return transposed(cholesky_tangent(symmetric, transposed(y)))


# Beside its factor SciPy leaves the operand's elements, from 1.18 on zeros.
_LEFT = 1.0 if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18) else 0.0


def _factor(xp: Any, a: Any, lower: Any = False) -> Any:
    real_only("scipy.linalg.cho_factor", a)
    return _scipy.cho_factor(a, lower)


def _factor_vjp(xp: Any, g: Any, y: Any, a: Any, lower: Any = False) -> Any:
    read = _read(a, bool(lower), False)
    return _cholesky_vjp(xp, g[0] * read, y[0] * read, a, lower) + g[0] * ((1 - read) * _LEFT)


def _factor_jvp(tangent: Any, y: Any, a: Any, lower: Any = False) -> Any:
    read = _read(a, bool(lower), False)
    inside = _cholesky_jvp(tangent, MULTIPLY(y.items[0], read), a, lower)
    return (ADD(MULTIPLY(inside, read), MULTIPLY(tangent, (1 - read) * _LEFT)),)


def _with_factor(xp: Any, c_and_lower: Any, b: Any) -> Any:
    real_only("scipy.linalg.cho_solve", c_and_lower[0], b)
    return _scipy.cho_solve(tuple(c_and_lower), b)


def _with_factor_left(xp: Any, g: Any, y: Any, c_and_lower: Any, b: Any) -> Any:
    c, lower = c_and_lower
    back = _scipy.cho_solve((c, lower), g)
    both = xp.outer(back, y) if y.ndim == 1 else back @ y.T
    read = _read(c, bool(lower), False)
    both, part = -(both + both.T), c * read
    return [unbroadcast(xp, (both @ part if lower else part @ both) * read, c), None]


def _with_factor_jvp(given: Any, y: Any, c_and_lower: Any, b: Any) -> Any:
    (tangent, _), (c, lower) = given.items, c_and_lower.items
    read = _read(c, bool(lower), False)
    part, moved = MULTIPLY(c, read), MULTIPLY(tangent, read)
    product = MATMUL(moved, transposed(part)) if lower else MATMUL(transposed(moved), part)
    side = NEGATIVE(MATMUL(ADD(product, transposed(product)), y))
    return record_of(record("scipy.linalg.cho_solve"), (Record(TUPLE, (c, lower)), side))


# Samples


def _positive(rng: Any, size: int = 3) -> Any:
    x = rng.normal(size=(size, size))
    return x @ x.T + np.eye(size)


def _triangular_samples(rng: Any) -> list[tuple[Any, ...]]:
    a, b, c = regular(rng, 3, 3), rng.normal(size=3), rng.normal(size=(3, 2))
    options = [(), (0, True), (1,), ("T", True), ("N", False, True), (1, True, True)]
    return [(a, side, *option) for option in options for side in (b, c)] + [(a.T, c)]


def _factor_samples(rng: Any) -> list[tuple[Any, ...]]:
    a = _positive(rng)
    return [(a,), (a, True), (a, False), (a + np.tril(rng.normal(size=(3, 3)), -1),)]


def _with_factor_samples(rng: Any) -> list[tuple[Any, ...]]:
    c, sides = regular(rng, 3, 3), (rng.normal(size=3), rng.normal(size=(3, 2)))
    return [((c, lower), side) for lower in (False, True) for side in sides]


def _sylvester_samples(rng: Any) -> list[tuple[Any, ...]]:
    return [(regular(rng, 3, 3), regular(rng, 2, 2), rng.normal(size=(3, 2)))]


of_arrays(
    "scipy.linalg.expm",
    lambda xp, A: _scipy.expm(A),
    vjps=(lambda xp, g, y, a: unbroadcast(xp, _frechet(xp, swapped(xp, a), g), a),),
    jvps=(lambda t, y, a: record("tensorlib.expm_frechet")(a, t),),
    needs=((0,),),
    implements=(_scipy.expm,),
    shape="(..., n, n) -> (..., n, n)",
    samples=lambda rng: [(0.5 * x,) for (x,) in squares(rng) if np.size(x) and not isinstance(x, list)],
)
of_arrays(
    "tensorlib.expm_frechet",
    _frechet,
    vjps=(_frechet_vjp, lambda xp, g, y, a, e: unbroadcast(xp, _frechet(xp, swapped(xp, a), g), e)),
    jvps=(_frechet_jvp, SAME),
    needs=((0, 1), (0,)),
    shape="(..., n, n), (..., n, n) -> (..., n, n)",
    samples=lambda rng: [
        (0.5 * x, rng.normal(size=x.shape)) for (x,) in squares(rng) if np.size(x) and not isinstance(x, list)
    ],
)
of_arrays(
    "scipy.linalg.sqrtm",
    lambda xp, A: _scipy.sqrtm(A),
    vjps=(lambda xp, g, y, a: unbroadcast(xp, _scipy.solve_sylvester(y.T, y.T, g), a),),
    jvps=(lambda t, y, a: _sylvester(y, y, t),),
    needs=((1,),),
    implements=(_scipy.sqrtm,),
    shape="(n, n) -> (n, n)",
    samples=lambda rng: [(_positive(rng),), (_positive(rng, 2) + np.array([[0, 1], [0, 0]]),)],
)
of_arrays(
    "scipy.linalg.solve_sylvester",
    _solve_sylvester,
    vjps=(_sylvester_vjp(0), _sylvester_vjp(1), _sylvester_vjp(2)),
    jvps=(
        lambda t, y, a, b, q: NEGATIVE(_sylvester(a, b, MATMUL(t, y))),
        lambda t, y, a, b, q: NEGATIVE(_sylvester(a, b, MATMUL(y, t))),
        SAME,
    ),
    needs=((0, 1, 3), (0, 1, 3), (0, 1)),
    implements=(_scipy.solve_sylvester,),
    shape="(n, n), (m, m), (n, m) -> (n, m)",
    samples=_sylvester_samples,
)
of_arrays(
    "scipy.linalg.solve_triangular",
    _triangular,
    vjps=(_triangular_left, _triangular_right, None, None, None),
    jvps=(_triangular_jvp, SAME, None, None, None),
    implements=(_scipy.solve_triangular,),
    shape="(n, n), (n,) -> (n,), or (n, n), (n, k) -> (n, k)",
    convention="what is not read receives zeros",
    samples=_triangular_samples,
)
of_arrays(
    "scipy.linalg.cholesky",
    _cholesky,
    vjps=(_cholesky_vjp, None),
    jvps=(_cholesky_jvp, None),
    implements=(_scipy.cholesky,),
    shape="(n, n) -> (n, n)",
    convention="as for np.linalg.cholesky",
    samples=_factor_samples,
)
of_arrays(
    "scipy.linalg.cho_factor",
    _factor,
    vjps=(_factor_vjp, None),
    jvps=(_factor_jvp, None),
    implements=(_scipy.cho_factor,),
    shape="(n, n) -> (n, n), a boolean",
    convention="as for np.linalg.cholesky; beside the factor are the operand's elements, or zeros",
    samples=_factor_samples,
)
tensor(
    "scipy.linalg.cho_solve",
    _with_factor,
    vjps=(
        _with_factor_left,
        lambda xp, g, y, f, b: unbroadcast(xp, _scipy.cho_solve(tuple(f), g), b),
    ),
    jvps=(_with_factor_jvp, SAME),
    implements=(_scipy.cho_solve,),
    shape="((n, n), a boolean), (n,) -> (n,), or ((n, n), a boolean), (n, k) -> (n, k)",
    samples=_with_factor_samples,
)


# LU factors


def _halves(xp: Any, packed: Any) -> tuple[Any, Any]:
    """Return the lower factor, with ones on the diagonal, and the upper one."""
    return xp.tril(packed, -1) + xp.eye(len(packed), dtype=packed.dtype), xp.triu(packed)


def _rows(piv: Any) -> Any:
    """Return the order in which a factorisation takes the rows of its matrix."""
    order = np.arange(len(piv))
    for i, j in enumerate(np.asarray(piv)):
        order[[i, j]] = order[[j, i]]
    return order


def _lu_factor(xp: Any, a: Any) -> Any:
    real_only("scipy.linalg.lu_factor", a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise refusal("scipy.linalg.lu_factor of a matrix that is not square")
    return _scipy.lu_factor(a)


def _lu_factor_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    low, up = _halves(xp, y[0])
    inner = xp.tril(low.T @ xp.tril(g[0], -1), -1) + xp.triu(xp.triu(g[0]) @ up.T)
    found = _scipy.solve_triangular(up, _scipy.solve_triangular(low, inner, trans=1, lower=True).T).T
    back = xp.zeros_like(found)
    back[_rows(y[1])] = found
    return unbroadcast(xp, back, a)


def _lu_factor_jvp(tangent: Any, y: Any, a: Any) -> Any:
    packed, order = y.items[0], _rows(raw(y.items[1]))
    size = shape_in(packed)[-1]
    below, above = np.tril(np.ones((size, size)), -1), np.triu(np.ones((size, size)))
    low, up = ADD(MULTIPLY(packed, below), np.eye(size)), MULTIPLY(packed, above)
    moved = record("np.take")(tangent, Discrete(order, Memory()), 0)
    triangular = record("scipy.linalg.solve_triangular")
    inner = triangular(low, moved, 0, True)
    inner = transposed(triangular(transposed(up), transposed(inner), 0, True))
    return (ADD(MATMUL(low, MULTIPLY(inner, below)), MATMUL(MULTIPLY(inner, above), up)),)


of_arrays(
    "scipy.linalg.lu_factor",
    _lu_factor,
    vjps=(_lu_factor_vjp,),
    jvps=(_lu_factor_jvp,),
    needs=((1,),),
    implements=(_scipy.lu_factor,),
    shape="(n, n) -> (n, n), (n,) of integers",
    samples=lambda rng: [(regular(rng, 3, 3),), (rng.normal(size=(4, 4)),), (regular(rng, 2, 2).T,)],
)
