"""PyTorch's own operators, as one record: those for which no record says how they are differentiated.

In: an operator, the names of its keywords, and its arguments, the keywords' last. Out: what it returns.
PyTorch's autograd computes its derivatives, of every order, from its operands: the operator is applied again
for them, and nothing is kept in between. What always holds: an operator is a pure function. Its schema says
so: it changes no operand and draws no random numbers. What it returns may show elements of its operands.
"""

from __future__ import annotations

import functools
import math
import types
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from checkpoint.ad.arrays import Native
from checkpoint.ad.opaque import LibraryOperator
from checkpoint.ad.operands import leaves
from checkpoint.ad.tensors import record_of
from checkpoint.errors import RunError
from checkpoint.prims.arrays import tensor

# Which functions are operators

_MADE_OF_OPERATORS = (  # functions and methods of PyTorch's that are written in Python
    *[getattr(torch, name) for name in torch.functional.__all__],
    *[getattr(torch.Tensor, name) for name in ("norm", "split", "unique", "stft", "istft", "unflatten")],
)
_SPACES = (torch, torch.linalg, torch.fft, torch.special, torch.nn.functional, torch._C._nn)
_FUNCTIONS = frozenset(
    each for space in _SPACES for each in vars(space).values() if isinstance(each, types.BuiltinFunctionType)
)
_KINDS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)
_UNDEFINED = ("empty", "empty_like", "empty_strided", "new_empty")  # whose elements are whatever was there


def operator_of(value: Any) -> LibraryOperator | None:
    """Return a function or method of PyTorch's as an operator; None for what is not known to be pure."""
    return _operator_of(value) if isinstance(value, _KINDS) else None  # other objects may have no hash


@functools.cache
def _operator_of(function: Any) -> LibraryOperator | None:
    name = function.__name__
    is_method = getattr(function, "__objclass__", None) is torch._C.TensorBase
    if function in _MADE_OF_OPERATORS or ((is_method or function in _FUNCTIONS) and _is_pure(name)):
        return LibraryOperator(function, f"torch.{name}")
    return None


def _is_pure(name: str) -> bool:
    """Return whether the schemas of an operator of a name say that it only computes its results."""
    packet = getattr(torch.ops.aten, name, None)
    if packet is None or not hasattr(packet, "overloads") or name in _UNDEFINED or name.endswith("_"):
        return False
    overloads = [getattr(packet, each) for each in packet.overloads()]
    # Those that return nothing sort a list of Python's.
    found = [each for each in overloads if each._schema.returns]
    return not any(_changes(each) or torch.Tag.nondeterministic_seeded in each.tags for each in found)


def _changes(overload: Any) -> bool:
    """Return whether an overload changes what is passed, other than by `out=`."""
    arguments = [each for each in overload._schema.arguments if not each.is_out]
    return any(each.alias_info is not None and each.alias_info.is_write for each in arguments)


# The record

NUMBER_OF_OTHERS = 2  # operands before the arguments: the operator, and the names of keywords


def _value(xp: Any, operator: Any, names: tuple[str, ...], *arguments: Any) -> Any:
    with torch.no_grad():
        return _closed(_applied(operator.function, names, arguments), operator)


def _applied(function: Callable[..., Any], names: Sequence[str], arguments: Sequence[Any]) -> Any:
    """Return the result of a function for arguments, of which the last ones have names."""
    count = len(arguments) - len(names)
    return function(*arguments[:count], **dict(zip(names, arguments[count:], strict=True)))


def _closed(y: Any, operator: Any) -> Any:
    """Return what an operator returns as a value of a program."""
    if isinstance(y, torch.Tensor):
        return y.detach().resolve_conj().resolve_neg()
    if isinstance(y, tuple | list):
        parts = [_closed(part, operator) for part in y]
        if isinstance(y, list):
            return parts
        return tuple(parts) if type(y) is tuple else _with_names(type(y))(*parts)
    if y is None or type(y) in (float, int, bool):
        return y
    raise RunError(f"{operator} returns a {type(y).__qualname__}, which no program can take")


