"""Roots of functions: scipy.optimize's brentq and its kin, newton, fixed_point, root_scalar, fsolve, root.

In a program these are translated: SciPy's solver finds the root in one step, which calls the program's
function on plain numbers; the root then depends on what the function captures, and on `args`, as the
implicit function theorem says (checkpoint.prims.python.solvers). A root that SciPy says has not converged
has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as


@dataclass(frozen=True)
class RootResults:
    """What scipy.optimize.RootResults says of a root."""

    root: Any
    iterations: int
    function_calls: int
    converged: Any
    flag: Any
    method: str


@dataclass(frozen=True)
class RootResult:
    """What scipy.optimize.root returns."""

    x: Any
    success: bool
    status: int
    message: str
    fun: Any
    nfev: int
    method: str


def packed(args: Any) -> Any:
    """Return further arguments as a tuple, as SciPy takes them."""
    return args if isinstance(args, tuple) else (args,)


def of_equation(equation: Any, x: Any, is_solved: Any, name: Any) -> Any:
    """Return what solves an equation with its derivatives; without any where it is not solved."""
    if is_solved:
        return prim("py.implicit", equation, x)
    text = f"{name} has not converged: what it returns solves no equation, so it has no derivative"
    return prim("py.underived", text, equation, x)


# Brackets


@solver("scipy.optimize.brentq")
def _brentq(f: Any, name: str, a: Any, b: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    x, report = getattr(optimize, name)(f, a, b, full_output=True, **options)
    return x, report.iterations, report.function_calls, bool(report.converged), report.flag


def _bracketed(name: Any, f: Any, a: Any, b: Any, args: Any, options: Any, full_output: Any) -> Any:
    args = packed(args)

    def equation(x: Any) -> Any:
        return f(x, *args)

    found = prim("py.solver", "scipy.optimize.brentq", (equation,), (name, a, b, options))
    root = of_equation(equation, found[0], found[3], name)
    if full_output:
        return root, RootResults(root, found[1], found[2], found[3], found[4], name)
    return root


_RTOL = 4 * float(np.finfo(float).eps)


def _method(name: str) -> Callable[..., Any]:
    def method(
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = _RTOL,
        maxiter: Any = 100,
        full_output: Any = False,
        disp: Any = True,
    ) -> Any:
        options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
        return _bracketed(name, f, a, b, args, options, full_output)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""See scipy.optimize.{name}."""
    return method


brentq, brenth, bisect, ridder = map(_method, ("brentq", "brenth", "bisect", "ridder"))


