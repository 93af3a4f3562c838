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
from checkpoint.prims.arrays import translated_as
from tensorlib.networks.batches import batch_norm, batch_norm_training, instance_norm
from tensorlib.pytorch import recurrent, transformers

_HOOKS = "hooks of a module are not called in a program: call them in its forward"


def called(self: Any, *args: Any, **kwargs: Any) -> Any:
    if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
        raise NotImplementedError(_HOOKS)
    return self.forward(*args, **kwargs)


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
    translated_as(torch.nn.modules.batchnorm._BatchNorm.forward, by_batch)
    translated_as(torch.nn.SyncBatchNorm.forward, by_batch)
    translated_as(torch.nn.modules.instancenorm._InstanceNorm.forward, by_instance)
    translated_as(torch.nn.ParameterList.__getitem__, listed)
    translated_as(torch.nn.ParameterList.__iter__, in_order)
    translated_as(torch.nn.ParameterDict.__getitem__, named)
    translated_as(torch.nn.Unflatten.forward, unflattened)
    recurrent.translate_all()
    transformers.translate_all()
    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        translated_as(getattr(torch.overrides, name), no_subclass)