@functools.cache
def _with_names(cls: Any) -> Any:
    """Return the named tuple with the fields of one of torch.return_types, which are no named tuples."""
    return namedtuple(cls.__name__.rpartition(".")[2], cls.__match_args__)


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: Any,
    operator: Any,
    names: tuple[str, ...],
    *arguments: Any,
) -> list[Any]:
    """Return the cotangents of the wanted operands, in the language's convention for complex numbers."""
    positions = [i - NUMBER_OF_OTHERS for i in wanted]
    try:
        return _pulled(positions, g, operator, names, arguments, _recorded)
    except TypeError:  # PyTorch takes numbers alone there, and has no derivatives by them
        return _pulled(positions, g, operator, names, arguments, _recorded_tensors)


def _pulled(
    positions: list[int],
    g: Any,
    operator: Any,
    names: tuple[str, ...],
    arguments: Sequence[Any],
    recorded: Callable[[Any], Any],
) -> list[Any]:
    with torch.enable_grad():
        operands = [recorded(x) if i in positions else x for i, x in enumerate(arguments)]
        results = _numbers(_applied(operator.function, names, operands))
        pairs = [(r, _conjugated(c)) for r, c in zip(results, _cotangents(g), strict=True) if r.requires_grad]
        inputs = [x for i in positions for x in _numbers(operands[i])]
        known = [x for x in inputs if x.requires_grad]
        found = _gradients([r for r, _ in pairs], known, [_like(c, r) for r, c in pairs])
    by_input = dict(zip(map(id, known), _apart(found, [*_tensors(g), *_tensors(arguments)]), strict=True))
    new = iter([by_input.get(id(x), _UNKNOWN) for x in inputs])
    return [_cotangent_like(arguments[i], new) for i in positions]


def _tangent(tangent: Any, y: Any, operator: Any, names: Any, *arguments: Any, position: int) -> Any:
    """Return the tangents of the numbers that an operator returns, for that of one of its operands."""
    place = position - NUMBER_OF_OTHERS
    along = LibraryOperator(Along(operator.value.function, place), f"the derivative of {operator.value}")
    found = record_of(OPERATOR, [Native(along), names, tangent, *arguments])
    return tuple(leaves(found))


