"""Systems of equations, inverses, determinants, powers: functions of square matrices, and of stacks of them.

A cotangent at a singular matrix, where the derivative does not exist, is NaN; a tangent there is NumPy's own
LinAlgError. Rules are those of holomorphic functions: complex matrices are taken where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.array_library import as_dtype, zeros_beside
from checkpoint.ad.containers import List
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.tensors import SAME, Tensor, record_of
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, NEGATIVE, SUBTRACT
from tensorlib.linear.einsum import EINSUM, transposed
from tensorlib.linear.products import MATMUL
from tensorlib.rules import discrete, raw, real_only, shape_of, stacked, tangent_array, unbroadcast

Rule = Callable[..., Any]
Rules = tuple[Any, ...]  # by operand, as in a Tensor record


def of_arrays(name: str, value: Rule, vjps: Rules, jvps: Rules, **fields: Any) -> Tensor:
    """Register a function of arrays whose rules are for arrays alone: they get lists as the arrays that
    NumPy takes them for, and give arrays.
    """
    positions = [i for i, vjp in enumerate(vjps) if vjp is not None]

    def listed(position: int, rule: Any) -> Any:
        def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
            arrays = [_as_array(xp, x) if i in positions else x for i, x in enumerate(operands)]
            return unbroadcast(xp, rule(xp, g, y, *arrays), operands[position])

        return vjp

    def along(rule: Any) -> Any:
        def jvp(tangent: Any, y: Any, *operands: Any) -> Any:
            arrays = [stacked(x) if i in positions else x for i, x in enumerate(operands)]
            return rule(tangent_array(tangent), y, *arrays)

        return jvp

    return tensor(
        name,
        value,
        vjps=tuple([vjp and listed(i, vjp) for i, vjp in enumerate(vjps)]),
        jvps=tuple([jvp if jvp is None or jvp is SAME else along(jvp) for jvp in jvps]),
        **fields,
    )


def _as_array(xp: Any, operand: Any) -> Any:
    """Return a list as an array; of what stands for one only the shape and a dtype."""
    if not isinstance(operand, list | tuple):
        return operand
    first: Any = operand
    while isinstance(first, list | tuple) and first:
        first = first[0]
    outlined = hasattr(first, "shape") and not hasattr(first, "__array__")
    return xp.zeros(shape_of(operand), first.dtype) if outlined else xp.asarray(operand)


def swapped(xp: Any, x: Any) -> Any:
    """Return a library's own arrays of matrices with their last two axes exchanged."""
    return xp.swapaxes(x, -1, -2)


def shape_in(x: Any) -> tuple[int, ...]:
    """Return the shape of an array under whatever derivatives it carries."""
    return tuple(raw(x).shape)


def inverse(xp: Any, a: Any) -> Any:
    """Return the inverses of matrices; NaN for a singular one."""
    try:
        return xp.linalg.inv(a)
    except np.linalg.LinAlgError:
        found = xp.full(a.shape, xp.nan, a.dtype)
        for index in np.ndindex(a.shape[:-2]):
            try:
                found[index] = xp.linalg.inv(a[index])
            except np.linalg.LinAlgError:
                continue
        return found


def solved(xp: Any, a: Any, b: Any) -> Any:
    """Return the solutions of systems of equations; NaN for a singular one."""
    try:
        return xp.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return inverse(xp, a) @ b


# solve, inv


def _solve_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    if b.ndim != 1 or a.ndim == 2:
        return unbroadcast(xp, xp.linalg.solve(swapped(xp, a), g), b)
    return unbroadcast(xp, xp.linalg.solve(swapped(xp, a), g[..., None])[..., 0], b)


def _solve_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    if b.ndim == 1:
        back = xp.linalg.solve(swapped(xp, a), g[..., None])
        return unbroadcast(xp, -back * y[..., None, :], a)
    return unbroadcast(xp, -xp.linalg.solve(swapped(xp, a), g) @ swapped(xp, y), a)


def _solve_jvp(tangent: Any, y: Any, a: Any, b: Any) -> Any:
    if len(shape_in(b)) == 1 and len(shape_in(a)) > 2:
        return NEGATIVE(EINSUM("...ij,...j->...i", SOLVE(a, tangent), y))
    return NEGATIVE(SOLVE(a, MATMUL(tangent, y)))


def _inv_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    turned = swapped(xp, y)
    return -(turned @ g @ turned)


def _inv_jvp(tangent: Any, y: Any, a: Any) -> Any:
    return NEGATIVE(MATMUL(y, MATMUL(tangent, y)))


# det, slogdet


