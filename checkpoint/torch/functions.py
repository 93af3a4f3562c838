"""Programs as functions of PyTorch's: `checkpoint.torch.function`.

In: a function that checkpoint can differentiate. Out: one whose results autograd records as one node, which
keeps what the budget allows and recomputes the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar, overload

import torch

from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.state import State
from checkpoint.api.schedules import named_schedule
from checkpoint.driver.memory import Memory as Bound
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, an
from checkpoint.torch.recorded import Recorded, is_tensor

P = ParamSpec("P")
T = TypeVar("T")


@overload
def function(
    f: Callable[P, T],
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Bound = None,
    has_state: Literal[False] = False,
) -> Callable[P, T]: ...


@overload
def function(
    f: Callable[P, T],
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Bound = None,
    has_state: Literal[True],
) -> Callable[P, tuple[T, State]]: ...


def function(
    f: Callable[..., Any],
    *,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Bound = None,
    has_state: bool = False,
) -> Callable[..., Any]:
    """Return f as a function that PyTorch's autograd records: its gradient is computed by checkpointing.

    It belongs anywhere in a PyTorch model, and trains with torch.optim. Every tensor that requires gradients
    receives one, be it in a nest of arguments, in an object, or read by f from its surroundings; all others
    are constants. The tensors of the result are recorded; numbers in it are constants, as `x.item()` is in
    PyTorch. Derivatives of every order (`create_graph=True`) go through it. Where nothing requires gradients,
    or under `torch.no_grad()`, f is run and nothing is kept.

    What the forward pass keeps, within `memory`, is freed by the backward pass, unless PyTorch retains the
    graph (`retain_graph`, `create_graph`): then each backward pass costs a reversal, as a call of
    `checkpoint.pullback`. PyTorch refuses it where one of these tensors was changed in place since. Settings
    such as autocast are, in the backward pass, those of the forward pass.

    Args:
        f: a function of any positional and keyword arguments, each a pytree.
        engine: as in `checkpoint.vjp`.
        schedule: as in `checkpoint.vjp`.
        memory: as in `checkpoint.vjp`.
        has_state: as in `checkpoint.vjp`; the result is then the pair of f's result and the State, whose
            tensors are recorded, too. `load_state_dict` of a module takes them without what is recorded.

    Examples:
        >>> import torch, checkpoint.torch
        >>> def smooth(layers, x):
        ...     for w in layers:
        ...         x = torch.tanh(x * w)
        ...     return x.sum()
        >>> layers = [torch.full((2,), 0.5, requires_grad=True) for _ in range(3)]
        >>> loss = checkpoint.torch.function(smooth, memory="64MiB")(layers, torch.ones(2)) ** 2
        >>> loss.backward()
        >>> layers[0].grad
        tensor([0.0832, 0.0832])
    """
    if not callable(f):
        raise RunError(f"checkpoint.torch.function takes a function, not {an(type(f).__name__)}")
    chosen = named_schedule(schedule, memory)

    @functools.wraps(f)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        made = Recorded(f, args, kwargs, engine, chosen, has_state)
        if not (made.inputs and torch.is_grad_enabled()):
            return made.call.value()
        waiting = made.waiting()
        y = made.value(waiting)
        found = numbers(y)
        tensors = [number.data for number in found if is_tensor(number)]
        outputs = iter(_Forward.apply(made, waiting, tensors, *made.inputs))
        left = replace(y, found, [Array(next(outputs), Memory()) if is_tensor(x) else x for x in found])
        return made.call.leave(left)

    return recorded


class _Forward(torch.autograd.Function):  # type: ignore[misc]  # types of PyTorch are not read
    """The value of a call that has run; its derivative is the reversal of level 0."""

    @staticmethod
    def forward(ctx: Any, made: Recorded, waiting: Any, outputs: list[Any], *inputs: Any) -> Any:
        ctx.made, ctx.waiting = made, waiting
        ctx.save_for_backward(*inputs)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *v: Any) -> Any:
        u = ctx.saved_tensors
        waiting, ctx.waiting = ctx.waiting, None
        if torch.is_grad_enabled():  # for a derivative of the derivative
            found = _Reversal.apply(ctx.made, waiting, 0, len(u), *u, *v)[len(v) :]
        else:
            found = _reversed(ctx.made, waiting, 0, u, v)[1]
        if waiting is not None and not waiting.is_over:
            ctx.waiting = waiting
        return None, None, None, *found


def _retains_graph() -> bool:
    """Return whether there may be another backward pass after the present one, as far as PyTorch tells."""
    told = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", None)
    return told is not None and bool(told())


def _reversed(made: Recorded, waiting: Any, level: int, u: Any, v: Any) -> tuple[list[Any], list[Any]]:
    """Return what `Recorded.reversal` does, from a run that waits at its end if there is one."""
    if waiting is None:
        return made.reversal(level, u, v)
    return made.finished(waiting, v, is_last=not _retains_graph())


class _Reversal(torch.autograd.Function):  # type: ignore[misc]  # as above
    """The reversal of a level; its derivative is that of the next one (checkpoint.torch.recorded)."""

    @staticmethod
    def forward(ctx: Any, made: Recorded, waiting: Any, level: int, count: int, *tensors: Any) -> Any:
        ctx.made, ctx.level, ctx.count = made, level, count
        ctx.save_for_backward(*tensors)
        y, found = _reversed(made, waiting, level, tensors[:count], tensors[count:])
        return tuple([x.clone() for x in (*y, *found)])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        count = ctx.count
        u, v = ctx.saved_tensors[:count], ctx.saved_tensors[count:]
        a, w = cotangents[: len(v)], cotangents[len(v) :]
        given = (*u, *w), (*a, *v)
        if torch.is_grad_enabled():
            found = _Reversal.apply(ctx.made, None, ctx.level + 1, 2 * count, *given[0], *given[1])
        else:
            y, parts = ctx.made.reversal(ctx.level + 1, *given)
            found = (*y, *parts)
        of_v, of_u = found[len(v) : 2 * len(v)], found[2 * len(v) :][:count]
        return None, None, None, None, *of_u, *of_v
