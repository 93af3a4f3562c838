"""The engines there are, which of them can be used here, and why not the others."""

from __future__ import annotations

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.interp.engine import Interp
from checkpoint.interp.hybrid.engine import Hybrid

_ENGINES: dict[str, Engine] = {"interp": Interp(), "hybrid": Hybrid()}
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
    return _ENGINES[chosen]
