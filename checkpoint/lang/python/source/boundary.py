"""Decide which functions are translated when a program calls them: the user's own code.

A function of the standard library or of an installed package is not translated, unless the library has it
(library/tables.py): its text may be anything, and its users rely on what it computes, not on how.
`checkpoint.translate` and `CHECKPOINT_CONVERT` name packages that are translated nevertheless, with the
packages that they require.
"""

from __future__ import annotations

import contextlib
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from checkpoint import config
from checkpoint.ad.library import modules_translated, packages_opened
from checkpoint.lang.python.library import tables

# Where packages are installed: for this environment, for the user, for the whole system, below any folder.
_PACKAGES = re.compile(r"[/\\](site|dist)-packages[/\\]")


@cache
def _standard_library() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths[name] for name in ("stdlib", "platstdlib")})


def is_counterpart(function: Any) -> bool:
    """Return whether a function is translated in place of an array library's, or helps one that is."""
    return function.__module__ in modules_translated


def is_allowed(function: Any) -> bool:
    """Return whether a function is translated."""
    if tables.is_library(function) or tables.is_opened(function) or is_counterpart(function):
        return True
    # In this order: only what is not the user's own needs the metadata of packages.
    return _is_users(function.__code__.co_filename) or _is_opened(str(function.__module__ or ""))


def _is_opened(module: str) -> bool:
    """Return whether a module's package is open for translation."""
    if _is_in(module, packages_opened):
        return True
    chosen = frozenset(config.packages()) | frozenset(config.current().convert)
    if not chosen or _is_in(module, chosen):
        return bool(chosen)
    if module.partition(".")[0] in sys.stdlib_module_names:  # which no package has
        return False
    # Here, since what it loads to read metadata is a tenth of the time of an import of checkpoint.
    from checkpoint.lang.python.source.requirements import with_requirements  # noqa: PLC0415

    return _is_in(module, with_requirements(chosen))


def _is_in(module: str, packages: Iterable[str]) -> bool:
    """Return whether a module is one of these packages, or lies in one."""
    return any(f"{module}.".startswith(f"{name}.") for name in packages)


def is_own(cls: type) -> bool:
    """Return whether a class is the user's own code, or of a package that is open for translation."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    is_users = cls.__module__ != "builtins" and (file is None or _is_users(file))
    return is_users or _is_opened(cls.__module__)


@contextlib.contextmanager
def _manager() -> Iterator[None]:
    yield


def makes_manager(value: Any) -> bool:
    """Return whether a function was made by `contextlib.contextmanager`."""
    return getattr(value, "__code__", None) is _manager.__code__


def _is_users(file: str) -> bool:
    if file.startswith("<frozen ") or _PACKAGES.search(file):
        return False
    return not any(file.startswith((path + "/", path + "\\")) for path in _standard_library())
