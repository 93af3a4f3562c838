"""The registry of functions of arrays: which record implements a library's function or a method of arrays.

tensorlib registers its records here when it is imported, which happens when a program first uses an array.
A record may *overload* a primitive of Python programs (`py.add`, `py.item`, ...): where an operand is an
array, applying the primitive applies the record.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any

from checkpoint.ad.array_library import installed, libraries
from checkpoint.ad.attributes import stored
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import PYTHON_FAILURES, VARIADIC, Primitive, Purity, lookup, register
from checkpoint.ad.tables import are_mixed
from checkpoint.ad.tensors import Tensor
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError, RunError, an

# By library, the package whose `libraries.register` registers records for its functions and arrays. This is
# the one table of packages that are named by strings: they depend on this one, which must not depend on them.
LIBRARIES: dict[str, str] = {
    "cupy": "tensorlib",
    "numpy": "tensorlib",
    "onnx": "tensorlib",
    "scipy": "tensorlib",
    "scipy.fft": "tensorlib",
    "scipy.fftpack": "tensorlib",
    "scipy.integrate": "tensorlib",
    "scipy.interpolate": "tensorlib",
    "scipy.linalg": "tensorlib",
    "scipy.ndimage": "tensorlib",
    "scipy.optimize": "tensorlib",
    "scipy.signal": "tensorlib",
    "scipy.sparse": "tensorlib",
    "scipy.spatial": "tensorlib",
    "scipy.stats": "tensorlib",
    "tensorlib": "tensorlib",
    "torch": "tensorlib",
}

overloads: dict[str, Tensor] = {}  # by the name of the primitive that a record overloads
translations: dict[Any, Callable[..., Any]] = {}  # by a library's function: the function translated instead
# by a library's function: a class, and the function that is translated instead in programs with that class
translations_beside: dict[Any, tuple[type | None, Callable[..., Any]]] = {}
writing_translations: set[Callable[..., Any]] = set()  # those that write into arrays that they are passed
modules_translated: set[str] = set()  # in which these are written
files_translated: set[str] = set()  # their files; errors show no places in them
packages_opened: set[str] = set()  # of array libraries, whose own Python is translated as a user's is
instances: dict[type, tuple[str, Callable[..., Any]]] = {}  # by a class: how calls of its objects are written
in_full: dict[str, Callable[..., Any]] = {}  # by a record's name: the function with all its parameters
methods: dict[str, Tensor] = {}  # by the name of a method of arrays
refusals: dict[Any, tuple[str, str]] = {}  # by a library's object: its name, and what to write instead
solvers: dict[str, Callable[..., Any]] = {}  # by name: what calls functions of a program, on plain numbers

Attributes = dict[str, Any]


@dataclass(frozen=True)
class StandIn:
    """How objects of a class enter and leave programs.

    of: the class of Python's, or of a library. cls: the class that stands for it, written in the language
    that is translated. taken: the attributes of the stand-in of an object. empty: a new object for a stand-in
    whose attributes may not be filled yet. fill: gives it items. is_inner: whether it never leaves its run.
    """

    of: type
    cls: type
    taken: Callable[[Any], Attributes]
    empty: Callable[[Attributes], Any]
    fill: Callable[[Any, Attributes], object]
    is_inner: bool = False

    def made(self, attributes: Attributes, leaves: bool) -> Any:
        """Return a new object; an iterator cannot leave its run."""
        if leaves and self.is_inner:
            raise RunError(
                f"{an(self.cls.__name__)} is no value outside of its run: return a list of its items"
            )
        return self.empty(attributes)


stand_ins: dict[type, StandIn] = {}  # by the class that stands for another
stood_for: dict[type, StandIn] = {}  # by the class for which another stands
names_of_stand_ins: dict[type, type] = {}  # by the class that stands for another: the class that it is called
standing: dict[type, type] = {}  # by the class for which another stands: that

_loaded: set[str] = set()  # the libraries whose modules are imported completely
_by_function: dict[Any, Tensor] = {}
_registrations: list[Any] = []  # everything that was registered: its length is the generation
_NOTHING: AbstractContextManager[Any] = nullcontext()


def is_of_library(value: Any) -> bool:
    """Return whether an object belongs to one of the libraries; if so, register the library's records."""
    if type(value) in libraries:
        return True
    owner = stored(value, "__self__") or stored(value, "__objclass__")  # of np.add.at, of torch.Tensor.sort
    names = (stored(value, "__module__"), type(value).__module__, type(owner).__module__)
    found = [library for name in names if isinstance(name, str) for library in _libraries_of(name)]
    for library in found:
        load(library)
    if found and type(value).__name__ == "ufunc" and implementation(value) is None:
        load_imported()  # SciPy's ufuncs name no module
    return bool(found)


