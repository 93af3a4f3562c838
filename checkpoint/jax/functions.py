"""Programs as functions of JAX's: `checkpoint.jax.function`.

In: a function that checkpoint can differentiate. Out: one that JAX's transformations take. JAX knows of it
the shapes of its result, and its pullback, which is such a function again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax

from checkpoint.api.schedules import named_schedule
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, an
from checkpoint.jax.callbacks import Leaves, Program, remembering, split

P = ParamSpec("P")
T = TypeVar("T")


def function(
    f: Callable[P, T],
    *,
    result: Any = None,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
) -> Callable[P, T]:
    """Return f as a function of JAX's: `jax.grad`, `jax.jit`, `jax.vmap` and their kin take it.

    f is called back by JAX on the host, with NumPy's arrays for JAX's and Python's numbers for arrays of
    shape (), and returns a pytree of arrays and numbers. It is any program, with loops whose length depends
    on data; JAX compiles nothing of it. The gradient runs it again, by checkpointing, within `memory`.
    Derivatives of every order in reverse mode go through it (`jax.grad` of `jax.grad`); JAX refuses those in
    forward mode. `jax.vmap` calls it once for each row.

    All that is differentiated is an argument: arrays, floats and complex numbers, in any pytree. All other
    leaves (Python's integers, strings, functions) are constants, which f receives as they are. f has to be
    pure, as JAX asks of every function. An exception of f is one of JAX's, which shows it.

    JAX asks for the shapes of the result before there are values. Unless `result` says them, f runs once on
    zeros for each combination of shapes, and its result there has the shapes of all: a program knows its
    shapes only by running, and zeros are the cheapest arguments.

    Args:
        f: a function of any positional and keyword arguments, each a pytree.
        result: a pytree of arrays, numbers or `jax.ShapeDtypeStruct`s as f returns them, or a function of the
            arguments that JAX can trace and that returns such a pytree; for an f that fails on zeros, does
            not end there, or takes long.
        engine: as in `checkpoint.vjp`.
        schedule: as in `checkpoint.vjp`.
        memory: as in `checkpoint.vjp`.

    Examples:
        >>> import jax, numpy as np, checkpoint.jax
        >>> def halvings(x):
        ...     while np.abs(x).max() > 1.0:
        ...         x = 0.5 * x
        ...     return x
        >>> f = checkpoint.jax.function(halvings, result=lambda x: x)
        >>> loss = jax.jit(jax.value_and_grad(lambda x: f(3.0 * x).sum()))
        >>> value, gradient = loss(jax.numpy.ones(2))
        >>> print(value, gradient)
        1.5 [0.75 0.75]
    """
    if not callable(f):
        raise RunError(f"checkpoint.jax.function takes a function, not {an(type(f).__name__)}")
    named_schedule(schedule, memory)  # a wrong one is an error here already
    program = Program.of(f, {"engine": engine, "schedule": schedule, "memory": memory})
    on_zeros = remembering(program.on_zeros)

    @functools.wraps(f)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        _check_surroundings(f)
        given = args, kwargs
        if result is None:
            signature, traced = split(given)
            leaves = on_zeros(signature, tuple([jax.ShapeDtypeStruct(x.shape, x.dtype) for x in traced]))
        else:
            leaves = _said(result, given)
        value: T = program.applied(given, leaves)
        return value

    return called


def _check_surroundings(f: Callable[..., Any]) -> None:
    """Raise RunError where f reads an array of JAX's, which may be traced, from its surroundings."""
    if not inspect.isfunction(f):
        return
    read = inspect.getclosurevars(f)
    for name, thing in (*read.nonlocals.items(), *read.globals.items()):
        if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(thing)):
            raise RunError(f"{name} of {f.__name__} is an array of JAX's, which has to be an argument")


def _said(result: Any, given: Any) -> Leaves:
    """Return the shapes that `result` says, of these arguments where it is a function."""
    if not callable(result):
        return Leaves.of(result)
    signature, traced = split(given)

    def of_traced(*values: Any) -> Any:
        args, kwargs = signature.filled(values)
        return result(*args, **kwargs)

    return Leaves.of(jax.eval_shape(of_traced, *traced))
