"""All library functions, by the Python objects for which they stand; modules that are translated as they are.

FUNCTIONS: Python's objects, with the library functions that stand for them. LAZY: those that stand for some
of them in programs with generators. OPENED: modules of the standard library whose functions are translated
from the text that is installed, unless FUNCTIONS has them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from checkpoint.lang.python.library import (
    application,
    complex_numbers,
    derivatives,
    functions,
    generators,
    hashing,
    inner,
    iterators,
    methods,
    sets,
    state,
    unbound,
    views,
)
from checkpoint.lang.python.library.standard import (
    bases,
    chains,
    complex_mathematics,
    containers,
    files,
    floats,
    fractional,
    functional,
    iteration,
    keyed,
    lazy,
    lazy_itertools,
    managers,
    mixin_sets,
    mixins,
    namespaces,
    ordering,
    patterns,
    randoms,
    records,
    seeded,
    statistical,
    texts,
    values,
)

_MODULES = (
    *(
        application,
        complex_numbers,
        containers,
        functions,
        generators,
        hashing,
        inner,
        iterators,
        methods,
    ),
    *(sets, state, unbound, views, chains, complex_mathematics, functional, iteration, lazy, lazy_itertools),
    *(
        bases,
        files,
        floats,
        fractional,
        keyed,
        managers,
        mixin_sets,
        mixins,
        namespaces,
        ordering,
        patterns,
        randoms,
        records,
        seeded,
        statistical,
        texts,
        values,
    ),
)

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **functions.FUNCTIONS,
    **application.APPLICATIONS,
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
    **statistical.FUNCTIONS,
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
    return FUNCTIONS.get(value)


_FILES = frozenset(str(module.__file__) for module in _MODULES)
_INTERNAL = frozenset((*[module.__name__ for module in _MODULES], *OPENED))


def is_internal(function: Any) -> bool:
    """Return whether errors show calls of a function as calls of Python's own one."""
    return function.__module__ in _INTERNAL


def is_library(function: Any) -> bool:
    """Return whether a function is one of this package, or of a module that is translated as it is."""
    return is_internal(function) or function.__module__ == derivatives.__name__


def is_file_of_library(name: str) -> bool:
    """Return whether a file, as messages name it, is one of this package."""
    return name in _FILES


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
