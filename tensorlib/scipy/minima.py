"""Minima: scipy.optimize's minimize, minimize_scalar, least_squares, curve_fit.

In a program these are translated: SciPy finds the minimum in one step, which calls the program's function
on plain numbers; the minimum then depends on what the function captures, and on `args`, as the point where
the gradient is zero does (checkpoint.prims.python.solvers). Where SciPy says that it has not converged,
where a bound is active, and where there are constraints, the gradient need not be zero: there the minimum
has no derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as
from tensorlib.scipy.roots import packed


@dataclass(frozen=True)
class OptimizeResult:
    """What SciPy's minimisers return. derivative, hess_inv and the like are left out."""

    x: Any
    fun: Any
    success: bool
    status: int
    message: str
    nfev: int
    nit: int
    jac: Any


@dataclass(frozen=True)
class LeastSquaresResult:
    """What scipy.optimize.least_squares returns."""

    x: Any
    cost: Any
    fun: Any
    jac: Any
    grad: Any
    optimality: Any
    active_mask: Any
    nfev: int
    njev: Any
    status: int
    message: str
    success: bool


def _gradient_of(cost: Any) -> Any:
    """Return the gradient of a function of a real or array, as a function."""

    def gradient(x: Any) -> Any:
        return prim("cdr", prim("checkpoint-*j", cost, x, prim("py.unit")))

    return gradient


def _at_minimum(cost: Any, x: Any, why_not: Any, name: Any) -> Any:
    """Return a minimum with its derivatives; why_not: why it has none, "" if it has."""
    if why_not == "":
        return prim("py.implicit", _gradient_of(cost), x)
    return prim("py.underived", f"the result of {name} has no derivative: {why_not}", cost, x)


_NOT_CONVERGED = "it has not converged"
_AT_A_BOUND = "a bound is active, so that the gradient is not zero there"
_CONSTRAINED = "it has constraints; give them as penalties, or solve the conditions for a minimum by root"


def _touches(x: Any, bounds: Any) -> bool:
    """Return whether an element of x is at one of its bounds."""
    if bounds is None:
        return False
    x = np.atleast_1d(np.asarray(x, float))
    if isinstance(bounds, optimize.Bounds):
        low, high = (np.broadcast_to(np.asarray(b, float), x.shape) for b in (bounds.lb, bounds.ub))
    else:
        low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds], float)
        high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds], float)
    near = 1e-8 * np.maximum(1.0, np.abs(x))
    return bool(np.any(x - low <= near) or np.any(high - x <= near))


def _why_not(success: bool, is_at_bound: bool, is_constrained: bool = False) -> str:
    if not success:
        return _NOT_CONVERGED
    if is_constrained:
        return _CONSTRAINED
    return _AT_A_BOUND if is_at_bound else ""


# minimize


@solver("scipy.optimize.minimize")
def _minimize(
    f: Any, jac: Any, hess: Any, hessp: Any, x0: Any, bounds: Any, constraints: Any, options: dict[str, Any]
) -> tuple[Any, ...]:
    chosen = {**options, "jac": options["jac"] if jac is None else jac}
    chosen["hess"] = options["hess"] if hess is None else hess
    along = None if hessp is None else lambda x, p: hessp((x, p))
    found = optimize.minimize(f, x0, bounds=bounds, constraints=constraints, hessp=along, **chosen)
    why_not = _why_not(bool(found.success), _touches(found.x, bounds), bool(constraints))
    counts = int(found.get("nfev", 0)), int(found.get("nit", 0))
    message = str(found.message)
    return (
        found.x,
        float(found.fun),
        bool(found.success),
        int(found.status),
        message,
        *counts,
        (found.get("jac")),
        why_not,
    )