def toms748(
    f: Any,
    a: Any,
    b: Any,
    args: Any = (),
    k: Any = 1,
    xtol: Any = 2e-12,
    rtol: Any = _RTOL,
    maxiter: Any = 100,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    """See scipy.optimize.toms748."""
    options = {"k": k, "xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
    return _bracketed("toms748", f, a, b, args, options, full_output)


# Starting points


@solver("scipy.optimize.newton")
def _newton(f: Any, fprime: Any, fprime2: Any, x0: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    more: Any = {"fprime": fprime, "fprime2": fprime2, "full_output": True}
    found = optimize.newton(f, x0, **more, **options)
    if np.size(x0) > 1:
        return found[0], bool(np.all(found[1])), found[1], found[2]
    report = found[1]
    details = (report.iterations, report.function_calls, report.flag, report.method)
    return found[0], bool(report.converged), details, None


def _with_arguments(f: Any, args: Any) -> Any:
    """Return a function of one argument, None for None."""
    if f is None:
        return None

    def one(x: Any) -> Any:
        return f(x, *args)

    return one


def newton(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: Any = 1.48e-8,
    maxiter: Any = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: Any = 0.0,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    """See scipy.optimize.newton."""
    args = tuple(args)

    def equation(x: Any) -> Any:
        return func(x, *args)

    functions = (equation, _with_arguments(fprime, args), _with_arguments(fprime2, args))
    options = {"tol": tol, "maxiter": maxiter, "x1": x1, "rtol": rtol, "disp": disp}
    found = prim("py.solver", "scipy.optimize.newton", functions, (x0, options))
    root = of_equation(equation, found[0], found[1], "newton")
    if not full_output:
        return root
    if found[3] is not None:
        return root, found[2], found[3]
    iterations, calls, flag, method = found[2]
    return root, RootResults(root, iterations, calls, found[1], flag, method)


@solver("scipy.optimize.root_scalar")
def _root_scalar(f: Any, fprime: Any, fprime2: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    found = optimize.root_scalar(f, fprime=fprime, fprime2=fprime2, **options)
    return (
        found.root,
        found.iterations,
        found.function_calls,
        bool(found.converged),
        found.flag,
        found.method,
    )


def root_scalar(
    f: Any,
    args: Any = (),
    method: Any = None,
    bracket: Any = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
    options: Any = None,
) -> Any:
    """See scipy.optimize.root_scalar."""
    args = packed(args)

    def whole(x: Any) -> Any:
        return f(x, *args)

    def equation(x: Any) -> Any:
        y = f(x, *args)
        return y[0] if isinstance(y, tuple) else y

    has_slope, has_second = callable(fprime), callable(fprime2)
    chosen = {"method": method, "bracket": bracket, "x0": x0, "x1": x1, "xtol": xtol, "rtol": rtol}
    chosen["maxiter"] = maxiter
    chosen["options"] = options
    functions = (whole, None, None)
    if has_slope:
        functions = (whole, _with_arguments(fprime, args), None)
    if has_second:
        functions = (whole, functions[1], _with_arguments(fprime2, args))
    if not has_slope and fprime:
        name = "scipy.optimize.root_scalar, with slopes"
        found = prim("py.solver", name, (whole,), (fprime, fprime2, chosen))
    else:
        found = prim("py.solver", "scipy.optimize.root_scalar", functions, (chosen,))
    root = of_equation(equation, found[0], found[3], "root_scalar")
    return RootResults(root, found[1], found[2], found[3], found[4], found[5])


@solver("scipy.optimize.root_scalar, with slopes")
def _root_scalar_with_slopes(f: Any, fprime: Any, fprime2: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    found: tuple[Any, ...] = _root_scalar(f, fprime, fprime2, options)
    return found


@solver("scipy.optimize.fixed_point")
def _fixed_point(f: Any, x0: Any, options: dict[str, Any]) -> Any:
    return optimize.fixed_point(f, x0, **options)


def fixed_point(
    func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2"
) -> Any:
    """See scipy.optimize.fixed_point."""
    args = packed(args)

    def image(x: Any) -> Any:
        return func(x, *args)

    def equation(x: Any) -> Any:
        return func(x, *args) - x

    options = {"xtol": xtol, "maxiter": maxiter, "method": method}
    x = prim("py.solver", "scipy.optimize.fixed_point", (image,), (x0, options))
    return prim("py.implicit", equation, x)


# Systems of equations


@solver("scipy.optimize.fsolve")
def _fsolve(f: Any, fprime: Any, x0: Any, full_output: bool, options: dict[str, Any]) -> tuple[Any, ...]:
    if not full_output:  # to warn as SciPy does
        optimize.fsolve(f, x0, fprime=fprime, **options)
    x, info, status, message = optimize.fsolve(f, x0, fprime=fprime, full_output=True, **options)
    return x, info, int(status), message


def _system(f: Any, args: Any, with_jacobian: Any) -> Any:
    """Return the equations of a system: a function of an array whose result has the array's shape."""

    def equations(x: Any) -> Any:
        y = f(x, *args)
        if with_jacobian:
            y = y[0]
        return np.reshape(np.asarray(y) * 1.0, x.shape)

    return equations


def fsolve(
    func: Any,
    x0: Any,
    args: Any = (),
    fprime: Any = None,
    full_output: Any = 0,
    col_deriv: Any = 0,
    xtol: Any = 1.49012e-8,
    maxfev: Any = 0,
    band: Any = None,
    epsfcn: Any = None,
    factor: Any = 100,
    diag: Any = None,
) -> Any:
    """See scipy.optimize.fsolve."""
    args = packed(args)
    functions = (_with_arguments(func, args), _with_arguments(fprime, args))
    options = {"col_deriv": col_deriv, "xtol": xtol, "maxfev": maxfev, "band": band, "epsfcn": epsfcn}
    options["factor"] = factor
    options["diag"] = diag
    arguments = (x0, bool(full_output), options)
    x, info, status, message = prim("py.solver", "scipy.optimize.fsolve", functions, arguments)
    x = of_equation(_system(func, args, False), x, status == 1, "fsolve")
    return (x, info, status, message) if full_output else x


@solver("scipy.optimize.root")
def _root(f: Any, jac: Any, with_jacobian: bool, options: dict[str, Any], x0: Any) -> tuple[Any, ...]:
    found = optimize.root(f, x0, jac=True if with_jacobian else jac, **options)
    status = found.get("status", int(found.success))
    return found.x, bool(found.success), int(status), str(found.message), found.fun, int(found.get("nfev", 0))


def root(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = "hybr",
    jac: Any = None,
    tol: Any = None,
    callback: Any = None,
    options: Any = None,
) -> Any:
    """See scipy.optimize.root."""
    if callback is not None:
        raise refusal("scipy.optimize.root with a callback: print in the function instead")
    args = packed(args)
    has_jacobian = callable(jac)
    with_jacobian = not has_jacobian and bool(jac)
    functions = (_with_arguments(fun, args), _with_arguments(jac, args) if has_jacobian else None)
    chosen = {"method": method, "tol": tol, "options": options}
    found = prim("py.solver", "scipy.optimize.root", functions, (with_jacobian, chosen, x0))
    equations = _system(fun, args, with_jacobian)
    x = of_equation(equations, found[0], found[1], "root")
    return RootResult(x, found[1], found[2], found[3], found[4], found[5], method)


_TRANSLATIONS: dict[Any, Any] = {
    optimize.brentq: brentq,
    optimize.brenth: brenth,
    optimize.bisect: bisect,
    optimize.ridder: ridder,
    optimize.toms748: toms748,
    optimize.newton: newton,
    optimize.root_scalar: root_scalar,
    optimize.fixed_point: fixed_point,
    optimize.fsolve: fsolve,
    optimize.root: root,
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
