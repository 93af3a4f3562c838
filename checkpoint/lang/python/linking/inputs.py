"""The inputs of a program: the objects that it reads from its surroundings, and how to find them again.

In: during translation, the objects that the program's names denote. Out: a tree of inputs, each found from
another one by one access (a global of a function, a cell of its closure, an attribute of a module). A later
call follows the tree again from the function of that call. Objects on which the translation relies
(functions, by their code; classes, modules, builtins, by identity) must be the same, else the program is
translated anew. Data is read each time, so that a changed global is seen. A name that was not defined must
still be undefined.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.ad.opaque import is_logger
from checkpoint.ad.values import Foreign
from checkpoint.dataclass import dataclass
from checkpoint.lang.python.calls.arrays import (
    record_of,
    translation_of,
)
from checkpoint.lang.python.source import members
from checkpoint.lang.python.source.members import default_of, is_single_dispatch, registry, stored_in
from checkpoint.lang.python.source.wrappers import Wrapper
from checkpoint.scalars.definition import Definition


class NotFound(Exception):
    """A name without a meaning, or an empty cell."""


def follow(value: Any, access: tuple[str, Any]) -> Any:
    """Return the object that one access from another object leads to; raise NotFound."""
    kind, key = access
    return ACCESSES[kind](value, key)


def _global(function: Any, name: str) -> Any:
    found = function.__globals__
    if name in found:
        return found[name]
    if name in vars(builtins):
        return getattr(builtins, name)
    raise NotFound(name)


def _cell(function: Any, position: int) -> Any:
    try:
        return function.__closure__[position].cell_contents
    except ValueError:
        raise NotFound(str(position)) from None


def _lacks(names: Mapping[str, Any], name: str) -> None:
    if name in names:
        raise NotFound(name)


def _no_cell(function: Any, position: int) -> None:
    try:
        function.__closure__[position].cell_contents  # noqa: B018
    except ValueError:
        return
    raise NotFound(str(position))


def _attribute(value: Any, name: str) -> Any:
    try:
        return (isinstance(value, type) and members.bound_mixin(value, name)) or getattr(value, name)
    except AttributeError:
        raise NotFound(name) from None


def _in_class(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in stored_in(base, cls):
            return stored_in(base, cls)[name]
    raise NotFound(name)


def _with_members(cls: type, names: tuple[str, ...]) -> type:
    """Return a class that has the members it had: one that was added would come before an inherited one."""
    if tuple(vars(cls)) != names:
        raise NotFound(cls)
    return cls


FUNCTIONS = "functions"  # leads to the input that is an OwnPrograms (checkpoint.prims.python.own)

ACCESSES: dict[str, Callable[[Any, Any], Any]] = {
    "global": _global,
    "cell": _cell,
    "no global": lambda function, name: _lacks(function.__globals__, name),
    "no cell": _no_cell,
    "attribute": _attribute,
    "in class": _in_class,
    "not in class": lambda cls, name: _lacks(vars(cls), name),
    "with members": _with_members,
    "default": default_of,
    "parameters": lambda function, _: inspect.getfullargspec(function),
    "signature": lambda function, _: inspect.signature(function),
    "function": lambda method, _: method.__func__,
    "self": lambda method, _: method.__self__,
    "partial function": lambda partial, _: partial.func,
    "partial argument": lambda partial, position: partial.args[position],
    "partial keyword": lambda partial, name: partial.keywords[name],
    "getter": lambda prop, _: prop.fget,
    "setter": lambda prop, _: prop.fset,
    "deleter": lambda prop, _: prop.fdel,
    "field default": lambda cls, name: cls.__dataclass_fields__[name].default,
    "field factory": lambda cls, name: cls.__dataclass_fields__[name].default_factory,
    "tuple default": lambda cls, name: cls._field_defaults[name],
    "library": lambda _, key: key,
    "module": lambda _, name: sys.modules[name],
    FUNCTIONS: lambda _, key: key,
    "func": lambda cached, _: cached.func,
    "registered": lambda function, cls: registry(function)[cls],
}


def is_data(value: Any) -> bool:
    """Return whether an object is read anew at each call, rather than relied on by the translation."""
    if type(value) in _DATA:
        return True
    if isinstance(value, (*STATIC_TYPES, Enum)) or is_logger(value):
        return False
    is_type = type(value).__module__ == "typing"  # such as Optional[float] and TypeVar("T")
    return not (is_type or _is_native_callable(value) or is_of_system(value))


_DATA = frozenset((float, int, str, bool, type(None), list, dict, tuple))


def is_of_system(value: Any) -> bool:
    """Return whether an object is a tuple that describes this Python, such as sys.version_info."""
    return isinstance(value, tuple) and type(value).__module__ == "sys"


STATIC_TYPES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type,
    types.UnionType,
    types.GenericAlias,
    functools.partial,
    functools.cached_property,
    functools.partialmethod,
    functools.singledispatchmethod,
    property,
    staticmethod,
    classmethod,
    Foreign,
    Wrapper,
)


_NATIVE = frozenset(("numpy", "uarray", "functools", "_operator", "operator"))  # of types that are callable


def _is_native_callable(value: Any) -> bool:
    """Return whether an object is a callable of a compiled package, which translation knows by identity."""
    module = type(value).__module__
    if module.startswith("scipy.stats.") and callable(value):
        return True  # a distribution, such as scipy.stats.norm
    native = module in _NATIVE or module.startswith("_cython")
    if module.startswith("numba."):
        return py_func(value) is not None
    return (native and callable(value)) or isinstance(value, Definition) or module == _INDEX_OBJECTS


def wrapped(value: Any) -> str:
    """Return the attribute in which a cached or compiled function has that of Python, or ""."""
    if isinstance(value, functools._lru_cache_wrapper):
        return "__wrapped__"
    if isinstance(value, Wrapper):
        return "function"
    return "" if py_func(value) is None else "py_func"


def py_func(value: Any) -> Any:
    """Return the Python function that numba has compiled; None for all other objects."""
    is_compiled = type(value).__module__.startswith("numba.")
    return stored(value, "py_func") if is_compiled else None


_INDEX_OBJECTS = "numpy.lib._index_tricks_impl"  # where the types of np.r_ and its kin are


@dataclass(frozen=True, slots=True)
class Input:
    """One object that a program reads.

    parent: the index of the input from which it is found. access: how, as a key of ACCESSES and its argument.
    expected: what it must be (_expected).
    """

    parent: int
    access: tuple[str, Any]
    expected: Any


_HEAP = 1 << 9  # the flag of classes that are made while a program runs
_NO_PROGRAMS = frozenset(
    (*sys.stdlib_module_names - {"__main__"}, "numpy", "torch", "checkpoint", "tensorlib")
)

_FUNCTION, _CODE = types.FunctionType, weakref.ref  # what most inputs are, and what is expected of these
IS_DATA = object()
_LIBRARY = "checkpoint.lang.python.library."  # modules whose functions nobody replaces
# How an object is found: its index, that of another, a function of that and its argument, what it must be.
Step = tuple[int, int, Callable[[Any, Any], Any], Any, Any]


def label_of(holder: Any, kind: str, name: str) -> str:
    """Return the name of a variable with that of the module, class or function that has it."""
    if isinstance(holder, types.ModuleType):
        return f"{holder.__name__}.{name}"
    around = [getattr(holder, "__module__", None), getattr(holder, "__qualname__", None)]
    known = [each for each in around[: 1 if kind == "global" else 2] if isinstance(each, str)]
    return ".".join([*known, name])


class Inputs:
    """All inputs of a program; the first is the function itself."""

    def __init__(self, root: Any) -> None:
        self.nodes: list[Input] = [Input(-1, ("root", None), _expected(root))]
        self._values: list[Any] = [root]
        self._known: dict[tuple[Any, ...], int] = {}
        # Once there are no more: of `nodes` those that calls find again, and the objects of the others.
        self._steps: list[Step] = []
        self._fixed: list[Any] = []

    def value(self, index: int) -> Any:
        """Return the object of an input, during translation."""
        return self._values[index]

    def find(self, parent: int, kind: str, key: Any) -> tuple[int, Any]:
        """Return the input that an access leads to, and its value; raise NotFound."""
        origin = self._values[parent]
        place = (id(origin.__globals__), key) if kind == "global" else (parent, kind, key)
        if place not in self._known:
            value = follow(origin, (kind, key))
            self._known[place] = len(self.nodes)
            self.nodes.append(Input(parent, (kind, key), _expected(value)))
            self._values.append(value)
        index = self._known[place]
        return index, self._values[index]

    def name_of(self, index: int) -> str:
        """Return the name of an input in the function that reads it."""
        node = self.nodes[index]
        kind, key = node.access
        code: Any = getattr(self._values[node.parent], "__code__", None)
        if kind == "cell":
            return str(code.co_freevars[key])
        return kind if key is None else str(key)

    def label_of(self, index: int) -> str:
        """Return the name of an input with that of its module or function, for a reader."""
        node = self.nodes[index]
        parent = self._values[node.parent] if node.parent >= 0 else None
        return label_of(parent, node.access[0], self.name_of(index))

    def absent(self, parent: int, kind: str, key: Any) -> None:
        """Record that a global is undefined, or that a cell is empty."""
        origin = self._values[parent]
        place = (id(origin.__globals__), kind, key) if kind == "global" else (parent, "no", key)
        if place not in self._known:
            self._known[place] = len(self.nodes)
            self.nodes.append(Input(parent, (f"no {kind}", key), IS_DATA))
            self._values.append(None)

    def keep_members(self, met: Iterable[Any]) -> None:
        """Record which members the classes have that are met or inputs, and those that they derive from."""
        classes = [each for each in (*met, *self._values) if isinstance(each, type)]
        for cls in dict.fromkeys(base for each in classes for base in each.__mro__):
            if cls.__flags__ & _HEAP and cls.__module__.partition(".")[0] not in _NO_PROGRAMS:
                index, _ = self.find(0, "library", cls)
                self.find(index, "with members", tuple(vars(cls)))

    def copy(self) -> Inputs:
        """Return the same inputs, to which more may be added, during translation."""
        made = Inputs(self._values[0])
        made.nodes, made._values, made._known = [*self.nodes], [*self._values], {**self._known}
        return made

    def forget(self) -> None:
        """Release the objects, after translation, but for functions of the library that others of it name."""
        fixed = [
            self._is_fixed(node) and _is_in_library(self._values[i]) for i, node in enumerate(self.nodes)
        ]
        self._fixed = [x if is_fixed else None for x, is_fixed in zip(self._values, fixed, strict=True)]
        self._values = []
        self._known = {}
        self._steps = [
            (i, node.parent, ACCESSES[node.access[0]], node.access[1], node.expected)
            for i, node in enumerate(self.nodes)
            if i and not fixed[i]
        ]

    def _is_fixed(self, node: Input) -> bool:
        """Return whether an input is what a function of the library names."""
        return node.access[0] == "global" and _is_in_library(self._values[node.parent])

    def read(self, root: Any) -> list[Any] | None:
        """Find all inputs again from a function; return None if the translation does not fit them.

        Each call of a function does this: what is mostly found is compared here, all else by the functions.
        """
        expected = self.nodes[0].expected
        if not (is_data(root) if expected is IS_DATA else _is_expected(root, expected)):
            return None
        values = self._fixed.copy()
        values[0] = root
        for i, parent, access, key, expected in self._steps:
            try:
                value = access(values[parent], key)
            except (NotFound, LookupError, AttributeError, TypeError):
                return None
            if expected is IS_DATA:
                if type(value) not in _DATA and not is_data(value):
                    return None
            elif (
                value is not expected
                and not (
                    type(value) is _FUNCTION and type(expected) is _CODE and value.__code__ is expected()
                )
                and not _is_expected(value, expected)
            ):
                return None
            values[i] = value
        return values


def _expected(value: Any) -> Any:
    """Return what to compare with: a function's code, a known object itself, IS_DATA for data.

    Of code a weak reference: a program does not keep the function that it was made of. A function or method
    of a library is compared itself: several have the same code.
    """
    if isinstance(value, types.FunctionType | types.MethodType) and _is_of_library(value):
        return value
    shape = _shape(value)
    if shape is not None:
        return shape
    if isinstance(value, types.FunctionType):
        return weakref.ref(value.__code__)
    if isinstance(value, types.MethodType | property | staticmethod | classmethod):
        return type(value)
    return IS_DATA if is_data(value) else value


def _shape(value: Any) -> tuple[Any, ...] | None:
    """Return what a translation relies on of a function that was made of others; None for all else."""
    if isinstance(value, functools.partial | functools.partialmethod):
        return len(value.args), tuple(value.keywords)
    if isinstance(value, functools.singledispatchmethod) or is_single_dispatch(value):
        return tuple(registry(value))
    return None


def _is_in_library(value: Any) -> bool:
    """Return whether an object is a function of a module of the library that is translated."""
    return type(value) is _FUNCTION and str(value.__globals__.get("__name__")).startswith(_LIBRARY)


def _is_of_library(value: Any) -> bool:
    return translation_of(value) is not None or record_of(value) is not None


def _is_expected(value: Any, expected: Any) -> bool:
    if value is expected:
        return True
    if isinstance(value, types.FunctionType) and not is_single_dispatch(value):
        return isinstance(expected, weakref.ref) and value.__code__ is expected()
    shape = _shape(value)
    if shape is not None:
        return bool(shape == expected)
    if isinstance(value, types.MethodType) and isinstance(expected, types.MethodType):
        return bool(value == expected)  # made anew by each access
    if isinstance(value, types.BuiltinMethodType):
        return bool(value == expected)  # a method of a class is made anew by each access
    return value is expected or type(value) is expected
