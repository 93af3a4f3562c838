"""Functions of scipy.linalg that are made of others: solutions, factors, norms, special matrices.

In a program these are translated. Where NumPy has the same function, the value is SciPy's, and the
derivatives are those of NumPy's; solutions of equations without a rule have those of the equations
(checkpoint.prims.python.solvers).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as


def of_scipy(name: Any, operands: Any, options: Any) -> Any:
    """Return the value of one of SciPy's functions, without derivatives."""
    return prim("py.solver", "scipy.linalg", (), (name, operands, options))


@solver("scipy.linalg")
def _of_scipy(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(linalg, name)(*operands, **options)


def _same_signs(columns: Any, others: Any) -> Any:
    """Return 1 or -1 for each column, as another matrix has it with or without the opposite sign."""
    return np.where(np.sum(prim("py.stop", columns) * others, axis=-2) < 0.0, -1.0, 1.0)


# Systems of equations


def inv(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """See scipy.linalg.inv."""
    a = np.asarray(a)

    def by_numpy(a: Any) -> Any:
        return np.linalg.inv(a)

    return prim("py.attached", of_scipy("inv", (a,), {}), by_numpy, a)


def det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """See scipy.linalg.det."""
    a = np.asarray(a)

    def by_numpy(a: Any) -> Any:
        return np.linalg.det(a)

    return prim("py.attached", of_scipy("det", (a,), {}), by_numpy, a)


def _as_read(a: Any, assume_a: Any, lower: Any) -> Any:
    """Return the matrix that solve reads: a symmetric one, of which it reads a half, or all of it."""
    if assume_a in ("sym", "symmetric", "pos", "positive definite", "her", "hermitian"):
        return np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    return a


def solve(
    a: Any,
    b: Any,
    lower: Any = False,
    overwrite_a: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
    assume_a: Any = None,
    transposed: Any = False,
) -> Any:
    """See scipy.linalg.solve."""
    a, b = np.asarray(a), np.asarray(b)
    options = {"lower": lower, "transposed": transposed}
    if assume_a is not None:
        options["assume_a"] = assume_a
    found = of_scipy("solve", (a, b), options)

    def by_numpy(both: Any) -> Any:
        matrix = _as_read(both[0], assume_a, lower)
        return np.linalg.solve(matrix.T if transposed else matrix, both[1])

    return prim("py.attached", found, by_numpy, (a, b))


def lu_solve(
    lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    """See scipy.linalg.lu_solve."""
    (lu, piv), b = lu_and_piv, np.asarray(b)
    found = of_scipy("lu_solve", ((lu, piv), b, trans), {})
    order = prim("py.solver", "scipy.linalg, order of rows", (), (piv,))

    def by_triangles(both: Any) -> Any:
        factors, side = both
        if trans == 0:
            y = linalg.solve_triangular(factors, side[order], lower=True, unit_diagonal=True)
            return linalg.solve_triangular(factors, y)
        y = linalg.solve_triangular(factors, side, trans=1)
        return linalg.solve_triangular(factors, y, trans=1, lower=True, unit_diagonal=True)[np.argsort(order)]

    return prim("py.attached", found, by_triangles, (lu, b))


@solver("scipy.linalg, order of rows")
def _order(piv: Any) -> Any:
    order = np.arange(len(piv))
    for i, j in enumerate(piv):
        order[[i, j]] = order[[j, i]]
    return order


def lu(
    a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True, p_indices: Any = False
) -> Any:
    """See scipy.linalg.lu; of square matrices."""
    a = np.asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise refusal("scipy.linalg.lu of a matrix that is not square: factor a square part of it")
    factors, piv = linalg.lu_factor(a)
    order = prim("py.solver", "scipy.linalg, order of rows", (), (piv,))
    back = np.argsort(order)
    low, up = np.tril(factors, -1) + np.eye(len(a)), np.triu(factors)
    if permute_l:
        return low[back], up
    return (back if p_indices else np.eye(len(a))[back], low, up)


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """See scipy.linalg.solve_continuous_lyapunov."""
    a, q = np.asarray(a), np.asarray(q)
    found = of_scipy("solve_continuous_lyapunov", (a, q), {})
    return prim("py.attached", found, lambda x: linalg.solve_sylvester(x[0], x[0].T, x[1]), (a, q))


def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """See scipy.linalg.solve_discrete_lyapunov."""
    a, q = np.asarray(a), np.asarray(q)
    found = of_scipy("solve_discrete_lyapunov", (a, q), {"method": method})

    def directly(both: Any) -> Any:
        matrix = np.eye(both[0].size) - np.kron(both[0], both[0])
        return np.linalg.solve(matrix, both[1].ravel()).reshape(both[1].shape)

    return prim("py.attached", found, directly, (a, q))


def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """See scipy.linalg.solve_continuous_are; without e and s."""
    if e is not None or s is not None:
        raise refusal("solve_continuous_are with e or s: transform the system to one without them")
    a, b, q, r = np.asarray(a), np.asarray(b), np.asarray(q), np.asarray(r)
    options = {"balanced": balanced}
    x = of_scipy("solve_continuous_are", (a, b, q, r), options)

    def equation(x: Any) -> Any:
        return a.T @ x + x @ a - x @ b @ np.linalg.solve(r, b.T @ x) + q

    return prim("py.implicit", equation, x)


def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """See scipy.linalg.solve_discrete_are; without e and s."""
    if e is not None or s is not None:
        raise refusal("solve_discrete_are with e or s: transform the system to one without them")
    a, b, q, r = np.asarray(a), np.asarray(b), np.asarray(q), np.asarray(r)
    options = {"balanced": balanced}
    x = of_scipy("solve_discrete_are", (a, b, q, r), options)

    def equation(x: Any) -> Any:
        gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a)
        return a.T @ x @ a - x - a.T @ x @ b @ gain + q

    return prim("py.implicit", equation, x)


def logm(A: Any) -> Any:
    """See scipy.linalg.logm; of real matrices with a real logarithm."""
    a = np.asarray(A)
    x = of_scipy("logm", (a,), {})
    if np.iscomplexobj(x):
        raise refusal("scipy.linalg.logm of a matrix whose logarithm is complex")
    return prim("py.implicit", lambda x: linalg.expm(x) - a, x)


# Decompositions


def eigh(
    a: Any,
    b: Any = None,
    *,
    lower: Any = True,
    eigvals_only: Any = False,
    overwrite_a: Any = False,
    overwrite_b: Any = False,
    type: Any = 1,
    check_finite: Any = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: Any = None,
) -> Any:
    """See scipy.linalg.eigh; of one matrix, all of it."""
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        raise refusal("scipy.linalg.eigh of two matrices or of a part: take all of one matrix")
    a = np.asarray(a)
    half: Any = "L" if lower else "U"
    options = {"lower": lower, "eigvals_only": eigvals_only, "driver": driver}
    found = of_scipy("eigh", (a,), options)
    if eigvals_only:
        return prim("py.attached", found, lambda a: np.linalg.eigvalsh(a, half), a)

    def vectors(a: Any) -> Any:
        others = np.linalg.eigh(a, half)[1]
        return others * _same_signs(others, found[1])

    values = prim("py.attached", found[0], lambda a: np.linalg.eigh(a, half)[0], a)
    return values, prim("py.attached", found[1], vectors, a)


def eigvalsh(
    a: Any, b: Any = None, *, lower: Any = True, check_finite: Any = True, driver: Any = None
) -> Any:
    """See scipy.linalg.eigvalsh; of one matrix."""
    return eigh(a, b, lower=lower, eigvals_only=True, driver=driver)


def svd(
    a: Any,
    full_matrices: Any = True,
    compute_uv: Any = True,
    overwrite_a: Any = False,
    check_finite: Any = True,
    lapack_driver: Any = "gesdd",
) -> Any:
    """See scipy.linalg.svd."""
    a = np.asarray(a)
    options = {"full_matrices": full_matrices, "compute_uv": compute_uv, "lapack_driver": lapack_driver}
    found = of_scipy("svd", (a,), options)
    if not compute_uv:
        return prim("py.attached", found, lambda a: np.linalg.svd(a, compute_uv=False), a)

    def left(a: Any) -> Any:
        u = np.linalg.svd(a, full_matrices=full_matrices)[0]
        return u * _same_signs(u, found[0])

    def right(a: Any) -> Any:
        v = np.linalg.svd(a, full_matrices=full_matrices)[2]
        return v * _same_signs(v.T, found[2].T)[:, None]

    s = prim("py.attached", found[1], lambda a: np.linalg.svd(a, full_matrices=False)[1], a)
    return prim("py.attached", found[0], left, a), s, prim("py.attached", found[2], right, a)


def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """See scipy.linalg.svdvals."""
    return svd(a, compute_uv=False)


def qr(
    a: Any,
    overwrite_a: Any = False,
    lwork: Any = None,
    mode: Any = "full",
    pivoting: Any = False,
    check_finite: Any = True,
) -> Any:
    """See scipy.linalg.qr; without pivoting."""
    a = np.asarray(a)
    if pivoting or mode == "raw":
        raise refusal("scipy.linalg.qr with pivoting or mode='raw': use mode='economic' without it")
    if mode == "full" and a.shape[0] > a.shape[1]:
        raise refusal("scipy.linalg.qr of a tall matrix: pass mode='economic'")
    found = of_scipy("qr", (a,), {"mode": mode})
    if mode == "r":
        return (prim("py.attached", found[0], lambda a: np.linalg.qr(a)[1], a),)

    q = prim("py.attached", found[0], lambda a: np.linalg.qr(a)[0], a)
    return q, prim("py.attached", found[1], lambda a: np.linalg.qr(a)[1], a)


def pinv(
    a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True
) -> Any:
    """See scipy.linalg.pinv."""
    a = np.asarray(a)
    options = {"atol": atol, "rtol": rtol, "return_rank": True}
    found = of_scipy("pinv", (a,), options)

    def by_numpy(a: Any) -> Any:
        return np.linalg.pinv(a)

    inverse = prim("py.attached", found[0], by_numpy, a)
    return (inverse, found[1]) if return_rank else inverse


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    """See scipy.linalg.norm."""
    a = np.asarray(a)
    options = {"ord": ord, "axis": axis, "keepdims": keepdims}
    found = of_scipy("norm", (a,), options)
    return prim("py.attached", found, lambda a: np.linalg.norm(a, ord, axis, keepdims), a)


_TRANSLATIONS: dict[Any, Any] = {
    getattr(linalg, each.__name__): each
    for each in (
        inv,
        det,
        solve,
        lu_solve,
        lu,
        solve_continuous_lyapunov,
        solve_discrete_lyapunov,
        solve_continuous_are,
        solve_discrete_are,
        logm,
        eigh,
        eigvalsh,
        svd,
        svdvals,
        qr,
        pinv,
        norm,
    )
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
translated_as(linalg.solve_lyapunov, solve_continuous_lyapunov)
