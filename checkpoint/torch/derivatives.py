"""Derivatives of foreign modules, of every order, by PyTorch's autograd.

In: the operands of a call (checkpoint.torch.foreign), as tensors without a history. Out: the cotangents of
some of them, or the tangent of what the call leaves. The module runs again for each; nothing is kept between
(checkpoint.torch.graphs keeps what autograd records, for first derivatives).

A function is derived along operands, one after the other: a *path* of their positions, () for the module
itself. Along a path p, q it is the derivative, along operand q, of the function along p; `tangents` are their
directions. A tangent is the derivative of a cotangent by the cotangent that it is made of, so all that is
needed of a module is that autograd can differentiate its gradients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from checkpoint.errors import RunError
from checkpoint.torch.foreign import Call, ForeignModule, tensors_in, with_tensors

PARAMETERS, ARGUMENTS, TANGENTS = 3, 5, 6  # the positions of operands that are differentiated; no buffers


class Along(NamedTuple):
    """A module with the path along which it is derived."""

    module: ForeignModule
    path: tuple[int, ...] = ()

    def __hash__(self) -> int:
        return hash((id(self.module), self.path))


class Operands(NamedTuple):
    """The operands of a step: a module derived along a path, at a call's operands, and the directions.

    arguments: (args, kwargs), or a single one.
    tangents: for each position of the path, the tangent of that operand.
    """

    along: Along
    training: bool
    state: Any
    parameters: Any
    buffers: Any
    arguments: Any
    tangents: Any

    @property
    def call(self) -> Call:
        given = self.arguments
        args, kwargs = given if isinstance(given, tuple) else ((given,), {})
        return Call(self.training, self.state, self.parameters, self.buffers, args, kwargs)

    def recorded(self, positions: Sequence[int]) -> Operands:
        """Return the operands with those that are differentiated as leaves which autograd records."""
        return Operands(*[with_tensors(x, _leaf) if i in positions else x for i, x in enumerate(self)])

    def lower(self) -> Operands:
        """Return those of the function whose derivative this is, at the same tensors."""
        module, path = self.along
        return self._replace(along=Along(module, path[:-1]), tangents=self.tangents[:-1])


def numbers_in(nest: Any) -> Iterator[Any]:
    """Yield the reals and the tensors of reals or complex numbers in a nest, in their order."""
    if isinstance(nest, torch.Tensor):
        if _is_number(nest):
            yield nest
    elif type(nest) is float:
        yield nest
    elif isinstance(nest, dict):
        for part in nest.values():
            yield from numbers_in(part)
    elif isinstance(nest, (tuple, list)):
        for part in nest:
            yield from numbers_in(part)


def cotangents(operands: Operands, wanted: Sequence[int], cotangent: Sequence[Any]) -> list[Any]:
    """Return the cotangents of the operands at the positions `wanted`, for that of what the call leaves.

    cotangent: of each of its numbers, in their order.
    """
    path = operands.along.path
    by = operands.recorded((*wanted, *_differentiated(path)))
    with _Naming(operands.along.module), torch.enable_grad():
        if path and not _has_real_direction(by.tangents[-1]):
            results, cotangent = _paired(by, cotangent)
        else:
            results = values(by)
    return cotangents_of(by, wanted, results, cotangent)


def _paired(by: Operands, cotangent: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the product of a tangent J t and its cotangent v as (J* v) t, and the cotangent of that, 1.

    It takes one derivative of the module less than J t does: PyTorch's own third ones are not all right.
    """
    lower = by.lower()
    found = [(y, _conjugated(v)) for y, v in zip(values(lower), cotangent, strict=True) if _is_recorded(y)]
    leaves, directions = _along(lower, by)
    made = _gradients([y for y, _ in found], leaves, [v for _, v in found], create_graph=True)
    pairs = [(g, t) for g, t in zip(made, directions, strict=True) if g is not None]
    _check_derivable([g for g, _ in pairs])
    products = [(g.conj() * t).real.sum() if g.is_complex() else (g * t).sum() for g, t in pairs]
    if not products:
        return [], []
    whole = sum(products[1:], start=products[0])
    return [whole], [torch.ones_like(whole)]


def _along(lower: Operands, operands: Operands) -> tuple[list[Any], list[Any]]:
    """Return the numbers of the operand along which a function is derived last, and their directions."""
    leaves = [x for x in tensors_in(lower[operands.along.path[-1]]) if _is_number(x)]
    return leaves, [t for t in tensors_in(operands.tangents[-1]) if _is_number(t)]


def cotangents_of(
    by: Operands,
    wanted: Sequence[int],
    results: Sequence[Any],
    cotangent: Sequence[Any],
    retain_graph: bool = False,
) -> list[Any]:
    """Return the cotangents of recorded operands, for those of what has been computed of them."""
    found = [(y, _conjugated(g)) for y, g in zip(results, cotangent, strict=True) if _is_recorded(y)]
    gs = [g for _, g in found]
    leaves = [x for i in wanted for x in tensors_in(by[i]) if x.requires_grad]
    with _Naming(by.along.module):
        made = _gradients([y for y, _ in found], leaves, gs, retain_graph)
    new = map(_conjugated, _apart(made, gs))
    return [_cotangent_like(by[i], new) for i in wanted]


