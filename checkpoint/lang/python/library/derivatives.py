"""The package's derivative functions for use within a program, written in the translated language.

In: a function of the program and its arguments. Out: the result of the public function of the same name. A
cotangent or tangent is a value like any other here, with None where there is none. Cotangents of complex
numbers are conjugated on the way in and out, as everywhere (checkpoint.functions.pytrees). A derivative is
one step of the program: it is computed by bisection whatever `schedule` and `memory` say (`vjp` also by
"plain"), and its cost belongs to that step.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

EACH = "each= is for derivatives outside of programs: within one their results are values like others"


def vjp(
    f: Any,
    x: Any,
    ybar: Any = None,
    *,
    engine: Any = None,
    schedule: Any = None,
    memory: Any = None,
    each: Any = None,
) -> Any:
    """See checkpoint.vjp; `schedule` is "plain" or left out."""
    if each is not None:
        raise ValueError(EACH)

    def one(argument: Any) -> Any:
        return f(argument)

    seed = prim("py.unit") if ybar is None else prim("py.conjugated", ybar)
    if schedule == "plain":
        outcome = prim("*j", one, x, seed)
    else:
        outcome = prim("checkpoint-*j", one, x, seed)
    return (prim("car", outcome), prim("py.conjugated", prim("cdr", outcome)))


def jvp(f: Any, x: Any, xtan: Any, *, engine: Any = None) -> Any:
    """See checkpoint.jvp."""

    def one(argument: Any) -> Any:
        return f(argument)

    outcome = prim("j*", one, x, xtan)
    return (prim("car", outcome), prim("cdr", outcome))


def value_and_grad(
    f: Any,
    argnums: Any = 0,
    has_aux: Any = False,
    *,
    engine: Any = None,
    schedule: Any = None,
    memory: Any = None,
    each: Any = None,
) -> Any:
    """See checkpoint.value_and_grad."""
    if each is not None:
        raise ValueError(EACH)

    def gradient(*args: Any) -> Any:
        def whole(packed: Any) -> Any:
            return f(*packed)[0] if has_aux else f(*packed)

        outcome = prim("py.gradient", whole, args, prim("py.unit"), argnums)
        cotangents = prim("py.conjugated", prim("cdr", outcome))
        if isinstance(argnums, tuple):
            picked = tuple([cotangents[i] for i in argnums])
        else:
            picked = cotangents[argnums]
        y = prim("car", outcome)
        return ((y, f(*args)[1]) if has_aux else y, picked)

    return gradient


def grad(
    f: Any,
    argnums: Any = 0,
    has_aux: Any = False,
    *,
    engine: Any = None,
    schedule: Any = None,
    memory: Any = None,
    each: Any = None,
) -> Any:
    """See checkpoint.grad."""
    both = value_and_grad(f, argnums, has_aux, each=each)

    def gradient(*args: Any) -> Any:
        y, picked = both(*args)
        return (picked, y[1]) if has_aux else picked

    return gradient


def hvp(f: Any, x: Any, v: Any, *, engine: Any = None, schedule: Any = None, memory: Any = None) -> Any:
    """See checkpoint.hvp."""
    return jvp(grad(f), x, v)[1]


def jacfwd(f: Any, argnums: Any = 0, *, engine: Any = None) -> Any:
    """See checkpoint.jacfwd; for one real or array, or a list or tuple of reals."""

    def jacobian(*args: Any) -> Any:
        def along(x: Any) -> Any:
            return f(*args[:argnums], x, *args[argnums + 1 :])

        x = args[argnums]
        if prim("py.is-array", x):
            columns = [jvp(along, x, prim("py.basis", x, i))[1] for i in range(x.size)]
            return _stacked(x, columns, f(*args))
        if not isinstance(x, list | tuple):
            return jvp(along, x, 1.0)[1]
        columns = [jvp(along, x, _unit(x, i))[1] for i in range(len(x))]
        y = f(*args)
        if isinstance(y, list | tuple):
            rows = [[column[i] for column in columns] for i in range(len(y))]
            shaped = [tuple(row) if isinstance(x, tuple) else row for row in rows]
            return tuple(shaped) if isinstance(y, tuple) else shaped
        return tuple(columns) if isinstance(x, tuple) else columns

    return jacobian


def jacrev(f: Any, argnums: Any = 0, *, engine: Any = None, schedule: Any = None, memory: Any = None) -> Any:
    """See checkpoint.jacrev; for one real or array, or a list or tuple of reals."""

    def jacobian(*args: Any) -> Any:
        def along(x: Any) -> Any:
            return f(*args[:argnums], x, *args[argnums + 1 :])

        x = args[argnums]
        y = f(*args)
        if prim("py.is-array", y) and y.ndim > 0:
            rows = [vjp(along, x, prim("py.basis", y, i))[1] for i in range(y.size)]
            if isinstance(x, list | tuple):
                parts = [prim("py.stacked", y, [row[i] for row in rows], 0) for i in range(len(x))]
                return tuple(parts) if isinstance(x, tuple) else parts
            return prim("py.stacked", y, rows, 0)
        if not isinstance(y, list | tuple):
            return vjp(along, x)[1]
        rows = [vjp(along, x, _unit(y, i))[1] for i in range(len(y))]
        return tuple(rows) if isinstance(y, tuple) else rows

    return jacobian


def hessian(f: Any, argnums: Any = 0, *, engine: Any = None, schedule: Any = None, memory: Any = None) -> Any:
    """See checkpoint.hessian; for one real or array, or a list or tuple of reals."""
    return jacfwd(grad(f, argnums), argnums)


def _stacked(x: Any, columns: Any, y: Any) -> Any:
    """Return the derivatives of y by each element of an array x, as arrays."""
    if isinstance(y, list | tuple):
        rows = [prim("py.stacked", x, [column[i] for column in columns], -1) for i in range(len(y))]
        return tuple(rows) if isinstance(y, tuple) else rows
    return prim("py.stacked", x, columns, -1)


def _unit(x: Any, position: Any) -> Any:
    """Return a list or tuple like x, of zeros and one 1."""
    found = [0.0 for _ in x]
    found[position] = 1.0
    return tuple(found) if isinstance(x, tuple) else found


def stop_gradient(x: Any) -> Any:
    """See checkpoint.stop_gradient; a float takes a step that every engine does itself."""
    if prim("real?", x):
        return prim("py.with-derivative", x, 0.0)
    return prim("py.stop", x)


def primops(f: Any, x: Any, *, engine: Any = None) -> Any:
    """See checkpoint.primops; checkpoint.prims.python.own says what runs."""

    def call(arguments: Any) -> Any:
        return f(prim("py.item", arguments, 0))

    return int(prim("py.primops", prim("functions"), f, call, x))


def interrupt(f: Any, x: Any, steps: Any, *, engine: Any = None) -> Any:
    """See checkpoint.interrupt; checkpoint.prims.python.own says what runs."""

    def call(arguments: Any) -> Any:
        return f(prim("py.item", arguments, 0))

    return prim("py.interrupt", prim("functions"), f, call, x, float(steps))


def resume(z: Any) -> Any:
    """See checkpoint.resume."""
    return prim("resume", z)


def derived(make: Any, f: Any, argnums: Any) -> Any:
    """Return a function that does what a derivative made outside of programs does."""

    def derivative(*args: Any) -> Any:
        return make(f, argnums)(*args)

    return derivative


def derived_with_aux(make: Any, f: Any, argnums: Any) -> Any:
    """Return the same for a function that returns something in addition to its value."""

    def derivative(*args: Any) -> Any:
        return make(f, argnums, True)(*args)

    return derivative
