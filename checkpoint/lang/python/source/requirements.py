"""Find which packages a package needs, to translate them with it.

In: names of modules. Out: the modules of the distributions that theirs require (`Requires-Dist`, without
extras), and so on. Distributions with compiled code are left out, with what they require: what NumPy, SciPy
or pandas compute is the subject of records, not of their texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import machinery, metadata

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@cache
def with_requirements(modules: frozenset[str]) -> frozenset[str]:
    """Return modules with those of the distributions that they require, where these are Python alone."""
    found = set(modules)
    pending = {name for module in modules for name in _distributions().get(module.partition(".")[0], ())}
    seen = set(pending)
    while pending:
        needed = {name for name in _required(pending.pop()) if _is_python(name)} - seen
        seen |= needed
        pending |= needed
        found.update(module for name in needed for module in _modules().get(name, ()))
    return frozenset(found)


@cache
def _distributions() -> dict[str, set[str]]:
    """Return for each installed module the normalised names of its distributions."""
    found = metadata.packages_distributions()
    return {module: {_normalised(name) for name in names} for module, names in found.items()}


@cache
def _modules() -> dict[str, set[str]]:
    """Return for each distribution its modules."""
    found: dict[str, set[str]] = {}
    for module, names in _distributions().items():
        for name in names:
            found.setdefault(name, set()).add(module)
    return found


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(distribution: str) -> Iterator[str]:
    """Yield what a distribution requires whatever its extras."""
    for line in _lines(distribution):
        name = _NAME.match(line)
        if name and not re.search(r";.*\bextra\b", line):
            yield _normalised(name.group())


def _lines(distribution: str) -> Iterable[str]:
    try:
        return metadata.requires(distribution) or ()
    except metadata.PackageNotFoundError:
        return ()


@cache
def _is_python(distribution: str) -> bool:
    """Return whether a distribution is installed, and has no compiled code."""
    try:
        files = metadata.files(distribution)
    except metadata.PackageNotFoundError:
        return False
    return not any(str(file).endswith(tuple(machinery.EXTENSION_SUFFIXES)) for file in files or ())