def _cofactors(xp: Any, a: Any) -> Any:
    """Return the derivative of the determinant, at singular matrices too."""
    try:
        return xp.linalg.det(a)[..., None, None] * swapped(xp, xp.linalg.inv(a))
    except np.linalg.LinAlgError:
        u, s, vh = xp.linalg.svd(a)
        count = s.shape[-1]
        others = xp.where(xp.eye(count, dtype=bool), 1.0, s[..., None, :])
        sign = xp.linalg.det(u) * xp.linalg.det(vh)
        scaled = u * (sign[..., None] * xp.prod(others, axis=-1))[..., None, :]
        return as_dtype(scaled @ vh, a.dtype)


def _cofactors_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    turned = swapped(xp, inverse(xp, a))
    along = xp.sum(y * g, axis=(-1, -2), keepdims=True)
    return along * turned - turned @ swapped(xp, g) @ y


def _cofactors_jvp(tangent: Any, y: Any, a: Any) -> Any:
    solved = SOLVE(a, tangent)
    along = EINSUM("...ii,...jk->...jk", solved, y)
    return SUBTRACT(along, MATMUL(y, transposed(solved)))


def _slogdet(xp: Any, a: Any) -> Any:
    real_only("np.linalg.slogdet", a)
    return xp.linalg.slogdet(a)


def _slogdet_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    return as_dtype(g[1][..., None, None] * swapped(xp, inverse(xp, a)), a.dtype)


def _slogdet_jvp(tangent: Any, y: Any, a: Any) -> Any:
    return (None, EINSUM("...ij,...ji->...", INV(a), tangent))


# powers and chains


def _power_tangent(multiply: Callable[..., Any], add: Callable[..., Any], a: Any, t: Any, n: int) -> Any:
    """Return the tangent of the n-th power of a in direction t, n at least 1."""
    power, along = a, t
    for bit in bin(n)[3:]:
        power, along = multiply(power, power), add(multiply(power, along), multiply(along, power))
        if bit == "1":
            power, along = multiply(power, a), add(multiply(power, t), multiply(along, a))
    return along


def _power_vjp(xp: Any, g: Any, y: Any, a: Any, n: int) -> Any:
    if n == 0:
        return zeros_beside(g, a.shape, a.dtype)
    turned = swapped(xp, a)
    if n > 0:
        return _power_tangent(xp.matmul, xp.add, turned, g, n)
    turned = xp.linalg.inv(turned)
    return -(turned @ _power_tangent(xp.matmul, xp.add, turned, g, -n) @ turned)


def _power_jvp(tangent: Any, y: Any, a: Any, n: int) -> Any:
    if n == 0:
        return None
    if n > 0:
        return _power_tangent(MATMUL, ADD, a, tangent, n)
    inv = INV(a)
    return _power_tangent(MATMUL, ADD, inv, NEGATIVE(MATMUL(MATMUL(inv, tangent), inv)), -n)


def _product(xp: Any, arrays: Any) -> Any:
    """Return the product of matrices, the first or last of which may be a vector; None for no matrices."""
    return None if not arrays else arrays[0] if len(arrays) == 1 else xp.linalg.multi_dot(arrays)


def _chain_vjp(xp: Any, g: Any, y: Any, arrays: Any) -> Any:
    operands, arrays = arrays, [_as_array(xp, each) for each in arrays]
    columns = g.reshape(1 if arrays[0].ndim == 1 else arrays[0].shape[0], -1)
    found = []
    for i, (own, operand) in enumerate(zip(arrays, operands, strict=True)):
        before, after = _product(xp, arrays[:i]), _product(xp, arrays[i + 1 :])
        part = columns
        if before is not None:
            part = before.reshape(-1, before.shape[-1]).T @ part
        if after is not None:
            part = part @ (after[:, None] if after.ndim == 1 else after).T
        found.append(unbroadcast(xp, part.reshape(own.shape), operand))
    return found


def _chain_jvp(tangents: Any, y: Any, arrays: Any) -> Any:
    total = None
    for i, given in enumerate(map(tangent_array, tangents.items)):
        if type(given) in NUMBERS:
            items = [*arrays.items[:i], given, *arrays.items[i + 1 :]]
            term = record_of(MULTI_DOT, (List(items),))
            total = term if total is None else ADD(total, term)
    return total


# Samples


def regular(rng: Any, *shape: int) -> Any:
    """Return samples of matrices of full rank, far from singular ones."""
    return rng.normal(size=shape) + 3.0 * np.eye(shape[-2], shape[-1])


def squares(rng: Any) -> list[tuple[Any, ...]]:
    """Return samples of square matrices far from singular ones."""
    found = [
        regular(rng, 3, 3),
        regular(rng, 4, 4).T,
        regular(rng, 2, 2, 3, 3),
        regular(rng, 4, 6)[:, ::2][:3],
    ]
    found.append([[3.0, 1.0], [0.5, 2.0]])
    return [(x,) for x in (*found, regular(rng, 1, 1), rng.normal(size=(0, 3, 3)))]


