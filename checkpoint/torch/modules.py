"""PyTorch modules as single steps of programs: `checkpoint.torch.from_module`.

In: a module. Out: a module that computes the same, whose call is one step wherever a program makes it. Its
parameters and buffers are leaves, as those of modules whose `forward` is translated.
"""

from __future__ import annotations

from typing import Any

import torch

from checkpoint.errors import RunError, an
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
        raise RunError(f"checkpoint.torch.from_module takes a module, not {an(type(module).__name__)}")
    return module if isinstance(module, Block) else Block(module)


# In programs


class InProgram:
    """Stands for a block in programs.

    tensors: the parameters, a tuple. statistics: the buffers by their names; None if there are none.
    """

    foreign: Any
    training: Any
    tensors: Any
    statistics: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_one = len(args) == 1 and len(kwargs) == 0 and not isinstance(args[0], (tuple, list, dict))
        given = args[0] if is_one else (packed(args), packed(kwargs))
        state = prim("torch.random-state")
        buffers = () if self.statistics is None else tuple(self.statistics.values())
        found = prim("torch.nn.Module", self.foreign, self.training, state, self.tensors, buffers, given, ())
        if not isinstance(found, tuple):
            return found
        for i in range(len(found[1])):
            self.statistics[found[1][i]] = found[2][i]
        return unpacked(found[0])

    # As a module's, without parts

    @property
    def _modules(self) -> Any:
        return {}

    @property
    def _parameters(self) -> Any:
        names = prim("torch.parameter-names", self.foreign)
        return {names[i]: self.tensors[i] for i in range(len(names))}

    @property
    def _buffers(self) -> Any:
        return {} if self.statistics is None else self.statistics

    def __getattr__(self, name: str) -> Any:
        for held in (self._parameters, self._buffers):
            if name in held:
                return held[name]
        raise AttributeError(f"'Block' object has no attribute '{name}'")

    def parameters(self, recurse: Any = True) -> Any:
        return iter(self.tensors)

    def buffers(self, recurse: Any = True) -> Any:
        return iter(list(self._buffers.values()))

    def named_parameters(self, prefix: Any = "", recurse: Any = True, remove_duplicate: Any = True) -> Any:
        return iter(named(self._parameters, prefix))

    def named_buffers(self, prefix: Any = "", recurse: Any = True, remove_duplicate: Any = True) -> Any:
        return iter(named(self._buffers, prefix))


def named(held: Any, prefix: Any) -> Any:
    """Return the pairs in a dictionary, with a prefix before each name."""
    return [(f"{prefix}.{name}" if prefix else name, x) for name, x in held.items()]


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


for _function in (named, packed, unpacked):
    translated_as(_function, _function)


def _taken(block: Block) -> dict[str, Any]:
    return {
        "foreign": block._foreign,
        "training": block.training,
        "tensors": tuple(block._parameters.values()),
        "statistics": block._buffers or None,
    }


_NEW = vars(torch.nn.Module())
_FRESH = {name: type(x) for name, x in _NEW.items() if isinstance(x, dict | set)}


def _empty(attributes: Any) -> Block:
    made: Block = Block.__new__(Block)
    # What torch.nn.Module.__init__ does, which takes as long as a small block.
    made.__dict__.update(_NEW)
    made.__dict__.update({name: cls() for name, cls in _FRESH.items()})
    return made


def _fill(made: Block, attributes: dict[str, Any]) -> None:
    foreign = attributes["foreign"]
    made._foreign, made.training = foreign, attributes["training"]
    made._parameters.update(zip(foreign.parameters, attributes["tensors"], strict=True))
    made._buffers.update(attributes["statistics"] or {})
    made._non_persistent_buffers_set.update(foreign.not_stored)


stands_for(StandIn(Block, InProgram, _taken, _empty, _fill))
