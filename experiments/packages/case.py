"""A function of a package, or of the kind that people write, and the call of it that is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One call that is differentiated.

    package: the module that holds the function; it is opened for translation. also: other modules that are
    opened, because the function calls them. tolerance: the relative difference allowed between the gradient
    and finite differences. free: whether all arguments may be moved freely; otherwise no differences are
    taken. name: under which the case is reported, if not its function's. has_state: whether the function
    changes its arguments, so that it is called with has_state=True, as the error without it says.
    """

    package: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    also: tuple[str, ...] = ()
    tolerance: float = 1e-5
    free: bool = True
    name: str = ""
    has_state: bool = False

    @property
    def title(self) -> str:
        """Return the name under which the case is reported."""
        return self.name or self.function.__name__
