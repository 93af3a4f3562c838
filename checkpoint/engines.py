"""The engines there are, which of them can be used here, and why not the others.

An engine is loaded when it is first asked for: importing this package loads none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError


@cache
def _interp() -> Engine:
    from checkpoint.interp.engine import Interp  # noqa: PLC0415

    return Interp()


@cache
def _hybrid() -> Engine:
    from checkpoint.interp.hybrid.engine import Hybrid  # noqa: PLC0415

    return Hybrid()


_ENGINES: dict[str, Callable[[], Engine]] = {"interp": _interp, "hybrid": _hybrid}
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
    return _ENGINES[chosen]()
