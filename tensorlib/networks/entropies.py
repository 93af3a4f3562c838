"""The cross entropy of probabilities of two classes: a record, since its logarithms are bounded."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY, SUBTRACT
from tensorlib.layout.moving import call
from tensorlib.networks.composed import along
from tensorlib.networks.losses import check_reduction
from tensorlib.rules import real_only, unbroadcast

_LEAST, _TINY = -100.0, 1e-12  # of a logarithm; of the denominator of the derivative, as in PyTorch


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Return the mean of -(target log(input) + (1 - target) log(1 - input)), with logarithms from -100 on.

    weight: of the losses.
    """
    xp = namespace((input, target))
    return BINARY_CROSS_ENTROPY.value(xp, input, target, weight, reduction)


def _value(xp: Any, input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    real_only("binary_cross_entropy", input, target)
    check_reduction("binary_cross_entropy", reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"binary_cross_entropy: the target has shape {tuple(target.shape)}, not that of the input, "
            f"{tuple(input.shape)}"
        )
    if not xp.all((input >= 0.0) & (input <= 1.0)):
        raise ValueError("binary_cross_entropy takes probabilities, from 0 to 1")
    own = kernel(xp, "binary_cross_entropy")
    if own is not None:
        return own(input, target, weight, reduction)
    yes, no = _logarithms(xp, input)
    losses = (target - 1.0) * no - target * yes
    losses = losses if weight is None else losses * weight
    return losses if reduction == "none" else getattr(xp, reduction)(losses)


def _logarithms(xp: Any, input: Any) -> tuple[Any, Any]:
    """Return the bounded logarithms of input and of 1 - input."""
    some, less = input > 0.0, input < 1.0
    yes = xp.where(some, xp.log(xp.where(some, input, 1.0)), _LEAST)
    no = xp.where(less, xp.log1p(-xp.where(less, input, 0.0)), _LEAST)
    return xp.maximum(yes, _LEAST), xp.maximum(no, _LEAST)


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: tuple[Any, ...],
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: Any = "mean",
) -> list[Any]:
    count = input.size if isinstance(input.size, int) else input.numel()
    share = g / max(count, 1) if reduction == "mean" else g
    own = kernel(xp, "binary_cross_entropy_vjp")
    found = []
    for position in wanted:
        if position == 0 and own is not None:
            found.append(own(g, input, target, weight, reduction))
        elif position == 0:
            slope = (input - target) / xp.maximum((1.0 - input) * input, _TINY)
            found.append(share * slope if weight is None else share * slope * weight)
        else:
            yes, no = _logarithms(xp, input)
            if position == 1:
                found.append(share * (no - yes) if weight is None else share * (no - yes) * weight)
            else:
                found.append(unbroadcast(xp, share * ((target - 1.0) * no - target * yes), weight))
    return found


def _now(input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    yes, no = call("np.log", input), call("np.log1p", MULTIPLY(input, -1.0))
    losses = MULTIPLY(ADD(MULTIPLY(target, yes), MULTIPLY(SUBTRACT(1.0, target), no)), -1.0)
    losses = losses if weight is None else MULTIPLY(losses, weight)
    return losses if reduction == "none" else call(f"np.{reduction}", losses)


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    def draw(*shape: int) -> Any:
        return rng.uniform(0.1, 0.9, size=shape)

    return [
        (draw(2, 3), draw(2, 3)),
        (draw(4), draw(4), draw(4), "sum"),
        (draw(2, 3), draw(2, 3), draw(3), "none"),
        (draw(3).astype("f4"), draw(3).astype("f4")),
    ]


BINARY_CROSS_ENTROPY = tensor(
    "tensorlib.binary_cross_entropy",
    _value,
    pull=_pull,
    jvps=along(_now, 0, 1, 2, count=4),
    needs=((0, 1, 2), (0, 2), (0, 1, 2), ()),
    implements=(binary_cross_entropy,),
    shape="a number, or that of both",
    convention="bounded at 0 and 1, as PyTorch's",
    samples=_samples,
)
