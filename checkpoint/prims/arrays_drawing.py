"""PyTorch's random numbers as a state: what is drawn from them is drawn from an operand.

    (torch.random-state)        the state of PyTorch's generators, as it was when the step was first executed

So what draws can be recomputed: a step that has the state as an operand draws from it (`drawing_from`). Its
first execution leaves the generators where it has moved them, as PyTorch does; any further one leaves them as
they were. A run keeps the states of all its steps, 5 KB each. Imported where PyTorch is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from checkpoint.ad.arrays import Discrete, Memory
from checkpoint.ad.record import Effect, Purity, register
from checkpoint.ad.storage import CONSTANT
from checkpoint.driver.effects import Effects


def state_of_generators() -> Any:
    """Return the state of PyTorch's random numbers, as bytes of a tensor: the CPU's, and those of GPUs."""
    found = [torch.default_generator.get_state()]
    if _HAS_CUDA and torch.cuda.is_initialized():
        found += torch.cuda.get_rng_state_all()
    return found[0] if len(found) == 1 else torch.cat(found)


def are_equal(state: Any, other: Any) -> bool:
    """Return whether two states are equal, which torch.equal takes twice as long to say."""
    return state is other or state.numpy().tobytes() == other.numpy().tobytes()


def set_generators(state: Any) -> None:
    """Put the generators into a state that `state_of_generators` has returned."""
    size = torch.default_generator.get_state().numel()
    torch.default_generator.set_state(state[:size])
    for device, part in enumerate(state[size:].split(_CUDA_BYTES) if len(state) > size else ()):
        torch.cuda.set_rng_state(part.clone(), device)


_CUDA_BYTES = 16
_HAS_CUDA = torch.cuda.is_available()


@contextmanager
def drawing_from(state: Any, is_first: bool = False) -> Iterator[None]:
    """Let random numbers be drawn from a state, and put the generators back.

    is_first: whether the generators stay where they have been moved to if they were in that state.
    """
    before = state_of_generators()
    if is_first and are_equal(before, state):
        yield
        return
    set_generators(state)
    try:
        yield
    finally:
        set_generators(before)


def _random_state(effects: Effects, step: int) -> Discrete:
    return Discrete(effects.state(step, _asked), Memory(CONSTANT))


def _asked(last: Any) -> Any:
    found = state_of_generators()
    return last if last is not None and are_equal(last, found) else found


register(
    Effect(
        name="torch.random-state",
        arity=0,
        purity=Purity.EFFECT,
        doc="the state of PyTorch's random numbers, as it was when the step was first executed",
        value=_random_state,
        copies=False,
    )
)
