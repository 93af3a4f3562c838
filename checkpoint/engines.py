"""The engines there are, which of them can be used here, and why not the others.

An engine is loaded when it is first asked for: importing this package loads none.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError

# Where the class of each engine is.
_ENGINES = {
    "interp": ("checkpoint.interp.engine", "Interp"),
    "hybrid": ("checkpoint.interp.hybrid.engine", "Hybrid"),
    "c": ("checkpoint.ctarget.engine", "C"),
}
# The fastest first.
_PREFERRED = ("c", "hybrid", "interp")


def available() -> dict[str, str | None]:
    """Each engine's name, with None if it can be used, else the reason why not."""
    return {name: _reason(name) for name in _ENGINES}


def usable() -> list[str]:
    """The names of the engines that can be used here."""
    return [name for name in _ENGINES if _reason(name) is None]


def get(name: str | None = None) -> Engine:
    """The engine of a name; without one the fastest that can be used.

    >>> get("interp").name
    'interp'
    """
    chosen = next(each for each in _PREFERRED if _reason(each) is None) if name is None else name
    if chosen not in _ENGINES:
        raise RunError(f"there is no engine {chosen!r}; there are: {', '.join(_ENGINES)}")
    if reason := _reason(chosen):
        raise RunError(f"engine {chosen} is not available: {reason}")
    return _loaded(chosen)


@cache
def _reason(name: str) -> str | None:
    """Why an engine cannot be used; None if it can. Those in Python always can."""
    if name != "c":
        return None
    reason: str | None = import_module("checkpoint.ctarget.library").reason()
    return reason


@cache
def _loaded(name: str) -> Engine:
    module, cls = _ENGINES[name]
    engine: Engine = getattr(import_module(module), cls)()
    return engine
