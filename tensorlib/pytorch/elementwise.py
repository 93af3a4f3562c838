"""Functions of tensors element by element, by NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tensorlib.pytorch.making import asarray

_REALS = (float, int)


def beside(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two operands of which one may be Python's number as tensors."""
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        return torch.tensor(x), torch.tensor(y)
    if type(x) in _REALS and y.is_floating_point():
        return y.new_full((), x), y
    if type(y) in _REALS and x.is_floating_point():
        return x, x.new_full((), y)
    if not isinstance(x, torch.Tensor):
        x = _number(x)
        x = torch.tensor(x, dtype=torch.result_type(y, x), device=y.device)
    elif not isinstance(y, torch.Tensor):
        y = _number(y)
        y = torch.tensor(y, dtype=torch.result_type(x, y), device=x.device)
    return x, y


def _number(x: Any) -> Any:
    """Return one number as Python's."""
    return x.item() if hasattr(x, "item") else x


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(x: Any, y: Any, out: Any = None, casting: str = "") -> Any:
        if not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            x, y = beside(x, y)
        return function(x, y) if out is None else function(x, y, out=out)

    return applied


add, subtract, multiply, divide = map(_binary, (torch.add, torch.sub, torch.mul, torch.true_divide))
true_divide = divide
power, remainder, floor_divide = map(_binary, (torch.pow, torch.remainder, torch.floor_divide))
maximum, minimum, fmax, fmin = map(_binary, (torch.maximum, torch.minimum, torch.fmax, torch.fmin))
arctan2, hypot, copysign, logaddexp = map(
    _binary, (torch.arctan2, torch.hypot, torch.copysign, torch.logaddexp)
)
equal, not_equal, less, less_equal = map(_binary, (torch.eq, torch.ne, torch.lt, torch.le))
greater, greater_equal = map(_binary, (torch.gt, torch.ge))
logical_and, logical_or, logical_xor = map(_binary, (torch.logical_and, torch.logical_or, torch.logical_xor))
float_power, fmod, heaviside, matmul = map(
    _binary, (torch.float_power, torch.fmod, torch.heaviside, torch.matmul)
)
bitwise_and, bitwise_or, bitwise_xor = map(_binary, (torch.bitwise_and, torch.bitwise_or, torch.bitwise_xor))
left_shift, right_shift = map(_binary, (torch.bitwise_left_shift, torch.bitwise_right_shift))


def _positions(x: Any, index: Any) -> Any:
    """Return the places, in the row of all elements of a tensor, of those that an index names."""
    return torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]


def _add_at(x: Any, index: Any, values: Any) -> None:
    """Add to the elements that an index names, as often as it names them, in its order."""
    places = _positions(x, index)
    given = torch.broadcast_to(asarray(values, x.dtype).to(x.device), places.shape)
    whole = x if x.is_contiguous() else x.contiguous()
    whole.view(-1).index_add_(0, places.reshape(-1), given.reshape(-1))
    if whole is not x:
        x.copy_(whole)


def _subtract_at(x: Any, index: Any, values: Any) -> None:
    _add_at(x, index, -asarray(values))


add.at, subtract.at = _add_at, _subtract_at  # type: ignore[attr-defined]


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(x: Any) -> Any:
        return function(x if isinstance(x, torch.Tensor) else torch.tensor(x))

    return applied


sin, cos, tan = map(_unary, (torch.sin, torch.cos, torch.tan))
exp, expm1, log, log1p, log2, log10 = map(
    _unary, (torch.exp, torch.expm1, torch.log, torch.log1p, torch.log2, torch.log10)
)
sqrt, isfinite, isnan, logical_not = map(_unary, (torch.sqrt, torch.isfinite, torch.isnan, torch.logical_not))
negative = _unary(torch.neg)


_OF_RECORDS = ("sin", "cos", "tan", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "negative")
BUILTINS = {
    **{f"np.{name}": getattr(torch, name) for name in _OF_RECORDS},
    **{name: getattr(torch, name) for name in ("sum", "mean", "broadcast_to")},
}


def real(x: Any) -> Any:
    """Return the real parts; a tensor of reals itself."""
    if not isinstance(x, torch.Tensor):
        return x.real
    return torch.real(x) if x.is_complex() else x


def conj(x: Any) -> Any:
    """Return the complex conjugates, computed; a tensor of reals itself."""
    return torch.conj_physical(x) if x.is_complex() else x


conjugate = conj
invert = _unary(torch.bitwise_not)


def iscomplexobj(x: Any) -> bool:
    return bool(asarray(x).is_complex())


def isrealobj(x: Any) -> bool:
    return not iscomplexobj(x)


def isscalar(x: Any) -> bool:
    return not isinstance(x, torch.Tensor)


def angle(x: Any, deg: bool = False) -> Any:
    return torch.rad2deg(torch.angle(x)) if deg else torch.angle(x)


def imag(x: Any) -> Any:
    """Return the imaginary parts; zeros for reals."""
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def where(condition: Any, x: Any, y: Any) -> Any:
    if not isinstance(condition, torch.Tensor):
        condition = torch.tensor(condition)
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        x = torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None)  # as precise as the number
    return torch.where(condition, x, y)


def round(x: Any, decimals: int = 0) -> Any:
    return torch.round(x, decimals=decimals)


def clip(x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    found = x if a_min is None else maximum(x, a_min)
    return found if a_max is None else minimum(found, a_max)


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return torch.isclose(*beside(x, y), rtol, atol, equal_nan)


def allclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(isclose(x, y, rtol, atol, equal_nan).all())


def rint(x: Any) -> Any:
    return torch.round(x)
