"""Gradients by JAX, PyTorch and HIPS autograd, where they are installed, as programs.py takes them.

In: a system's name and a mode: F (one run for each coordinate), Fv (all coordinates in one run) or R. Out: a
Gradient, and the system's exp; or Missing, with the reason. JAX compiles the gradients of programs whose
branches do not depend on reals (`jits`), once for each function; all else runs operation by operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.stalingrad.programs import Function, Gradient, Vector

NAMES = ("jax", "torch", "autograd")


class Missing(Exception):
    """What a system cannot do here; the text says why."""


def of(name: str, mode: str, jits: bool) -> tuple[Gradient, Callable[[Any], Any]]:
    """Return the gradient operator of a system and a mode, and its exp."""
    makers = {"jax": _jax, "torch": _torch, "autograd": _autograd}
    try:
        operators, exp = makers[name](jits)
    except ImportError as error:
        raise Missing(f"{name} is not installed ({error})") from None
    if mode not in operators:
        raise Missing(f"{name} has no {mode}")
    return operators[mode], exp


def _units(x: Vector, one: Any, zero: Any) -> list[Vector]:
    return [[one if i == j else zero for j in range(len(x))] for i in range(len(x))]


def _jax(jits: bool) -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    import jax  # noqa: PLC0415  (optional)

    jax.config.update("jax_enable_x64", True)

    def kept(gradient: Gradient) -> Gradient:
        made: dict[object, Callable[[Vector], Vector]] = {}

        def compiled(f: Function) -> Callable[[Vector], Vector]:
            code: object = getattr(f, "__code__", f)
            return made.setdefault(code, jax.jit(gradient(f)))

        return compiled if jits else gradient

    def forward(f: Function) -> Callable[[Vector], Vector]:
        return lambda x: [jax.jvp(f, (list(x),), (unit,))[1] for unit in _units(x, 1.0, 0.0)]

    operators = {"F": kept(forward), "Fv": kept(jax.jacfwd), "R": kept(jax.grad)}
    return operators, jax.numpy.exp


def _torch(jits: bool) -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    import torch  # noqa: PLC0415  (optional)

    torch.set_num_threads(1)

    def tensors(x: Vector) -> Vector:
        return [torch.as_tensor(each, dtype=torch.float64) for each in x]

    def reverse(f: Function) -> Callable[[Vector], Vector]:
        return lambda x: torch.func.grad(f)(tensors(x))

    def forward(f: Function) -> Callable[[Vector], Vector]:
        one, zero = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
        return lambda x: [torch.func.jvp(f, (tensors(x),), (unit,))[1] for unit in _units(x, one, zero)]

    def vector(f: Function) -> Callable[[Vector], Vector]:
        return lambda x: torch.func.jacfwd(f)(tensors(x))

    return {"F": forward, "Fv": vector, "R": reverse}, torch.exp


def _autograd(jits: bool) -> tuple[dict[str, Gradient], Callable[[Any], Any]]:
    import autograd  # noqa: PLC0415  (optional)
    import autograd.numpy  # noqa: PLC0415

    def reverse(f: Function) -> Callable[[Vector], Vector]:
        slope = autograd.grad(f)
        return lambda x: slope(list(x))

    def forward(f: Function) -> Callable[[Vector], Vector]:
        def along(x: Vector, i: int) -> Any:
            def on_line(t: Any) -> Any:
                return f([each + t if i == j else each for j, each in enumerate(x)])

            return autograd.make_jvp(on_line)(0.0)(1.0)[1]

        return lambda x: [along(x, i) for i in range(len(x))]

    return {"F": forward, "R": reverse}, autograd.numpy.exp
