"""PyTorch modules as single steps of programs: `checkpoint.torch.from_module`.

In: a module. Out: a module that computes the same, whose call is one step wherever a program makes it. Its
parameters and buffers are leaves, as those of modules whose `forward` is translated.
"""

from __future__ import annotations

from typing import Any

import torch

from checkpoint.errors import RunError
from checkpoint.prims.arrays import StandIn, prim, stands_for, translated_as
from checkpoint.torch.foreign import ForeignModule
from checkpoint.torch.step import DICTIONARY


class Block(torch.nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A module whose call is one step of a program; its parameters and buffers have the module's names."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self._foreign = ForeignModule(module)
        self._parameters.update(module.named_parameters())
        self._buffers.update(module.named_buffers())
        self._non_persistent_buffers_set.update(self._foreign.not_stored)
        self.training = module.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module returns, outside of programs."""
        tensors = (*self._parameters.values(), *self._buffers.values())
        value, buffers = self._foreign.called(self.training, tensors, args, kwargs)
        self._buffers.update(zip(self._buffers, buffers, strict=True))
        return value

    def extra_repr(self) -> str:
        return self._foreign.name

    def train(self, mode: bool = True) -> Block:
        """Set the mode of the module and of all its parts."""
        super().train(mode)
        self._foreign.module.train(mode)
        return self

    def _load_from_state_dict(
        self, state: Any, prefix: str, metadata: Any, strict: bool, missing: Any, unexpected: Any, errors: Any
    ) -> None:
        """Load the tensors; PyTorch takes names with dots for those of parts, and would not expect them."""
        others: list[str] = []
        super()._load_from_state_dict(state, prefix, metadata, strict, missing, others, errors)
        own = {prefix + name for name in (*self._parameters, *self._buffers)}
        unexpected.extend(name for name in others if name not in own)


def from_module(module: torch.nn.Module) -> Block:
    """Return a module that computes what `module` does, whose call is one step of a program.

    It is for modules that cannot be translated: of C++, TorchScript, packages. It belongs wherever a module
    does: in arguments, in other modules, in nn.Sequential. In a program

    - its parameters and buffers are leaves: a gradient by it is a block whose parameters are the gradients;
    - buffers that the module changes, such as running statistics, are changed in the block, once: with
      `has_state=True` the state has them;
    - random numbers, as in dropout, are PyTorch's, drawn once: recomputation and reversal draw them again;
    - PyTorch's autograd records it where the run is taped, and reverses it; what it saves counts as a tape's.
      The module runs as under `torch.enable_grad()` in any case.

    The module has to compute from its tensors, its arguments and random numbers alone. CHECKPOINT_CHECK=1
    runs each call twice and says what else it changes. Reals among its arguments are constants, as they are
    to PyTorch, and so are buffers.

    Examples:
        >>> import torch, checkpoint.torch
        >>> block = checkpoint.torch.from_module(torch.nn.Linear(2, 1))
        >>> gradient = checkpoint.grad(lambda block, x: block(x).sum())(block, torch.ones(3, 2))
        >>> gradient.weight
        tensor([[3., 3.]])
    """
    if not isinstance(module, torch.nn.Module):
        raise RunError(f"checkpoint.torch.from_module takes a module, not a {type(module).__name__}")
    return module if isinstance(module, Block) else Block(module)


# In programs


class InProgram:
    """Stands for a block in programs.

    The parameters, a tuple, and the buffers, by their names, are leaves.
    """

    foreign: Any
    training: Any
    parameters: Any
    buffers: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_one = len(args) == 1 and len(kwargs) == 0 and not isinstance(args[0], (tuple, list, dict))
        given = args[0] if is_one else (packed(args), packed(kwargs))
        state = prim("torch.random-state")
        buffers = tuple(self.buffers.values()) if len(self.buffers) > 0 else ()
        found = prim(
            "torch.nn.Module", self.foreign, self.training, state, self.parameters, buffers, given, ()
        )
        if not isinstance(found, tuple):
            return found
        for i in range(len(found[1])):
            self.buffers[found[1][i]] = found[2][i]
        return unpacked(found[0])


def packed(x: Any) -> Any:
    """Return a nest with its dictionaries packed."""
    if isinstance(x, dict):
        return (DICTIONARY, tuple(x.keys()), tuple([packed(part) for part in x.values()]))
    if isinstance(x, list):
        return [packed(part) for part in x]
    if isinstance(x, tuple):
        return tuple([packed(part) for part in x])
    return x


def unpacked(x: Any) -> Any:
    """Return what `packed`, or a module's result, was made of."""
    if isinstance(x, list):
        return [unpacked(part) for part in x]
    if isinstance(x, tuple):
        if len(x) == 3 and isinstance(x[0], str) and x[0] == DICTIONARY:
            return {x[1][i]: unpacked(x[2][i]) for i in range(len(x[1]))}
        return tuple([unpacked(part) for part in x])
    return x


for _function in (packed, unpacked):
    translated_as(_function, _function)


def _taken(block: Block) -> dict[str, Any]:
    return {
        "foreign": block._foreign,
        "training": block.training,
        "parameters": tuple(block._parameters.values()),
        "buffers": block._buffers,
    }


_NEW = vars(torch.nn.Module())


def _empty(attributes: Any) -> Block:
    made: Block = Block.__new__(Block)
    # What torch.nn.Module.__init__ does, which takes as long as a small block.
    made.__dict__.update({name: type(x)() if isinstance(x, dict | set) else x for name, x in _NEW.items()})
    return made


def _fill(made: Block, attributes: dict[str, Any]) -> None:
    foreign = attributes["foreign"]
    made._foreign, made.training = foreign, attributes["training"]
    made._parameters.update(zip(foreign.parameters, attributes["parameters"], strict=True))
    made._buffers.update(attributes["buffers"])
    made._non_persistent_buffers_set.update(foreign.not_stored)


stands_for(StandIn(Block, InProgram, _taken, _empty, _fill))
