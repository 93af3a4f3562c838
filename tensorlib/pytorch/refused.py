"""What of PyTorch no program may use, with what to write instead: hidden random numbers, its own derivatives.

In: nothing. Out: `refuse_all` registers them. And the records that do not work on PyTorch's tensors, most of
which use functions that PyTorch does not have: what always holds is that every other record gives on tensors
what it gives on NumPy's arrays, value and cotangents (tests/pytorch/test_records.py).
"""

from __future__ import annotations

import types
from typing import Any

import torch

from checkpoint.prims.arrays import refused
from tensorlib.pytorch.library import TORCH

_SEED = (
    "seed PyTorch's generator outside of the function, around the call; what is drawn inside comes from it"
)
_DERIVE = "this package takes derivatives: call checkpoint.grad(f)(x), inside of a function, too"
_MANY = "call checkpoint.vmap(f)(x), inside of a function, too"
_RULE = "make what the hook does to the cotangent a function with a rule of its own, checkpoint.primitive"
_CONSTANT = "say what is constant, x.detach()"
_MODE = "set it outside of the function, around the call"
_ARGUMENTS = "leave it out: the arguments that argnums names are differentiated"
_COMPILED = "call the function as it is: it is compiled with the program"
_UPDATE = (
    "take the gradient, checkpoint.value_and_grad(loss)(model, x), and make the step outside of it; or use "
    "tensorlib.training, whose steps are differentiated"
)
_DENSE = "only dense tensors of numbers are differentiated"
_TRANSFORMS = "grad grad_and_value hessian jacfwd jacrev jvp linearize vjp"
_OF_AUTOGRAD = "hessian hvp jacobian jvp vhp vjp"

_FUNCTIONS = {
    "manual_seed": _SEED,
    "seed": _SEED,
    "Generator": _SEED,
    "autograd.grad": _DERIVE,
    "autograd.backward": _DERIVE,
    **dict.fromkeys((f"func.{name}" for name in _TRANSFORMS.split()), _DERIVE),
    **dict.fromkeys((f"autograd.functional.{name}" for name in _OF_AUTOGRAD.split()), _DERIVE),
    "func.vmap": _MANY,
    "no_grad": _CONSTANT,
    "enable_grad": _ARGUMENTS,
    "inference_mode": _CONSTANT,
    "set_grad_enabled": _ARGUMENTS,
    "is_grad_enabled": _ARGUMENTS,
    "autocast": _MODE,
    "set_default_dtype": _MODE,
    "set_num_threads": _MODE,
    "use_deterministic_algorithms": _MODE,
    "quantize_per_tensor": _DENSE,
    "compile": _COMPILED,
    "jit.script": _COMPILED,
    "jit.trace": _COMPILED,
    "utils.checkpoint.checkpoint": "leave it out: what is kept is decided here, memory=...",
}
_IN_PLACE = (
    "add_ sub_ mul_ div_ pow_ neg_ abs_ exp_ sqrt_ relu_ clamp_ zero_ fill_ copy_ "
    "normal_ uniform_ bernoulli_ exponential_ random_"
)
_METHODS = {
    **dict.fromkeys(_IN_PLACE.split(), "give the tensor a name, y = ..., and change that, y.mul_(x)"),
    "backward": _DERIVE,
    "grad": "the gradient is what checkpoint.grad(f)(x) returns",
    "requires_grad": _ARGUMENTS,
    "requires_grad_": _ARGUMENTS,
    "retain_grad": "return the tensor, too: has_aux=True",
    "grad_fn": "nothing is recorded by PyTorch here",
    "is_leaf": "nothing is recorded by PyTorch here",
    "data": "use x.detach()",
    "numpy": "NumPy's functions take tensors, np.sin(x); or convert it, tensorlib.to(x, np.float64)",
    "register_hook": _RULE,
    "register_post_accumulate_grad_hook": _RULE,
    "to_sparse": _DENSE,
    "apply_": "use functions of whole tensors",
    "map_": "use functions of whole tensors",
    "share_memory_": _MODE,
}