def _solve_samples(rng: Any) -> list[tuple[Any, ...]]:
    a, batch = regular(rng, 3, 3), regular(rng, 2, 3, 3)
    sides: list[tuple[Any, ...]] = [
        (a, rng.normal(size=3)),
        (a, rng.normal(size=(3, 2))),
        (a.T, rng.normal(size=3)),
    ]
    sides += [
        (batch, rng.normal(size=3)),
        (batch, rng.normal(size=(3, 2))),
        (batch, rng.normal(size=(2, 3, 4))),
    ]
    sides += [
        (a, rng.normal(size=(2, 3, 1))),
        (batch[:, None], rng.normal(size=(4, 3, 1))),
        (a, rng.normal(size=(3, 0))),
    ]
    sides += [([[3.0, 1.0], [0.5, 2.0]], [1.0, 2.0]), ([[3.0, 1.0], [0.5, 2.0]], rng.normal(size=2))]
    return [*sides, (a + 1j, rng.normal(size=3)), (a, rng.normal(size=3) * 1j)]


def _singular(rng: Any) -> list[tuple[Any, ...]]:
    return [*squares(rng), (rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)),)]


def _chain_samples(rng: Any) -> list[tuple[Any, ...]]:
    a, b, c = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))
    found = [[a, b], [a, b, c], [a[0], b, c], [a, b, c[:, 0]], [a[0], b, c[:, 0]], [a[0], b[:, 0]]]
    return [(list(x),) for x in (*found, [c, a, b, c])]


SOLVE = of_arrays(
    "np.linalg.solve",
    lambda xp, a, b: xp.linalg.solve(a, b),
    vjps=(_solve_left, _solve_right),
    jvps=(_solve_jvp, SAME),
    needs=((0, 2), (0,)),
    implements=(np.linalg.solve,),
    shape="(n, n), (n,) -> (n,), or (..., n, n), (..., n, k) -> (..., n, k)",
    samples=_solve_samples,
)
INV = of_arrays(
    "np.linalg.inv",
    lambda xp, a: xp.linalg.inv(a),
    vjps=(_inv_vjp,),
    jvps=(_inv_jvp,),
    needs=((1,),),
    implements=(np.linalg.inv,),
    shape="(..., n, n) -> (..., n, n)",
    samples=_singular,
)
COFACTORS = of_arrays(
    "tensorlib.cofactors",
    _cofactors,
    vjps=(_cofactors_vjp,),
    jvps=(_cofactors_jvp,),
    needs=((0, 1),),
    shape="(..., n, n) -> (..., n, n)",
    convention="the derivative of the determinant; its own derivative exists at regular matrices alone",
    samples=_singular,
)
DET = of_arrays(
    "np.linalg.det",
    lambda xp, a: xp.linalg.det(a),
    vjps=(lambda xp, g, y, a: unbroadcast(xp, g[..., None, None] * _cofactors(xp, a), a),),
    jvps=(lambda t, y, a: EINSUM("...ij,...ij->...", COFACTORS(a), t),),
    needs=((0,),),
    implements=(np.linalg.det,),
    shape="(..., n, n) -> (...)",
    samples=_singular,
)
SLOGDET = of_arrays(
    "np.linalg.slogdet",
    _slogdet,
    vjps=(_slogdet_vjp,),
    jvps=(_slogdet_jvp,),
    needs=((0,),),
    implements=(np.linalg.slogdet,),
    shape="(..., n, n) -> (...), (...)",
    convention="the sign is constant",
    samples=squares,
)
MATRIX_POWER = of_arrays(
    "np.linalg.matrix_power",
    lambda xp, a, n: xp.linalg.matrix_power(a, n),
    vjps=(_power_vjp, None),
    jvps=(_power_jvp, None),
    needs=((0,), ()),
    implements=(np.linalg.matrix_power,),
    shape="(..., n, n) -> (..., n, n)",
    samples=lambda rng: (
        [(regular(rng, 3, 3), n) for n in (-3, -1, 0, 1, 2, 3, 6, 7)] + [(regular(rng, 2, 2, 2), 5)]
    ),
)
MULTI_DOT = tensor(
    "np.linalg.multi_dot",
    lambda xp, arrays: xp.linalg.multi_dot(arrays),
    vjps=(_chain_vjp,),
    jvps=(_chain_jvp,),
    implements=(np.linalg.multi_dot,),
    shape="(n, k), (k, l), ... -> (n, m); the first or last may be a vector",
    samples=_chain_samples,
)
MATRIX_RANK = discrete(
    "np.linalg.matrix_rank",
    lambda xp, A, tol=None, hermitian=False: xp.linalg.matrix_rank(A, tol, hermitian),
    operands=3,
    implements=(np.linalg.matrix_rank,),
    shape="(..., n, m) -> (...)",
    samples=lambda rng: [(rng.normal(size=(4, 3)),), (rng.normal(size=(2, 3, 4)), 1e-3)],
)
