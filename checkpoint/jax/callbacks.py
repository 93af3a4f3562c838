"""Programs of one pytree as functions that JAX traces: their values and pullbacks are callbacks on the host.

In: a program and the shapes of its result. Out: a function of JAX's with a derivative of its own, which is
made of the program's pullback in the same way; so there are derivatives of every order in reverse mode.

A pytree is its *signature*, which JAX does not see, and its *traced* leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from checkpoint.api.operators import vjp
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError, an
from checkpoint.functions.resumption import as_function

TRACED = object()  # stands for a traced leaf among the constants
KINDS = frozenset("biufc")


@dataclass(frozen=True)
class Signature:
    """Holds what a pytree is but for its traced leaves.

    tree: its structure. constants: its leaves, TRACED for those that JAX traces.
    types: theirs, since 1 == 1.0.
    """

    tree: Any
    constants: tuple[Any, ...]
    types: tuple[type, ...]

    def filled(self, traced: Iterable[Any]) -> Any:
        """Return the pytree with these traced leaves."""
        values = iter(traced)
        return self.tree.unflatten([next(values) if x is TRACED else x for x in self.constants])

    def cotangents(self, traced: Sequence[Any]) -> Leaves:
        """Return the shapes of the pytree's cotangent: None is at leaves that have none."""
        values = [jax.ShapeDtypeStruct(x.shape, x.dtype) if _is_inexact(x) else None for x in traced]
        rest = iter(values)
        return Leaves.of(self.tree.unflatten([next(rest) if x is TRACED else None for x in self.constants]))


@dataclass(frozen=True)
class Leaves:
    """The structure of a result and the shapes and types of its leaves."""

    tree: Any
    structs: tuple[Any, ...]

    @classmethod
    def of(cls, example: Any) -> Leaves:
        """Return those of an example, of which each leaf has a shape; RunError where one has none."""
        leaves, tree = jax.tree.flatten(example)
        return cls(tree, tuple(map(_struct, leaves)))

    def checked(self, name: str, value: Any) -> tuple[Any, ...]:
        """Return the leaves of a value as arrays of these shapes; RunError where they are others."""
        leaves, tree = jax.tree.flatten(value)
        if tree != self.tree:
            raise RunError(f"{name} returned {tree}, and its result is said to be {self.tree}")
        return tuple(_cast(name, leaf, struct) for leaf, struct in zip(leaves, self.structs, strict=True))


