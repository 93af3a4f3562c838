"""The engines there are, which of them can be used here, and why not the others.

An engine is loaded when it is first asked for: importing this package loads none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError


def _interp() -> Engine:
    from checkpoint.interp.engine import Interp  # noqa: PLC0415  (an engine is loaded when it is asked for)

    return Interp()


def _hybrid() -> Engine:
    from checkpoint.interp.hybrid.engine import Hybrid  # noqa: PLC0415  (as above)

    return Hybrid()


def _c() -> Engine:
    from checkpoint.ctarget.engine import C  # noqa: PLC0415  (as above)

    return C()


_ENGINES: dict[str, Callable[[], Engine]] = {"interp": _interp, "hybrid": _hybrid, "c": _c}
# The fastest first.
_PREFERRED = ("c", "hybrid", "interp")


def available() -> dict[str, str | None]:
    """Return for each engine's name None if it can be used, else the reason why not."""
    return {name: _reason(name) for name in _ENGINES}


def usable() -> list[str]:
    """Return the names of the engines that can be used here."""
    return [name for name in _ENGINES if _reason(name) is None]


def get(name: str | None = None) -> Engine:
    """Return the engine of a name; without one the fastest that can be used.

    Raises RunError if there is no such engine, or if it cannot be used here.

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
    """Return why an engine cannot be used; None if it can. Those in Python always can."""
    if name != "c":
        return None
    from checkpoint.ctarget.library import reason  # noqa: PLC0415  (as above)

    return reason()


@cache
def _loaded(name: str) -> Engine:
    return _ENGINES[name]()