def _libraries_of(module: str) -> list[str]:
    """Return the libraries that a module belongs to: its package, and a package in that."""
    package, _, rest = module.partition(".")
    if package not in LIBRARIES:
        return []
    inner = f"{package}.{rest.partition('.')[0]}"
    return [package, inner] if inner in LIBRARIES else [package]


def load(library: str = "numpy") -> None:
    """Register the records of a library, unless that is done; wait if another thread is doing it."""
    if library not in _loaded:
        importlib.import_module(f"{LIBRARIES[library]}.libraries").register(library)
        _loaded.add(library)


def load_imported() -> None:
    """Register the records of all libraries that this process has imported.

    Call this for an object that any of them may have made, or that may return their arrays.
    """
    for library in LIBRARIES:
        if library in sys.modules:
            load(library)


def generation() -> int:
    """Return a number that grows with each registration; then programs may be translated differently."""
    return len(_registrations) + len(installed)


def translated_as(function: Any, written: Callable[..., Any], writes: bool = False) -> None:
    """Register a function written in Python, `written`, to be translated in place of a library's function.

    writes: whether it writes into arrays that it is passed; the parameters of both then have the same names.
    """
    translations[function] = written
    _registered(function, written, writes)


def translated_beside(
    cls: type | None, function: Any, written: Callable[..., Any], writes: bool = False
) -> None:
    """Do the same as `translated_as` in programs that have a class, or with None in all."""
    translations_beside[function] = cls, written
    _registered(function, written, writes)


def _registered(function: Any, written: Callable[..., Any], writes: bool) -> None:
    if writes:
        writing_translations.add(written)
    modules_translated.add(written.__module__)
    files_translated.add(written.__code__.co_filename)
    _registrations.append(function)


def translation_beside(function: Any, classes: Container[type]) -> Any:
    """Return the function that is translated for a library's in a program with some classes, or None."""
    cls, written = translations_beside.get(function, (None, None))
    return written if cls is None or cls in classes else None


def stands_for(each: StandIn) -> None:
    """Register a class that stands for a library's in programs; it is called as the library's is."""
    stand_ins[each.cls] = stood_for[each.of] = each
    names_of_stand_ins[each.cls] = each.of
    standing[each.of] = each.cls
    each.cls.__name__ = each.cls.__qualname__ = each.of.__name__
    _registrations.append(each)


def refused(thing: Any, shown: str, instead: str) -> None:
    """Register a function or class of a library that no program may call, and what to write instead."""
    refusals[thing] = shown, instead
    _registrations.append(thing)


def refusal(thing: Any) -> tuple[str, str] | None:
    """Return the name of a library's object that no program may call, and what to write; None for others."""
    try:
        return refusals.get(thing)
    except TypeError:
        return None