def minimize(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    callback: Any = None,
    options: Any = None,
) -> Any:
    """See scipy.optimize.minimize."""
    if callback is not None:
        raise refusal("scipy.optimize.minimize with a callback: print in the function instead")
    args = packed(args)
    has_slopes = callable(jac)
    is_pair = not has_slopes and jac is True
    has_hessian, has_product = callable(hess), callable(hessp)

    def whole(x: Any) -> Any:
        return fun(x, *args)

    def cost(x: Any) -> Any:
        y = fun(x, *args)
        return float(y[0]) if is_pair else float(y)

    def slopes(x: Any) -> Any:
        return jac(x, *args)

    def hessian(x: Any) -> Any:
        return hess(x, *args)

    def product(both: Any) -> Any:
        return hessp(both[0], both[1], *args)

    functions = (
        whole,
        slopes if has_slopes else None,
        hessian if has_hessian else None,
        product if has_product else None,
    )
    chosen = {"method": method, "tol": tol, "options": options}
    chosen["jac"] = None if has_slopes else jac
    chosen["hess"] = None if has_hessian else hess
    found = prim("py.solver", "scipy.optimize.minimize", functions, (x0, bounds, constraints, chosen))
    x = _at_minimum(cost, found[0], found[8], "minimize")
    value = prim("py.attached", found[1], cost, x)
    return OptimizeResult(x, value, found[2], found[3], found[4], found[5], found[6], found[7])


