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
}
_PREFERRED = ("hybrid", "interp")


def available() -> dict[str, str | None]:
    """Each engine's name, with None if it can be used, else the reason why not."""
    return dict.fromkeys(_ENGINES)


def get(name: str | None = None) -> Engine:
    """The engine of a name; without one the fastest that can be used.

    >>> get("interp").name
    'interp'
    """
    chosen = _PREFERRED[0] if name is None else name
    if chosen not in _ENGINES:
        raise RunError(f"there is no engine {chosen!r}; there are: {', '.join(_ENGINES)}")
    return _loaded(chosen)


@cache
def _loaded(name: str) -> Engine:
    module, cls = _ENGINES[name]
    engine: Engine = getattr(import_module(module), cls)()
    return engine
