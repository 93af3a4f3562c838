"""The engines that exist, which of them can be used here, and why not the others.

An engine is loaded when it is first asked for: importing this package loads none.
"""

from __future__ import annotations

from functools import cache

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError


def _interp() -> Engine:
    from checkpoint.interp.engine import Interp  # noqa: PLC0415  (loaded when it is first asked for)

    return Interp()


def _hybrid() -> Engine:
    from checkpoint.interp.hybrid.engine import Hybrid  # noqa: PLC0415  (the same)

    return Hybrid()


def _c() -> Engine:
    from checkpoint.ctarget.engine import C  # noqa: PLC0415  (the same)

    return C()


# What makes each engine, by its name.
_ENGINES = {"interp": _interp, "hybrid": _hybrid, "c": _c}
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
    from checkpoint.ctarget.library import reason  # noqa: PLC0415  (it loads the module in C)

    return reason()


@cache
def _loaded(name: str) -> Engine:
    return _ENGINES[name]()
