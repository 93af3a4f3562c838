"""PyTorch's settings on which results depend: what they are, what a run leaves as it was.

A table has for each its name for messages, how it is read and set, and its usual values. Settings of CUDA are
read only where there is CUDA. The precision of float32 is read as PyTorch's newer interface has it, since its
older one fails once the newer one was used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch

_CUDA = torch.cuda.is_available()
DEVICES = ("cpu", "cuda") if _CUDA else ("cpu",)


class Setting(NamedTuple):
    """A setting: its name, functions that read and set it, its usual values.

    usual: None if results do not depend on it, but for the order of additions within a kernel.
    """

    name: str
    read: Callable[[], Any]
    set: Callable[[Any], Any]
    usual: tuple[Any, ...] | None


_NOT_DETERMINISTIC, _DETERMINISTIC = "off", "on"


def _deterministic() -> str:
    if not torch.are_deterministic_algorithms_enabled():
        return _NOT_DETERMINISTIC
    return "with warnings" if torch.is_deterministic_algorithms_warn_only_enabled() else _DETERMINISTIC


def _set_deterministic(setting: str) -> None:
    warnings = setting not in (_DETERMINISTIC, _NOT_DETERMINISTIC)
    torch.use_deterministic_algorithms(setting != _NOT_DETERMINISTIC, warn_only=warnings)


def _autocast(device: str) -> Setting:
    def read() -> Any:
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None

    def write(dtype: Any) -> None:
        if dtype is not None:
            torch.set_autocast_dtype(device, dtype)
        torch.set_autocast_enabled(device, dtype is not None)

    return Setting(f"autocast on {device}", read, write, (None,))


def _attribute(name: str, owner: Any, attribute: str, *usual: Any) -> Setting:
    return Setting(
        name, lambda: getattr(owner, attribute), lambda value: setattr(owner, attribute, value), usual
    )


def _precision(name: str, owner: Any, *usual: Any) -> Setting:
    """Return the setting of a precision; it is read where the attribute of PyTorch's object reads it."""
    setting = _attribute(name, owner, "fp32_precision", *usual)
    getter = getattr(torch._C, "_get_fp32_precision_getter", None)  # __getattr__ takes five times as long
    if getter is None or not {"backend", "op"} <= vars(owner).keys():
        return setting
    return setting._replace(read=partial(getter, owner.backend, owner.op))


def _precisions() -> tuple[Setting, ...]:
    """Return the settings of products and convolutions of float32."""
    backends = torch.backends
    if not hasattr(backends.cuda.matmul, "fp32_precision"):  # PyTorch before 2.9
        read, write = torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
        return (Setting("precision of float32 products", read, write, ("highest",)),)
    exact = "none", "ieee"
    return (
        _precision("precision of float32 products on the CPU", backends.mkldnn.matmul, *exact),
        _precision("precision of float32 convolutions on the CPU", backends.mkldnn.conv, *exact),
        *(
            (
                _precision("precision of float32 products on CUDA", backends.cuda.matmul, *exact),
                _precision("precision of float32 convolutions on CUDA", backends.cudnn.conv, "tf32"),
            )
            if _CUDA
            else ()
        ),
    )


_OF_CUDNN = (
    _attribute("cuDNN's benchmarks", torch.backends.cudnn, "benchmark", False),
    _attribute("cuDNN's deterministic kernels", torch.backends.cudnn, "deterministic", False),
)
SETTINGS = (
    Setting("default dtype", torch.get_default_dtype, torch.set_default_dtype, (torch.float32,)),
    Setting("deterministic algorithms", _deterministic, _set_deterministic, (_NOT_DETERMINISTIC,)),
    Setting("number of threads", torch.get_num_threads, torch.set_num_threads, None),
    Setting("grad mode", torch.is_grad_enabled, torch.set_grad_enabled, None),
    *_precisions(),
    *map(_autocast, DEVICES),
    *(_OF_CUDNN if _CUDA else ()),
)


def unusual() -> tuple[str, ...]:
    """Return the settings on which results depend and that are not the usual ones, in words."""
    found = []
    for name, read, _, usual in SETTINGS:
        value = None if usual is None else read()
        if usual is not None and value not in usual:
            found.append(f"PyTorch's {name} {value}")
    return tuple(found)


_READERS = tuple([setting.read for setting in SETTINGS])


def remembered() -> Callable[[], None]:
    """Return a function that puts all settings back to what they are now."""
    before = [read() for read in _READERS]

    def restore() -> None:
        if [read() for read in _READERS] == before:
            return
        for setting, value in zip(SETTINGS, before, strict=True):
            if setting.read() != value:
                setting.set(value)

    return restore
