"""What of PyTorch no program may use, with what to write instead: hidden random numbers, its own derivatives.

In: nothing. Out: `refuse_all` registers them.
"""

from __future__ import annotations

import types
from typing import Any

import torch

from checkpoint.prims.arrays import refused
from tensorlib.pytorch import activations
from tensorlib.pytorch.library import TORCH

_DRAW = (
    "draw outside of the function, and pass the numbers; or draw them from an explicit key, "
    "to(tensorlib.random.normal(key, shape), torch.float32), with tensorlib.to"
)
_MASK = (
    "leave it out, model.eval(); or multiply by a mask that is drawn outside of the function, and passed; or "
    "drop by an explicit key, tensorlib.networks.dropout(x, p, key)"
)
_DERIVE = "this package takes derivatives: call checkpoint.grad(f)(x), inside of a function, too"
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

_DRAWING = (
    "rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal poisson "
    "manual_seed seed Generator"
)
_DROPOUT = "gumbel_softmax fractional_max_pool2d fractional_max_pool3d"
_FUNCTIONS = {
    "autograd.grad": _DERIVE,
    "autograd.backward": _DERIVE,
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
_IN_PLACE = "add_ sub_ mul_ div_ pow_ neg_ abs_ exp_ sqrt_ relu_ clamp_ zero_ fill_ copy_"
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
    "device": (
        "make tensors beside it, torch.zeros_like(x) or x.new_zeros(shape); or read it outside of the "
        "function, and pass str(x.device)"
    ),
    "numpy": "NumPy's functions take tensors, np.sin(x); or convert it, tensorlib.to(x, np.float64)",
    "register_hook": _RULE,
    "register_post_accumulate_grad_hook": _RULE,
    "to_sparse": _DENSE,
    "apply_": "use functions of whole tensors",
    "map_": "use functions of whole tensors",
    "share_memory_": _MODE,
    **dict.fromkeys(
        ("bernoulli", "multinomial", "bernoulli_", "normal_", "uniform_", "random_", "exponential_"), _DRAW
    ),
}


def refuse_all() -> None:
    """Register all that is refused."""
    for name in _DRAWING.split():
        shown = f"torch.{name}, whose numbers come from a hidden state,"
        refused(getattr(torch, name), shown, _DRAW)
    for name in _DROPOUT.split():
        shown = f"torch.nn.functional.{name}, whose numbers come from a hidden state,"
        refused(getattr(torch.nn.functional, name), shown, _MASK)
    for name, drawn in activations.DRAWING.items():
        refused(drawn, f"torch.nn.functional.{name}, whose numbers come from a hidden state,", _MASK)
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
