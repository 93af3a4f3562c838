"""All library functions, by the Python objects for which they stand; modules that are translated as they are.

FUNCTIONS: Python's objects, with the library functions that stand for them. LATER: by the name of a module of
the standard library that few programs use, the same of its objects; whoever has one of these has loaded it.
LAZY: those that stand for some of them in programs with generators. OPENED: modules of the standard library
whose functions are translated from the text that is installed, unless FUNCTIONS or LATER have them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.lang.python.library import (
    application,
    compensated,
    complex_numbers,
    derivatives,
    functions,
    generators,
    hashing,
    inner,
    iterators,
    methods,
    sets,
    standard,
    state,
    unbound,
)
from checkpoint.lang.python.library.standard import (
    complex_mathematics,
    files,
    floats,
    functional,
    iteration,
    keyed,
    lazy,
    lazy_itertools,
    managers,
    namespaces,
    ordering,
    patterns,
    records,
    seeded,
)

_MODULES = (
    *(application, compensated, complex_numbers, functions, generators, hashing, inner, iterators, methods),
    *(sets, state, unbound),
)

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **functions.FUNCTIONS,
    **application.APPLICATIONS,
    **compensated.FUNCTIONS,
    **complex_numbers.FUNCTIONS,
    **complex_mathematics.FUNCTIONS,
    **sets.FUNCTIONS,
    **unbound.FUNCTIONS,
    **iterators.FUNCTIONS,
    **inner.FUNCTIONS,
    **hashing.FUNCTIONS,
    **functional.FUNCTIONS,
    **iteration.FUNCTIONS,
    **files.FUNCTIONS,
    **floats.FUNCTIONS,
    **keyed.FUNCTIONS,
    **managers.FUNCTIONS,
    **namespaces.FUNCTIONS,
    **ordering.FUNCTIONS,
    **patterns.FUNCTIONS,
    **records.FUNCTIONS,
    **seeded.FUNCTIONS,
}


def _of_statistics() -> dict[Any, Callable[..., Any]]:
    from checkpoint.lang.python.library.standard import statistical  # noqa: PLC0415  (as LATER says)

    return statistical.FUNCTIONS


LATER: dict[str, Callable[[], dict[Any, Callable[..., Any]]]] = {
    "_statistics": _of_statistics,
    "json": files.of_json,
    "statistics": _of_statistics,
}

LAZY: dict[Any, Callable[..., Any]] = {**lazy.FUNCTIONS, **lazy_itertools.FUNCTIONS}

OPENED = frozenset(("statistics", "random"))
OPENED_CLASSES = frozenset(("UserDict", "UserList"))  # of collections, likewise


def standing_for(value: Any, classes: Container[type]) -> Any:
    """Return the library function that stands for a Python object, or None; classes: those of the program."""
    if value is dict and keyed.KeyedDict in classes:
        return keyed.keyed
    if seeded.Shared in classes and value in seeded.DRAWING:
        return seeded.DRAWING[value]
    return always_standing_for(value)


def always_standing_for(value: Any) -> Any:
    """Return the library function that stands for a Python object in every program, or None."""
    later = LATER.get(str(stored(value, "__module__")))
    return (FUNCTIONS if later is None else later()).get(value)


_FILES = frozenset(str(module.__file__) for module in _MODULES)
_FOLDER = str(standard.__file__).removesuffix("__init__.py")
_INTERNAL = frozenset((*[module.__name__ for module in _MODULES], *OPENED))
_STANDARD = f"{standard.__name__}."


def is_internal(function: Any) -> bool:
    """Return whether errors show calls of a function as calls of Python's own one."""
    return function.__module__ in _INTERNAL or str(function.__module__).startswith(_STANDARD)


def is_library(function: Any) -> bool:
    """Return whether a function is one of this package, or of a module that is translated as it is."""
    return is_internal(function) or function.__module__ == derivatives.__name__


def is_file_of_library(name: str) -> bool:
    """Return whether a file, as messages name it, is one of this package."""
    return name in _FILES or name.startswith(_FOLDER)


def computes_with_reals(name: str) -> bool:
    """Return whether operators in a file, as messages name it, are those of reals and arrays alone."""
    return name == complex_numbers.__file__


def is_opened(function: Any) -> bool:
    """Return whether a function or class of the standard library is translated as it is."""
    if function.__module__ == "collections":
        return function.__qualname__.partition(".")[0] in OPENED_CLASSES
    return function.__module__ in OPENED


def known_as(name: str) -> str:
    """Return the name by which a user knows a library function."""
    return name.removeprefix("method_").removeprefix("change_").rstrip("_")
