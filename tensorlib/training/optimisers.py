"""Steps of optimisers: sgd, adam; and clip_norm.

In: parameters and their gradient, two pytrees of one structure, and the state that the step before returned,
None at first. Out: (parameters, state), new ones. A leaf whose gradient is None stays as it is. A step works
on one leaf, too, as `each=` reports them. The formulas, and the order of their operations, are torch.optim's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib.elementwise.comparison import GREATER
from tensorlib.elementwise.pointwise import DIVIDE
from tensorlib.elementwise.selection import WHERE
from tensorlib.rules import pointwise, sampled
from tensorlib.training.nests import leaves, mapped


def root(x: Any) -> Any:
    """Return the square root of x >= 0; its derivative at 0 is 0.

    There all gradients so far were 0, and what Adam multiplies the derivative by is 0 as well.
    """
    if type(x) is float:
        return math.sqrt(x)
    return x.sqrt() if hasattr(x, "sqrt") else np.sqrt(x)  # PyTorch's, NumPy's


ROOT = pointwise(
    "tensorlib.root",
    lambda xp, x: xp.sqrt(x),
    lambda x, y: WHERE(GREATER(y, 0.0), DIVIDE(0.5, WHERE(GREATER(y, 0.0), y, 1.0)), 0.0),
    needs=((1,),),
    implements=(root,),
    convention="the derivative at 0 is 0",
    samples=sampled((0.5, 2.0)),
)


def sgd(
    parameters: Any,
    gradient: Any,
    state: Any = None,
    rate: Any = 1e-3,
    momentum: Any = 0.0,
    dampening: Any = 0.0,
    weight_decay: Any = 0.0,
    nesterov: bool = False,
) -> tuple[Any, Any]:
    """Return the parameters and the state after a step against the gradient, as torch.optim.SGD.

    state: the velocity, a pytree as the gradient. Without momentum it stays None.
    """
    gradient = _decayed(gradient, parameters, weight_decay)
    direction = gradient
    if momentum:

        def velocity(g: Any, v: Any) -> Any:
            return g if v is None else momentum * v + (1.0 - dampening) * g

        state = mapped(velocity, gradient, state)
        direction = mapped(lambda g, v: g + momentum * v, gradient, state) if nesterov else state
    return mapped(lambda p, d: p if d is None else p - rate * d, parameters, direction), state


def adam(
    parameters: Any,
    gradient: Any,
    state: Any = None,
    rate: Any = 1e-3,
    betas: Any = (0.9, 0.999),
    eps: Any = 1e-8,
    weight_decay: Any = 0.0,
    decoupled: bool = False,
) -> tuple[Any, Any]:
    """Return the parameters and the state after a step of Adam, as torch.optim.Adam; decoupled: as its AdamW.

    state: {"step": number of steps, "mean": of the gradients, "square": mean of their squares}.
    """
    step = 1 if state is None else state["step"] + 1
    if decoupled:
        parameters = mapped(
            lambda p, g: p if g is None else p * (1.0 - rate * weight_decay), parameters, gradient
        )
    else:
        gradient = _decayed(gradient, parameters, weight_decay)
    old = {"mean": None, "square": None} if state is None else state
    mean = mapped(lambda g, m: _towards(m, g, 1.0 - betas[0]), gradient, old["mean"])
    square = mapped(lambda g, s: _towards_square(s, g, betas[1]), gradient, old["square"])
    size, scale = rate / (1.0 - betas[0] ** step), (1.0 - betas[1] ** step) ** 0.5

    def moved(p: Any, m: Any, s: Any) -> Any:
        return p if m is None else p - size * (m / (root(s) / scale + eps))

    return mapped(moved, parameters, mean, square), {"step": step, "mean": mean, "square": square}


def _towards(m: Any, g: Any, share: Any) -> Any:
    return share * g if m is None else m + share * (g - m)


def _towards_square(s: Any, g: Any, beta: Any) -> Any:
    return (1.0 - beta) * (g * g) if s is None else beta * s + (1.0 - beta) * (g * g)


def _decayed(gradient: Any, parameters: Any, weight_decay: Any) -> Any:
    """Return the gradient with that of weight_decay / 2 times the sum of the parameters' squares."""
    if not weight_decay:
        return gradient
    return mapped(lambda g, p: g + weight_decay * p, gradient, parameters)


def clip_norm(gradient: Any, norm: Any) -> tuple[Any, Any]:
    """Return the gradient, made shorter if its norm is above `norm`, and that norm: all leaves as one vector.

    As torch.nn.utils.clip_grad_norm_.
    """
    total = root(sum([_squares(g) for g in leaves(gradient)]))
    factor = norm / (total + 1e-6)
    return mapped(lambda g: g * factor if factor < 1.0 else g, gradient), total


def _squares(g: Any) -> Any:
    product = g * g
    return product.sum() if hasattr(product, "sum") else product


for _function in (sgd, adam, clip_norm):
    translated_as(_function, _function)
