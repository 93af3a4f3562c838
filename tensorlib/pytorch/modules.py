"""Calls of torch.nn's modules in programs: those of their `forward`, translated as other functions are.

What a module's call does besides is refused where it would do something: hooks. Normalisation by batch
changes the module's statistics in training, so it needs `has_state=True`, as every change of what came in.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

import torch

from checkpoint.ad.library import packages_opened
from checkpoint.prims.arrays import translated_as
from tensorlib.networks.batches import batch_norm, batch_norm_training

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


def translate_all() -> None:
    """Register how modules are called."""
    packages_opened.add("torch.nn.modules")
    translated_as(torch.nn.Module._wrapped_call_impl, called)
    translated_as(torch.nn.modules.batchnorm._BatchNorm.forward, by_batch)
    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        translated_as(getattr(torch.overrides, name), no_subclass)
