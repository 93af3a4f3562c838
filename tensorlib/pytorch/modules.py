"""Calls of torch.nn's modules in programs: those of their `forward`, translated as other functions are.

What a module's call does besides is refused where it would do something: hooks. Normalisation by batch
changes the module's statistics in training, so it needs `has_state=True`, as every change of what came in.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from checkpoint.ad.library import packages_opened
from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as
from tensorlib.networks.batches import batch_norm, batch_norm_training, instance_norm
from tensorlib.pytorch import recurrent, transformers
from tensorlib.rules import discrete

_AS_ONE_STEP = "make the module one step: checkpoint.torch.from_module(module)"
_HOOKS = f"hooks of a module are not called in a program: call them in its forward, or {_AS_ONE_STEP}"


def called(self: Any, *args: Any, **kwargs: Any) -> Any:
    if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
        raise refusal(_HOOKS)
    return self.forward(*args, **kwargs)


def without_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Raise what a module without a forward of Python's raises: one that was not defined, or is compiled."""
    name = type(self).__name__
    raise NotImplementedError(
        f"{name} has no forward in Python: pass the module that it was made of, or {_AS_ONE_STEP}"
    )


def on_one_device(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what nn.DataParallel.forward does, without copies of the module."""
    return self.module(*args, **kwargs)


def first_of_each(tensors: Any) -> tuple[int, ...]:
    """Return the positions of tensors none of which is one before it, all its elements in the same places."""
    found: dict[Any, int] = {}
    for i, x in enumerate(tensors):
        found.setdefault((x.untyped_storage()._cdata, x.storage_offset(), x.shape, x.stride(), x.dtype), i)
    return tuple(found.values())


FIRST_OF_EACH = discrete(
    "torch.first-of-each",
    lambda xp, tensors: first_of_each(tensors),
    implements=(first_of_each,),
    shape="a tuple of positions",
    samples=None,
)


def within(module: Any, place: Any) -> Any:
    """Return a module and all within it, with their names, one of two names under both."""
    found = [(place, module)]
    for name, child in module._modules.items():
        if child is not None:
            found.extend(within(child, place + "." + name if place else name))
    return found


def named_members(
    self: Any, get_members_fn: Any, prefix: Any = "", recurse: Any = True, remove_duplicate: Any = True
) -> Any:
    """Return what nn.Module._named_members does, without sets of tensors and modules."""
    found = []
    for place, module in within(self, prefix) if recurse else [(prefix, self)]:
        dot = "." if place else ""
        for name, each in get_members_fn(module):
            if each is not None:
                found.append((place + dot + name, each))
    if remove_duplicate:
        found = [found[i] for i in first_of_each([each for _, each in found])]
    return iter(found)


def by_batch(self: Any, input: Any) -> Any:
    self._check_input_dim(input)
    mean, var, eps = self.running_mean, self.running_var, self.eps
    if mean is not None and not self.training:
        return batch_norm(input, mean, var, self.weight, self.bias, eps=eps)
    if mean is None:
        return batch_norm(input, None, None, self.weight, self.bias, training=True, eps=eps)
    count = self.num_batches_tracked + 1
    momentum = self.momentum
    if momentum is None:
        momentum = 1.0 / count.item()
    y, mean, var = batch_norm_training(input, mean, var, self.weight, self.bias, momentum=momentum, eps=eps)
    self._buffers["num_batches_tracked"] = count
    self._buffers["running_mean"] = mean
    self._buffers["running_var"] = var
    return y


def no_subclass(*tensors: Any) -> Any:
    return False


def unlogged(event: Any) -> None:
    """Do nothing: PyTorch counts how it is used."""


def by_instance(self: Any, input: Any) -> Any:
    """Return what nn.InstanceNorm1d.forward and its kin do, with the statistics that a run leaves."""
    self._check_input_dim(input)
    axis = len(input.shape) - self._get_no_batch_dim()
    if input.shape[axis] != self.num_features and self.affine:
        raise ValueError(f"expected {self.num_features} channels, not {input.shape[axis]}")
    x = input[None] if axis == 0 else input
    mean, var = self.running_mean, self.running_var
    if mean is None or not self.training:
        is_own = self.training or mean is None
        y = instance_norm(x, mean, var, self.weight, self.bias, is_own, 0.0, self.eps)
        return y[0] if axis == 0 else y
    mean, var = np.copy(mean), np.copy(var)
    y = instance_norm(x, mean, var, self.weight, self.bias, True, self.momentum, self.eps)
    self._buffers["running_mean"] = mean
    self._buffers["running_var"] = var
    return y[0] if axis == 0 else y


def unflattened(self: Any, input: Any) -> Any:
    """Return what nn.Unflatten.forward does."""
    axis = self.dim % len(input.shape)
    return np.reshape(input, (*input.shape[:axis], *self.unflattened_size, *input.shape[axis + 1 :]))


def listed(self: Any, index: Any) -> Any:
    """Return a parameter of an nn.ParameterList."""
    return self._parameters[str(index if index >= 0 else index + self._size)]


def in_order(self: Any) -> Any:
    return iter([self._parameters[str(i)] for i in range(self._size)])


def named(self: Any, key: Any) -> Any:
    """Return a parameter of an nn.ParameterDict."""
    return self._parameters[key]


def translate_all() -> None:
    """Register how modules are called."""
    packages_opened.add("torch.nn.modules")
    translated_as(torch.nn.Module._wrapped_call_impl, called)
    translated_as(torch.nn.modules.module._forward_unimplemented, without_forward)
    translated_as(torch.nn.DataParallel.forward, on_one_device)
    translated_as(torch.nn.Module._named_members, named_members)
    translated_as(within, within)
    translated_as(torch.nn.modules.batchnorm._BatchNorm.forward, by_batch)
    translated_as(torch.nn.SyncBatchNorm.forward, by_batch)
    translated_as(torch.nn.modules.instancenorm._InstanceNorm.forward, by_instance)
    translated_as(torch.nn.ParameterList.__getitem__, listed)
    translated_as(torch.nn.ParameterList.__iter__, in_order)
    translated_as(torch.nn.ParameterDict.__getitem__, named)
    translated_as(torch.nn.Unflatten.forward, unflattened)
    translated_as(torch._C._log_api_usage_once, unlogged)
    recurrent.translate_all()
    transformers.translate_all()
    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        translated_as(getattr(torch.overrides, name), no_subclass)