@dataclass(frozen=True)
class Along:
    """The derivative of a function along one of its operands: a function of the tangent, and all operands.

    A tangent is the derivative of a cotangent by the cotangent that it is made of.
    """

    function: Callable[..., Any]
    position: int

    def __call__(self, tangent: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        try:
            return self._tangents(tangent, args, kwargs, _recorded)
        except TypeError:  # as in `_pull`
            return self._tangents(tangent, args, kwargs, _recorded_tensors)

    def _tangents(
        self, tangent: Any, args: Any, kwargs: Any, recorded: Callable[[Any], Any]
    ) -> tuple[Any, ...]:
        with torch.enable_grad():
            operands = [*args, *kwargs.values()]
            operands[self.position] = recorded(operands[self.position])
            results = _numbers(_applied(self.function, tuple(kwargs), operands))
            reached = [r for r in results if r.requires_grad]
            duals = [torch.zeros_like(r, requires_grad=True) for r in reached]
            inputs, directions = _numbers(operands[self.position]), _numbers(tangent)
            if any(t.any() and not x.requires_grad for x, t in zip(inputs, directions, strict=True)):
                return tuple([torch.full_like(r, _UNKNOWN) for r in results])
            known = [(x, t) for x, t in zip(inputs, directions, strict=True) if x.requires_grad]
            made = _gradients(reached, [x for x, _ in known], duals, create_graph=True)
            pairs = [
                (g, t) for g, (_, t) in zip(made, known, strict=True) if g is not None and g.requires_grad
            ]
            found = _gradients([g for g, _ in pairs], duals, [t for _, t in pairs], create_graph=True)
        tangents = dict(zip(map(id, reached), found, strict=True))
        return tuple([_or_zero(tangents.get(id(r)), r) for r in results])


def _or_zero(tangent: Any, y: Any) -> Any:
    return torch.zeros_like(y) if tangent is None else tangent


def _gradients(ys: list[Any], inputs: list[Any], gs: list[Any], create_graph: bool = False) -> list[Any]:
    if not ys or not inputs:
        return [None] * len(inputs)
    return list(torch.autograd.grad(ys, inputs, gs, create_graph=create_graph, allow_unused=True))


def _recorded(x: Any) -> Any:
    """Return an operand whose numbers autograd records; a real becomes a tensor without axes."""
    if type(x) is float:
        return torch.tensor(x, dtype=torch.float64, requires_grad=True)
    return type(x)(map(_recorded, x)) if type(x) in (tuple, list) else _recorded_tensors(x)


def _recorded_tensors(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        is_new = _is_number(x) and not x.requires_grad
        return x.detach().requires_grad_() if is_new else x
    return type(x)(map(_recorded_tensors, x)) if type(x) in (tuple, list) else x


def _numbers(nest: Any) -> list[Any]:
    """Return the tensors of reals or complex numbers in a nest, in their order, and its reals as tensors."""
    if isinstance(nest, torch.Tensor):
        return [nest] if _is_number(nest) else []
    if type(nest) is float:
        return [torch.tensor(nest, dtype=torch.float64)]
    return [x for part in nest for x in _numbers(part)] if isinstance(nest, tuple | list) else []


def _tensors(nest: Any) -> Iterator[Any]:
    if isinstance(nest, torch.Tensor):
        yield nest
    elif isinstance(nest, tuple | list):
        for part in nest:
            yield from _tensors(part)


def _cotangents(g: Any) -> list[Any]:
    """Return the cotangents of a result's numbers, in their order."""
    if isinstance(g, tuple | list):
        return [x for part in g for x in _cotangents(part)]
    is_number = type(g) is float or (isinstance(g, torch.Tensor) and _is_number(g))
    return [g] if is_number else []


def _is_number(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


_UNKNOWN = math.nan  # the derivative by a number that PyTorch takes for a constant


def _like(g: Any, y: Any) -> Any:
    """Return a cotangent or tangent as a tensor in rows, as some of PyTorch's formulas take it."""
    return g.contiguous() if isinstance(g, torch.Tensor) else torch.full_like(y, g)


def _conjugated(g: Any) -> Any:
    """Return a cotangent of a run as one of PyTorch's, or back: complex ones are conjugated."""
    return g.conj().resolve_conj() if isinstance(g, torch.Tensor) and g.is_complex() else g


def _apart(made: Iterable[Any], others: Iterable[Any]) -> Iterator[Any]:
    """Yield cotangents, such that no two share elements, nor one with what came in, nor with itself."""
    seen = {x.untyped_storage().data_ptr() for x in others}
    for x in made:
        if x is None:
            yield None
            continue
        found = _conjugated(x).contiguous()
        at = found.untyped_storage().data_ptr()
        yield found.clone() if at in seen else found
        seen.add(at)


def _cotangent_like(operand: Any, new: Iterator[Any]) -> Any:
    """Return the cotangent of an operand in its structure."""
    if isinstance(operand, torch.Tensor):
        if not _is_number(operand):
            return None
        found = next(new)
        return torch.zeros_like(operand) if found is None else found
    if type(operand) is float:
        found = next(new)
        return 0.0 if found is None else float(found)
    if isinstance(operand, tuple | list):
        return type(operand)([_cotangent_like(part, new) for part in operand])
    return None


OPERATOR = tensor(
    "torch.operator",
    _value,
    pull=_pull,
    jvps=(None, None, _tangent),
    variadic=True,
    views=True,
    shape="as PyTorch has it",
    samples=lambda rng: [],  # every operator is another function: tests/pytorch/test_operators.py
)
