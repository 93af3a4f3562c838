"""PyTorch modules as functions of tensors: what one step of a program does that calls a foreign module.

In: a module, whose text no program reads (C++, TorchScript, a package), and the tensors to use in place of
its parameters and buffers. Out: its results, and the buffers that it has changed. The module's own tensors
stay as they are, and so do those that come in.

A call depends on its operands alone, so that it can be recomputed: on the tensors, on the modes of the
submodules, and on the state of PyTorch's random numbers, which is an operand too. The first call with a state
leaves the generators where it has moved them, as PyTorch does; any further one leaves them as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import torch

from checkpoint.errors import RunError
from checkpoint.prims.arrays_drawing import are_equal, drawing_from, set_generators, state_of_generators

Tensors = list[Any]


class Call(NamedTuple):
    """The operands of a call.

    training: the mode. state: that of the random numbers.
    parameters, buffers: the tensors in place of the module's. args, kwargs: its arguments.
    """

    training: bool
    state: Any
    parameters: Sequence[Any]
    buffers: Sequence[Any]
    args: Sequence[Any]
    kwargs: dict[str, Any]


class Outcome(NamedTuple):
    """Holds what a call has left.

    value: its result. changed, buffers: the names of the buffers that it has changed, and these.
    """

    value: Any
    changed: tuple[str, ...]
    buffers: tuple[Any, ...]


class ForeignModule:
    """A module as a constant of programs.

    module: the module. name: its class's, for messages.
    parameters, buffers: the names of its tensors, in their order.
    not_stored: the names of the buffers that are in no state_dict.
    draws: whether a call of it has drawn random numbers.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.name = getattr(module, "original_name", type(module).__name__)
        parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
        self.parameters, self.buffers = tuple(parameters), tuple(buffers)
        stored = module.state_dict(keep_vars=True)
        self.not_stored = tuple([name for name in buffers if name not in stored])
        slots = _slots(module, [*parameters.values(), *buffers.values()])
        self._gets, self._puts = [get for get, _ in slots], [put for _, put in slots]
        self._changing: dict[bool, frozenset[str]] = {}  # by the mode: the buffers that calls have changed
        self.draws = False
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return ForeignModule, (self.module,)

    def __deepcopy__(self, memo: Any) -> ForeignModule:
        return self

    def __repr__(self) -> str:
        return f"<foreign module {self.name}>"

    def called(
        self, training: bool, tensors: Sequence[Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, list[Any]]:
        """Return the result of a call with these tensors in the module, and the buffers that it leaves."""
        with self._lock:
            own = [get() for get in self._gets]
            self._put(tensors)
            try:
                if self.module.training is not training:
                    self.module.train(training)
                value = self.module(*args, **kwargs)
                return value, [get() for get in self._gets[len(self.parameters) :]]
            finally:
                self._put(own)

    def _put(self, tensors: Sequence[Any]) -> None:
        for put, x in zip(self._puts, tensors, strict=True):
            put(x)

    def outcome(self, call: Call, is_first: bool = False) -> Outcome:
        """Return what a call leaves.

        is_first: whether it may be the first one with this state of the random numbers.
        """
        changing = self._changing.get(call.training) if self.buffers else _NONE
        buffers = list(zip(self.buffers, call.buffers, strict=True))
        copies = [x.clone() if changing is None or name in changing else x for name, x in buffers]
        watched = [x for x, y in zip(call.buffers, copies, strict=True) if x is y]
        watched += [*call.parameters, *tensors_in(call.args), *tensors_in(call.kwargs)]
        versions = _versions(watched)
        tensors = (*call.parameters, *copies)
        if self.draws:
            with drawing_from(call.state, is_first):
                value, after = self.called(call.training, tensors, call.args, call.kwargs)
        else:
            before = state_of_generators()
            value, after = self.called(call.training, tensors, call.args, call.kwargs)
            if not are_equal(before, state_of_generators()):
                self.draws = True
                set_generators(before)
                return self.outcome(call, is_first)
        if _versions(watched) != versions:
            self._refuse(call, watched, versions)
        if changing is None:
            changing = self._changing[call.training] = self._changed(call.buffers, after)
        new = [(name, y) for name, y in zip(self.buffers, after, strict=True) if name in changing]
        return Outcome(value, tuple([name for name, _ in new]), tuple([y for _, y in new]))

    def _changed(self, before: Sequence[Any], after: Sequence[Any]) -> frozenset[str]:
        """Return the names of the buffers that the first call has changed, and of those beside them.

        PyTorch's kernels of normalisation change running statistics without counting a version.
        """
        pairs = zip(self.buffers, before, after, strict=True)
        parts = {_part_of(name) for name, x, y in pairs if not _equal(x, y)}
        return frozenset(name for name in self.buffers if _part_of(name) in parts)

    def _refuse(self, call: Call, watched: Sequence[Any], versions: Sequence[int]) -> None:
        """Raise RunError for the first of the watched tensors that a call has changed, and must not."""
        tensors = zip((*self.parameters, *self.buffers), (*call.parameters, *call.buffers), strict=True)
        names = {id(x): name for name, x in tensors}
        pairs = zip(watched, versions, _versions(watched), strict=True)
        name = next(names.get(id(x)) for x, before, after in pairs if before != after)
        if name in self.buffers:
            self._changing.clear()
            raise RunError(
                f"{self.name} has changed its buffer {name}, which its first call had left alone: begin "
                f"the run anew"
            )
        what = "an argument" if name is None else f"its parameter {name}"
        raise RunError(
            f"{self.name} changes {what} in place, and what came before needs its elements: let it work "
            f"on a copy, as modules do without inplace=True"
        )


def check(module: ForeignModule, outcome: Outcome, run: Callable[[], Outcome]) -> None:
    """Run a call again; RunError where it leaves something else, or has changed an attribute."""
    before = _attributes(module.module)
    again = run()
    left, left_again = (list(tensors_in((each.value, each.buffers))) for each in (outcome, again))
    if len(left) != len(left_again) or not all(map(_equal, left, left_again)):
        raise RunError(
            f"{module.name} gives another result when it runs again with the same tensors and random "
            f"numbers: it depends on something else, or its kernels are not deterministic"
        )
    after = _attributes(module.module)
    names = (*before, *(after.keys() - before.keys()))
    changed = next((name for name in names if before.get(name) != after.get(name)), None)
    if changed is not None:
        raise RunError(
            f"{module.name} changes its attribute {changed} in a call, which may happen more than once: "
            f"make it a buffer"
        )


def _attributes(module: Any) -> dict[str, Any]:
    """Return the plain attributes of all parts of a module by their names; of tensors the version."""
    found: dict[str, Any] = {}
    for prefix, part in module.named_modules():
        for name, value in vars(part).items():
            key = f"{prefix}.{name}" if prefix else name
            if isinstance(value, bool | int | float | str):
                found[key] = value
            elif isinstance(value, torch.Tensor):
                found[key] = (id(value), value._version)
            elif isinstance(value, list | dict) and not name.startswith("_"):
                found[key] = repr(value) if isinstance(value, list) else tuple(value)
    return found


def _versions(tensors: Sequence[Any]) -> list[int]:
    """Return for each tensor a number that changes with its elements, where PyTorch counts their changes."""
    try:
        return list(map(_VERSION, tensors))
    except RuntimeError:  # one was made in inference mode, and has none
        return [-1 if x.is_inference() else x._version for x in tensors]


_VERSION = attrgetter("_version")


_NONE: frozenset[str] = frozenset()


def _equal(x: Any, y: Any) -> bool:
    """Return whether two tensors are equal, all NaNs being so."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if torch.equal(x, y):
        return True
    return bool(x.is_floating_point() and torch.allclose(x, y, rtol=0.0, atol=0.0, equal_nan=True))


def _part_of(name: str) -> str:
    return name.rpartition(".")[0]


def _slots(module: Any, tensors: list[Any]) -> list[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """Return for each tensor what gets it from a module and what puts another one at all its places."""
    places: dict[int, list[tuple[Any, str]]] = {id(x): [] for x in tensors}
    for part in module.modules():
        for name, x in (*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)):
            places[id(x)].append((part, name))
    return [_slot(places[id(x)]) for x in tensors]


def _slot(places: list[tuple[Any, str]]) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    found = [_place(*place) for place in places]
    if len(found) == 1:
        return found[0]

    def put(x: Any) -> None:
        for _, each in found:
            each(x)

    return found[0][0], put


def _place(part: Any, name: str) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    if isinstance(part, torch.jit.ScriptModule):
        return partial(getattr, part, name), partial(setattr, part, name)
    held = part._parameters if name in part._parameters else part._buffers
    return partial(held.__getitem__, name), partial(held.__setitem__, name)


# Nests of tensors


def tensors_in(nest: Any) -> Iterator[Any]:
    """Yield the tensors in tuples, lists and dictionaries."""
    if type(nest) is torch.Tensor:
        yield nest
    elif isinstance(nest, (tuple, list)):
        for part in nest:
            yield from tensors_in(part)
    elif isinstance(nest, dict):
        for part in nest.values():
            yield from tensors_in(part)


_TENSOR = frozenset((torch.Tensor,))


def with_tensors(nest: Any, replace: Callable[[Any], Any]) -> Any:
    """Return a nest with its tensors replaced."""
    if type(nest) is torch.Tensor:
        return replace(nest)
    if type(nest) is tuple and _TENSOR.issuperset(map(type, nest)):  # the usual case
        return tuple(map(replace, nest))
    if isinstance(nest, dict):
        return {key: with_tensors(part, replace) for key, part in nest.items()}
    if isinstance(nest, tuple | list):
        parts = [with_tensors(part, replace) for part in nest]
        return parts if type(nest) is list else tuple(parts)
    return nest


def not_sharing(nest: Any, held: Sequence[Any], shown: Any = None) -> Any:
    """Return a nest with copies of the tensors that show elements of those that are held, or of one another.

    shown: a tensor whose elements they may show.
    """
    known = {x.untyped_storage().data_ptr() for x in held}
    free = 0 if shown is None else _storage(shown)

    def own(x: Any) -> Any:
        at = _storage(x)
        if at in known and at not in (0, free):
            return x.clone()
        known.add(at)
        return x

    return with_tensors(nest, own)


def _storage(x: Any) -> int:
    """Return the address of a tensor's elements; 0 if it has none."""
    address: int = x.untyped_storage().data_ptr()
    return address