def _conjugated(cotangent: Any) -> Any:
    """Return a cotangent of a run as one of PyTorch's, or back: complex ones are conjugated."""
    is_complex = isinstance(cotangent, torch.Tensor) and cotangent.is_complex()
    return cotangent.conj().resolve_conj() if is_complex else cotangent


def values(operands: Operands) -> list[Any]:
    """Return the numbers that a call leaves, or their tangents along the last position of the path."""
    module, path = operands.along
    if not path:
        outcome = module.outcome(operands.call)
        for name, x in zip(outcome.changed, outcome.buffers, strict=True):
            if x.requires_grad:
                raise RunError(
                    f"{module.name} computes its buffer {name} so that autograd records it, and buffers are "
                    f"constants: compute it of x.detach(), or under torch.no_grad()"
                )
        return list(numbers_in((outcome.value, outcome.buffers)))
    lower = operands.lower()
    found = values(lower)
    if _has_real_direction(operands.tangents[-1]):
        return [y * math.nan for y in found]
    recorded = [y for y in found if _is_recorded(y)]
    duals = [torch.zeros_like(y, requires_grad=True) for y in recorded]
    leaves, directions = _along(lower, operands)
    made = _gradients(recorded, leaves, duals, create_graph=True)
    pairs = [(g, t) for g, t in zip(made, directions, strict=True) if g is not None and g.requires_grad]
    _check_derivable([g for g, _ in pairs])
    made = _gradients([g for g, _ in pairs], duals, [t for _, t in pairs], create_graph=True)
    tangents = dict(zip(map(id, recorded), made, strict=True))
    return [_or_zero(tangents.get(id(y)), y) for y in found]


def _has_real_direction(tangent: Any) -> bool:
    """Return whether a tangent of a call's arguments has reals that are not zero."""
    return any(type(t) is float and t != 0.0 for t in numbers_in(tangent))


def tangents(operands: Operands) -> list[Any]:
    """Return `values` without a history."""
    with _Naming(operands.along.module), torch.enable_grad():
        found = values(operands.recorded(_differentiated(operands.along.path)))
    return [y.detach() if isinstance(y, torch.Tensor) else y for y in found]


def _differentiated(path: tuple[int, ...]) -> tuple[int, ...]:
    """Return the positions of the operands by which autograd differentiates on the way along a path."""
    return (*path, TANGENTS) if path else ()


def _leaf(x: Any) -> Any:
    """Return a tensor as a leaf of a graph; PyTorch counts its changes apart, as the run undoes its own."""
    return x.data.requires_grad_() if _is_number(x) and not x.is_inference() else x


def _is_number(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


def _is_recorded(y: Any) -> bool:
    return isinstance(y, torch.Tensor) and y.requires_grad


def _gradients(
    ys: list[Any], leaves: list[Any], gs: list[Any], retain_graph: bool = False, create_graph: bool = False
) -> list[Any]:
    if not ys or not leaves:
        return [None] * len(leaves)
    retain_graph |= create_graph
    return list(torch.autograd.grad(ys, leaves, gs, retain_graph, create_graph, allow_unused=True))


def _check_derivable(gradients: list[Any]) -> None:
    """Raise RuntimeError where PyTorch has put an error in the place of a gradient's derivative."""
    pending = [g.grad_fn for g in gradients]
    seen = set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node.name().rpartition("::")[2] == "Error":
            raise RuntimeError("a gradient of it is once_differentiable")
        pending.extend([each for each, _ in node.next_functions])


def _or_zero(tangent: Any, y: Any) -> Any:
    if tangent is not None:
        return tangent
    return torch.zeros_like(y) if isinstance(y, torch.Tensor) else 0.0


def _apart(made: list[Any], gs: Sequence[Any]) -> Iterator[Any]:
    """Yield the cotangents, such that no two share elements, and a view marks those which a cotangent has."""
    given = {g.untyped_storage().data_ptr() for g in gs}
    seen: set[int] = set()
    for x in made:
        if x is None:
            yield None
            continue
        at = x.untyped_storage().data_ptr()
        yield x.clone() if at in seen else x.view_as(x) if at in given else x
        seen.add(at)


def _cotangent_like(operand: Any, new: Iterator[Any]) -> Any:
    """Return the cotangent of an operand in its structure.

    By reals that a program passes, which autograd takes for constants, the derivative is not known.
    """
    if isinstance(operand, torch.Tensor):
        if not operand.requires_grad:
            return None
        found = next(new)
        return torch.zeros_like(operand, requires_grad=False) if found is None else found
    if isinstance(operand, dict):  # on a tape: a mark, its keys, its items
        keys = (None,) * len(operand)
        return None, keys, tuple([_cotangent_like(part, new) for part in operand.values()])
    if isinstance(operand, (tuple, list)):
        return tuple([_cotangent_like(part, new) for part in operand])
    return math.nan if type(operand) is float else None


class _Naming:
    """A context in which autograd's refusals of a derivative name the module."""

    __slots__ = ("module",)

    def __init__(self, module: ForeignModule) -> None:
        self.module = module

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, (NotImplementedError, RuntimeError)) or isinstance(error, RunError):
            return
        if any(each in str(error) for each in _REFUSALS):
            raise RunError(
                f"PyTorch has no derivative of {self.module.name} here, or none of its gradient, which a "
                f"derivative of a derivative needs: {error}"
            ) from error


_REFUSALS = ("once_differentiable", "differentiate twice", "is not implemented", "does not support")