def refuse_all() -> None:
    """Register all that is refused."""
    for path, instead in _FUNCTIONS.items():
        thing = torch
        for part in path.split("."):
            thing = getattr(thing, part)
        refused(thing, f"torch.{path}", instead)
    for each in vars(torch._TorchCompileInductorWrapper).values():
        if isinstance(each, types.FunctionType):
            refused(each, "what torch.compile returns", "pass what it was made of: module._orig_mod")
    for optimizer in _optimizers():
        for each in (optimizer, optimizer.step, optimizer.zero_grad):
            refused(each, f"torch.optim.{optimizer.__name__}", _UPDATE)
    TORCH.instead.update(_METHODS)


def _optimizers() -> list[Any]:
    base = torch.optim.Optimizer
    return [each for each in vars(torch.optim).values() if isinstance(each, type) and issubclass(each, base)]


# Records without PyTorch's tensors

# fmt: off
LACKING = frozenset((
    "array.setflags", "array.sort", "array.transpose", "list->tensor", "maxall", "minall", "normal",
    "np.add.reduceat", "np.append", "np.argpartition", "np.array2string", "np.array_equal",
    "np.array_repr", "np.array_str", "np.average", "np.bitwise_and.reduce", "np.bitwise_count",
    "np.bitwise_or.reduce", "np.bitwise_xor.reduce", "np.block", "np.bool", "np.cbrt", "np.choose",
    "np.compress", "np.convolve", "np.correlate", "np.cross", "np.delete", "np.digitize", "np.extract",
    "np.fabs", "np.fft.fftn", "np.fft.fftshift", "np.fft.ifftn", "np.fft.ifftshift", "np.fft.irfftn",
    "np.fft.rfftn", "np.fill_diagonal", "np.flatnonzero", "np.float32", "np.float64", "np.gcd",
    "np.gcd.reduce", "np.gradient", "np.insert", "np.int16", "np.int32", "np.int64", "np.int8",
    "np.interp", "np.iscomplex", "np.isin", "np.ix_", "np.lcm", "np.lcm.reduce", "np.ldexp", "np.lexsort",
    "np.lib.stride_tricks.sliding_window_view", "np.linalg.cholesky", "np.linalg.cross",
    "np.linalg.eigvalsh", "np.linalg.lstsq", "np.linalg.outer", "np.linalg.pinv", "np.linalg.svd",
    "np.linalg.trace", "np.linspace", "np.logaddexp.reduce", "np.logical_xor.reduce", "np.logspace",
    "np.maximum.at", "np.median", "np.minimum.at", "np.nan_to_num", "np.nanargmax", "np.nanargmin",
    "np.nanmax", "np.nanmin", "np.pad", "np.partition", "np.percentile", "np.place", "np.ptp", "np.put",
    "np.put_along_axis", "np.putmask", "np.quantile", "np.resize", "np.result_type", "np.rollaxis",
    "np.searchsorted", "np.select", "np.sort", "np.spacing", "np.trapezoid", "np.uint32", "np.uint64",
    "np.uint8", "np.unique", "np.vdot", "pad", "real/tensor", "resize", "tensorlib.as-array",
    "tensorlib.basis", "tensorlib.complex", "tensorlib.counted", "tensorlib.draw", "tensorlib.draw-moved",
    "tensorlib.draw-standard", "tensorlib.dtype-for", "tensorlib.extreme-shares", "tensorlib.logsumexp",
    "tensorlib.masked", "tensorlib.powers-of-two", "tensorlib.prod_where", "tensorlib.random.exponential",
    "tensorlib.random.normal", "tensorlib.random.uniform", "tensorlib.segment_max", "tensorlib.segment_min",
    "tensorlib.segment_prod", "tensorlib.sum_where",
))
# fmt: on