@solver("scipy.optimize.minimize_scalar")
def _minimize_scalar(f: Any, bounds: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    found = optimize.minimize_scalar(f, bounds=bounds, **options)
    success = bool(found.success)
    width = 0.0 if bounds is None else 4e-5 + 1e-8 * abs(bounds[1] - bounds[0])
    ends = () if bounds is None else bounds
    is_at_bound = any(abs(found.x - end) <= width for end in ends)
    why_not = _why_not(success, is_at_bound)
    return found.x, float(found.fun), success, str(found.message), int(found.nfev), int(found.nit), why_not


def minimize_scalar(
    fun: Any,
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: Any = None,
    tol: Any = None,
    options: Any = None,
) -> Any:
    """See scipy.optimize.minimize_scalar."""
    args = packed(args)

    def cost(x: Any) -> Any:
        return float(fun(x, *args))

    chosen = {"bracket": bracket, "method": method, "tol": tol, "options": options}
    found = prim("py.solver", "scipy.optimize.minimize_scalar", (cost,), (bounds, chosen))
    x = _at_minimum(cost, found[0], found[6], "minimize_scalar")
    value = prim("py.attached", found[1], cost, x)
    status = 0 if found[2] else 1
    return OptimizeResult(x, value, found[2], status, found[3], found[4], found[5], None)


# Least squares


@solver("scipy.optimize.least_squares")
def _least_squares(f: Any, jac: Any, x0: Any, bounds: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    chosen = dict(options)
    given = chosen.pop("jac")
    slopes = given if jac is None else jac
    found = optimize.least_squares(f, x0, jac=slopes, bounds=bounds, **chosen)
    why_not = _why_not(bool(found.success), bool(np.any(found.active_mask)))
    numbers = (found.x, float(found.cost), found.fun, found.jac, found.grad, float(found.optimality))
    counts = (int(found.nfev), found.njev, int(found.status), str(found.message), bool(found.success))
    return (*numbers, found.active_mask, *counts, why_not)


def _loss_of(z: Any, loss: Any) -> Any:
    """Return what a loss makes of squares."""
    if loss == "linear":
        return z
    if loss == "soft_l1":
        return 2.0 * ((1.0 + z) ** 0.5 - 1.0)
    if loss == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.maximum(z, 1.0) ** 0.5 - 1.0)
    if loss == "cauchy":
        return np.log1p(z)
    if loss == "arctan":
        return np.arctan(z)
    raise refusal("least_squares with a loss of your own: put it into the residuals")


def least_squares(
    fun: Any,
    x0: Any,
    jac: Any = "2-point",
    bounds: Any = (-np.inf, np.inf),
    method: Any = "trf",
    ftol: Any = 1e-8,
    xtol: Any = 1e-8,
    gtol: Any = 1e-8,
    x_scale: Any = None,
    loss: Any = "linear",
    f_scale: Any = 1.0,
    diff_step: Any = None,
    tr_solver: Any = None,
    tr_options: Any = None,
    jac_sparsity: Any = None,
    max_nfev: Any = None,
    verbose: Any = 0,
    args: Any = (),
    kwargs: Any = None,
) -> Any:
    """See scipy.optimize.least_squares."""
    if kwargs:
        raise refusal("least_squares(kwargs=...): pass the arguments by args")
    args = packed(args)
    has_slopes = callable(jac)

    def residuals(x: Any) -> Any:
        return np.atleast_1d(np.asarray(fun(x, *args)))

    def slopes(x: Any) -> Any:
        return jac(x, *args)

    def cost(x: Any) -> Any:
        z = (residuals(x) / f_scale) ** 2
        return float(0.5 * f_scale**2 * np.sum(_loss_of(z, loss)))

    options = {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "loss": loss, "f_scale": f_scale}
    options["diff_step"] = diff_step
    options["tr_solver"] = tr_solver
    options["tr_options"] = tr_options
    options["max_nfev"] = max_nfev
    options["verbose"] = verbose
    options["jac"] = None if has_slopes else jac
    if x_scale is not None:
        options["x_scale"] = x_scale
    if jac_sparsity is not None:
        options["jac_sparsity"] = jac_sparsity
    functions = (residuals, slopes if has_slopes else None)
    found = prim("py.solver", "scipy.optimize.least_squares", functions, (x0, bounds, options))
    x = _at_minimum(cost, found[0], found[12], "least_squares")
    value = prim("py.attached", found[1], cost, x)
    left = prim("py.attached", found[2], residuals, x)
    return LeastSquaresResult(
        x,
        value,
        left,
        found[3],
        found[4],
        found[5],
        found[6],
        found[7],
        found[8],
        found[9],
        found[10],
        found[11],
    )


@solver("scipy.optimize.curve_fit")
def _curve_fit(
    f: Any, jac: Any, xdata: Any, ydata: Any, p0: Any, bounds: Any, options: dict[str, Any]
) -> tuple[Any, ...]:
    chosen = dict(options)
    given = chosen.pop("jac")
    slopes = given if jac is None else (lambda x, *p: jac(np.array(p, float)))
    values, covariance = optimize.curve_fit(
        lambda x, *p: f(np.array(p, float)), xdata, ydata, p0, bounds=bounds, jac=slopes, **chosen
    )
    low, high = (np.broadcast_to(np.asarray(b, float), values.shape) for b in bounds)
    is_at_bound = _touches(values, list(zip(low, high, strict=True)))
    return values, covariance, _why_not(True, is_at_bound)


def _spread(f: Any, xdata: Any, p: Any) -> Any:
    """Return f of the data and of the parameters in an array."""
    return f(xdata, *tuple([p[i] for i in range(len(p))]))


def curve_fit(
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: Any = False,
    check_finite: Any = True,
    bounds: Any = (-np.inf, np.inf),
    method: Any = None,
    jac: Any = None,
    **options: Any,
) -> Any:
    """See scipy.optimize.curve_fit."""
    if p0 is None:
        raise refusal("curve_fit without p0: pass where to start, one number for each parameter")
    if sigma is not None and np.ndim(sigma) != 1:
        raise refusal("curve_fit with a matrix of covariances: pass deviations, a vector")
    has_slopes = callable(jac)

    def model(p: Any) -> Any:
        return _spread(f, xdata, p)

    def slopes(p: Any) -> Any:
        return _spread(jac, xdata, p)

    def cost(p: Any) -> Any:
        left = np.asarray(model(p)) - np.asarray(ydata)
        if sigma is not None:
            left = left / np.asarray(sigma)
        return float(0.5 * np.sum(left**2))

    chosen = {"sigma": sigma, "absolute_sigma": absolute_sigma, "check_finite": check_finite}
    chosen["method"] = method
    chosen["jac"] = None if has_slopes else jac
    for name, value in options.items():
        chosen[name] = value
    functions = (model, slopes if has_slopes else None)
    arguments = (xdata, ydata, p0, bounds, chosen)
    values, covariance, why_not = prim("py.solver", "scipy.optimize.curve_fit", functions, arguments)
    values = _at_minimum(cost, values, why_not, "curve_fit")

    def covariances(p: Any) -> Any:
        slopes = np.stack([prim("cdr", prim("j*", model, p, e)) for e in np.eye(len(p))], axis=-1)
        if sigma is not None:
            slopes = slopes / np.reshape(np.asarray(sigma), (-1, 1))
        found = np.linalg.inv(slopes.T @ slopes)
        return found if absolute_sigma else found * (2.0 * cost(p) / (slopes.shape[0] - slopes.shape[1]))

    return values, prim("py.attached", covariance, covariances, values)


_TRANSLATIONS: dict[Any, Any] = {
    optimize.minimize: minimize,
    optimize.minimize_scalar: minimize_scalar,
    optimize.least_squares: least_squares,
    optimize.curve_fit: curve_fit,
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