def solver(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a solver under a name (checkpoint.prims.python.solvers)."""

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        solvers[name] = function
        return function

    return registered


def instances_translated_as(cls: type, attribute: str, written: Callable[..., Any]) -> None:
    """Register a function written in Python for calls of the objects of a library's class.

    attribute: of the object, which is passed before the arguments.
    """
    instances[cls] = attribute, written
    translated_as(written, written)


def translated_in_full(record: Tensor, written: Callable[..., Any]) -> None:
    """Register a function written in Python for calls of a record with arguments that the record lacks."""
    in_full[record.name] = written
    for method in record.methods:
        in_full[f"ndarray.{method}"] = written
    translated_as(written, written)


def also_implements(record: Tensor, function: Any) -> None:
    """Register another library's function as implemented by a record."""
    _by_function[function] = record
    _registrations.append(function)


def record_named(name: str) -> Tensor:
    """Return the record of a function of arrays, which must be registered."""
    record = lookup(name)
    assert isinstance(record, Tensor)
    return record


def implementation(function: Any) -> Tensor | None:
    """Return the record that implements a library's function; None if there is none."""
    try:
        return _by_function.get(function)
    except TypeError:
        return None


def silently() -> AbstractContextManager[Any]:
    """Return a context in which no library warns: derivatives are IEEE arithmetic, with inf and nan."""
    if not installed:
        return _NOTHING
    if len(installed) == 1:
        return installed[0].silently()
    return _Silence([library.silently() for library in installed])


class _Silence:
    """Several contexts as one; all are left again if entering one fails."""

    __slots__ = ("_contexts",)

    def __init__(self, contexts: list[AbstractContextManager[Any]]) -> None:
        self._contexts = contexts

    def __enter__(self) -> None:
        entered = 0
        try:
            for each in self._contexts:
                each.__enter__()
                entered += 1
        except BaseException:
            del self._contexts[entered:]
            self.__exit__(None, None, None)
            raise

    def __exit__(self, *raised: Any) -> None:
        for each in reversed(self._contexts):
            each.__exit__(*raised)


def dtype_of(value: Any) -> Any:
    """Return the dtype of a library's class or dtype, or of Python's float, int or bool; None for others."""
    for library in installed:
        found = library.dtype_of(value)
        if found is not None:
            return found
    return None


def parameters_of(function: Callable[..., Any]) -> tuple[int, bool]:
    """Return the number of a function's parameters, and whether one of them takes any number of operands.

    Both are read off the code where it has them: a signature takes 25 us, and there are 850 of them.
    """
    function = inspect.unwrap(function)
    if type(function) is not FunctionType or "__signature__" in vars(function):
        parameters = inspect.signature(function).parameters.values()
        return len(parameters), any(each.kind is each.VAR_POSITIONAL for each in parameters)
    code = function.__code__
    variadic = bool(code.co_flags & inspect.CO_VARARGS)
    others = variadic + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + others, variadic


def tensor(name: str, value: Callable[..., Any], **fields: Any) -> Tensor:
    """Register a function of arrays and return its record.

    name: as users write it, such as np.sum. value: as in Tensor; the arity is read off its signature.
    fields: other fields of Tensor.
    """
    count, variadic = parameters_of(value)
    fields.setdefault("variadic", variadic)
    fields.setdefault("purity", Purity.MAY_FAIL)
    fields.setdefault("doc", name)
    record = register(
        Tensor(
            name=name,
            arity=VARIADIC if variadic else count - 1,
            failures=PYTHON_FAILURES,
            value=value,
            **fields,
        )
    )
    for function in record.implements:
        _by_function[function] = record
    for primitive in record.overloads:
        if primitive in overloads:
            raise InternalError(f"{primitive} is overloaded twice")
        overloads[primitive] = record
    for method in record.methods:
        methods[method] = register(_as_method(record, method))
    _registrations.append(name)
    return record


def _as_method(record: Tensor, method: str) -> Tensor:
    """Return a record for a method of arrays; AttributeError if it is applied to any other object."""

    def check(owner: Any) -> None:
        if not hasattr(owner, "dtype"):
            raise AttributeError(f"{type(owner).__name__!r} object has no attribute {method!r}")

    def value(xp: Any, self: Any, *operands: Any) -> Any:
        check(self)
        return record.value(xp, self, *operands)

    def saves(xp: Any, wanted: tuple[int, ...], self: Any, *operands: Any) -> tuple[Any, tuple[Any, ...]]:
        check(self)
        assert record.saves is not None
        return record.saves(xp, wanted, self, *operands)

    value.__wrapped__ = record.value  # type: ignore[attr-defined]  # which has its parameters
    return dataclasses.replace(
        record,
        name=f"ndarray.{method}",
        value=value,
        saves=None if record.saves is None else saves,
        implements=(),
        overloads=(),
        methods=(),
    )


def overload(record: Primitive, operands: Sequence[Any]) -> Tensor | None:
    """Return the record that overloads a primitive for these operands; None without record or array."""
    found = overloads.get(record.name)
    if found is None:
        return None
    if holds_array(operands[:1] if found.of_first else operands):
        return found
    return found if not found.of_first and are_mixed(operands) else None
