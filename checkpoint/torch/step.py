"""The step of a program that calls a foreign module: its record.

    (torch.nn.Module module training state parameters buffers arguments tangents)
    (torch.parameter-names module)

module: a Native of a ForeignModule, or of an Along, which is derived along a path
(checkpoint.torch.derivatives). arguments: (args, kwargs), or a single tensor. The value is the module's where
it is a tensor and no buffer has changed, else (y, the names of the buffers that have changed, these buffers);
along a path, the tuple of the tangents of the numbers in it. A dictionary is packed: a mark, keys, items.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from checkpoint import config
from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.opaque import constants
from checkpoint.ad.operands import leaves
from checkpoint.ad.tensors import record_of
from checkpoint.ad.values import Unusable
from checkpoint.errors import RunError
from checkpoint.prims.arrays import tensor
from checkpoint.torch import derivatives, graphs
from checkpoint.torch.derivatives import Along, Operands, numbers_in
from checkpoint.torch.foreign import ForeignModule, Outcome, check, not_sharing, tensors_in

DICTIONARY = "checkpoint.torch: a dictionary"  # stands before the keys and items of one


constants.add(ForeignModule)
DIFFERENTIATED = (derivatives.PARAMETERS, derivatives.ARGUMENTS, derivatives.TANGENTS)


def _operands(module: Any, *others: Any) -> Operands:
    """Return the native operands of a step, with the arguments opened."""
    along = Along(module) if type(module) is ForeignModule else module
    training, state, parameters, buffers, arguments, tangents = others
    return Operands(along, training, state, parameters, buffers, _opened(arguments), tangents)


def _value(
    xp: Any,
    module: Any,
    training: Any,
    state: Any,
    parameters: Any,
    buffers: Any,
    arguments: Any,
    tangents: Any,
) -> Any:
    operands = _operands(module, training, state, parameters, buffers, arguments, tangents)
    if operands.along.path:
        return tuple(derivatives.tangents(operands))
    return _left(operands, graphs.left_by(operands))


def _saves(xp: Any, wanted: tuple[int, ...], *given: Any, lists: bool = True) -> tuple[Any, tuple[Any, ...]]:
    """Return the value, and the graph of the call with the tensors that it keeps, if it lists them."""
    operands = _operands(*given)
    if operands.along.path:
        return _value(xp, *given), ()
    outcome, graph = graphs.recorded(operands, lists)
    return _left(operands, outcome), () if graph is None else (graph, tuple(graph.saved))


def _left(operands: Operands, outcome: Outcome) -> Any:
    """Return what a call has left as the value of the step."""
    foreign = operands.along.module
    if config.current().check:
        check(foreign, outcome, lambda: graphs.left_by(operands, is_first=False))
    value = _apart(operands, outcome)
    if not outcome.changed and isinstance(value, torch.Tensor):
        return value
    return _closed(value, foreign.name), outcome.changed, outcome.buffers


def _apart(operands: Operands, outcome: Outcome) -> Any:
    """Return a module's result, in which no tensor shows elements of another that a program may change.

    But for a single tensor that is the only argument: the run knows views of it (`views`, below).
    """
    arguments, held = operands.arguments, (*operands.parameters, *operands.buffers, *outcome.buffers)
    if isinstance(arguments, torch.Tensor):
        return not_sharing(outcome.value, held, arguments)
    return not_sharing(outcome.value, (*held, *tensors_in(arguments)))


def _pull(xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: Any, *operands: Any) -> list[Any]:
    cotangent = list(numbers_in(g))
    if saved:
        found: list[Any] = saved[0].cotangents(wanted, cotangent)
        return found
    return derivatives.cotangents(_operands(*operands), wanted, cotangent)


def _tangent(position: int, t: Any, y: Any, *operands: Any) -> Any:
    """Return the tangents of the numbers that a call leaves, for that of one of its operands."""
    module, *others, tangents = operands
    along = module.value
    foreign, path = (along, ()) if type(along) is ForeignModule else along
    further = Record(TUPLE, (*tangents.items, t))
    found = record_of(MODULE, [Native(Along(foreign, (*path, position))), *others, further])
    return tuple(leaves(found))


def _opened(nest: Any) -> Any:
    """Return what a packed nest was made of (checkpoint.torch.modules)."""
    if isinstance(nest, tuple):
        if len(nest) == 3 and nest[0] == DICTIONARY:
            return dict(zip(nest[1], map(_opened, nest[2]), strict=True))
        return tuple(map(_opened, nest))
    if isinstance(nest, list):
        return list(map(_opened, nest))
    if type(nest) is Unusable:
        raise nest.error()
    return nest


def _closed(nest: Any, name: str) -> Any:
    """Return a module's result with dictionaries packed; RunError for what no program can take."""
    if isinstance(nest, dict):
        return DICTIONARY, tuple(nest), tuple([_closed(part, name) for part in nest.values()])
    if isinstance(nest, (tuple, list)):
        parts = [_closed(part, name) for part in nest]
        return parts if isinstance(nest, list) else tuple(parts)
    if nest is None or type(nest) in (torch.Tensor, float, int, bool, str):
        return nest
    raise RunError(
        f"{name} returns a {type(nest).__module__}.{type(nest).__qualname__}, which no program can take: "
        f"return tensors in tuples, lists and dictionaries"
    )


MODULE = tensor(
    "torch.nn.Module",
    _value,
    pull=_pull,
    saves=_saves,
    saves_uncounted=partial(_saves, lists=False),
    jvps=tuple([partial(_tangent, i) if i in DIFFERENTIATED else None for i in range(7)]),
    needs=(tuple(range(7)),) * 7,
    views=True,
    shape="as the module has it",
    samples=lambda rng: [],  # every module is another function: tests/pytorch/test_from_module.py
)
NAMES = tensor(
    "torch.parameter-names",
    lambda xp, module: module.parameters,
    vjps=(None,),
    jvps=(None,),
    shape="a tuple of names",
    samples=None,
)