class Program:
    """A program of one pytree, which JAX calls back.

    name: for messages. program: what is differentiated. value: runs it, from a pytree to its result.
    settings: the keyword arguments of `checkpoint.vjp`.
    """

    def __init__(
        self, name: str, program: Callable[[Any], Any], value: Callable[[Any], Any], settings: dict[str, Any]
    ) -> None:
        self.name = name
        self.program = program
        self.value = value
        self.settings = settings
        self._node = remembering(self._new_node)

    @classmethod
    def of(cls, f: Callable[..., Any], settings: dict[str, Any]) -> Program:
        """Return f as a program of the pair of its positional and its keyword arguments."""

        def packed(given: Any) -> Any:
            return f(*given[0], **given[1])

        def value(given: Any) -> Any:
            return as_function(packed).call((given,), {}, settings["engine"]).value()

        return cls(getattr(f, "__name__", repr(f)), packed, value, settings)

    @functools.cached_property
    def pullback(self) -> Program:
        """The program from a pytree and a cotangent of the result to the cotangent of the pytree."""
        program, settings = self.program, self.settings

        def plain(given: Any) -> Any:
            return _plain(program(given))

        def pulled(given: Any) -> Any:
            return vjp(plain, given[0], given[1])[1]

        def value(given: Any) -> Any:
            return vjp(program, given[0], given[1], **settings)[1]

        return Program(f"the pullback of {self.name}", pulled, value, settings)

    def applied(self, given: Any, result: Leaves) -> Any:
        """Return the result at a pytree whose leaves JAX may trace."""
        signature, traced = split(given)
        return result.tree.unflatten(self._node(signature, result)(*traced))

    def on_zeros(self, signature: Signature, structs: Sequence[Any]) -> Leaves:
        """Return the shapes of the result by a run on zeros; RunError where it fails."""
        zeros = [np.zeros(x.shape, x.dtype) for x in structs]
        instead = (
            f"where it is run to know the shapes of its result: give them, function({self.name}, result=...)"
        )
        try:
            value = self.value(signature.filled(map(_native, zeros)))
        except Exception as error:
            raise RunError(f"{self.name} fails on zeros, {instead}") from error
        return Leaves.of(value)

    def _new_node(self, signature: Signature, result: Leaves) -> Callable[..., tuple[Any, ...]]:
        """Return the function of the traced leaves to those of the result, which has its derivative."""

        def on_host(*traced: Any) -> tuple[Any, ...]:
            return result.checked(self.name, self.value(signature.filled(map(_native, traced))))

        def primal(*traced: Any) -> tuple[Any, ...]:
            found = jax.pure_callback(on_host, result.structs, *traced, vmap_method="sequential")
            return tuple(found)

        def forward(*traced: Any) -> tuple[Any, Any]:
            return node(*traced), traced  # not primal: the derivative of this one's result is asked for, too

        def backward(traced: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
            return self._pulled_back(signature, result, traced, cotangents)

        node: Any = jax.custom_vjp(primal)
        node.defvjp(forward, backward)
        found: Callable[..., tuple[Any, ...]] = node
        return found

    def _pulled_back(
        self, signature: Signature, result: Leaves, traced: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the cotangents of the traced leaves; None, JAX's zero, for those of integers."""
        expected = signature.cotangents(traced)
        if not expected.structs or not any(map(_is_inexact, result.structs)):
            return (None,) * len(traced)
        pairs = zip(result.structs, cotangents, strict=True)
        ybar = result.tree.unflatten([v if _is_inexact(struct) else None for struct, v in pairs])
        xbar = self.pullback.applied((signature.filled(traced), ybar), expected)
        found = iter(jax.tree.leaves(xbar))
        return tuple(next(found) if _is_inexact(x) else None for x in traced)


def split(given: Any) -> tuple[Signature, list[Any]]:
    """Return the signature of a pytree, and its traced leaves, as arrays."""
    leaves, tree = jax.tree.flatten(given)
    constants = tuple(TRACED if _is_traced(x) else x for x in leaves)
    return Signature(tree, constants, tuple(map(type, constants))), [
        jax.numpy.asarray(x) for x in leaves if _is_traced(x)
    ]


def remembering(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return f, which keeps its latest results for arguments that have a hash."""
    kept = functools.lru_cache(maxsize=64)(f)

    def found(*key: Any) -> Any:
        try:
            hash(key)
        except TypeError:  # a constant without a hash, such as an object that can be compared
            return f(*key)
        return kept(*key)

    return found


def _is_traced(leaf: Any) -> bool:
    """Return whether JAX traces a leaf: arrays, floats and complex numbers; all others are constants."""
    if isinstance(leaf, np.ndarray | np.generic):
        return leaf.dtype.kind in KINDS
    return isinstance(leaf, jax.Array | float | complex)


def _is_inexact(x: Any) -> bool:
    return bool(jax.numpy.issubdtype(x.dtype, np.inexact))


def _struct(leaf: Any) -> Any:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    array = leaf if isinstance(leaf, jax.Array) else np.asarray(leaf)
    if isinstance(array, np.ndarray) and array.dtype.kind not in KINDS:
        raise RunError(f"a result is a pytree of arrays and numbers, and has {an(type(leaf).__name__)}")
    return jax.ShapeDtypeStruct(array.shape, jax.dtypes.canonicalize_dtype(array.dtype))


def _cast(name: str, leaf: Any, struct: Any) -> Any:
    """Return a leaf of a result as JAX was told of it: reals may lose digits, nothing else."""
    array = np.asarray(leaf)
    if array.shape != struct.shape or not np.can_cast(array.dtype, struct.dtype, "same_kind"):
        found, said = f"{array.dtype}{list(array.shape)}", f"{struct.dtype}{list(struct.shape)}"
        raise RunError(f"{name} returned {found}, and its result is said to be {said}")
    return array.astype(struct.dtype)


def _plain(y: Any) -> Any:
    """Return a result with Python's numbers for arrays of shape (), whose cotangents then are numbers, too.

    Programs run this. In a call from outside, `vjp` takes either for either.
    """
    if type(y) is tuple:
        return tuple([_plain(x) for x in y])
    if type(y) is list:
        return [_plain(x) for x in y]
    if type(y) is dict:
        return {key: _plain(x) for key, x in y.items()}
    if isinstance(y, np.ndarray | np.generic) and y.ndim == 0:
        if y.dtype.kind == "f":
            return float(y)
        if y.dtype.kind == "c":
            return complex(y)
    return y


def _native(x: Any) -> Any:
    """Return an array of JAX's as NumPy's, or as Python's number where it has the shape ()."""
    array = np.asarray(x)
    return array if array.ndim else array.item()
