"""The checks of an entry in C: what a unit relies on while it runs (units/sure.py).

In: a header whose params are set. Out: statements that return false where a check fails: nothing has been
done.
"""

from __future__ import annotations

from collections.abc import Callable

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.units.graph import Header


def checks(header: Header, temporary: Callable[[str, str], str]) -> list[str]:
    """Return the statements of a header's checks. temporary: as of Forward."""
    out = _Checks(temporary)
    for op in header.checks:
        op.write(out)
    return out.text


class _Checks:
    """The target of the text of checks (ops/operation.py, Forward)."""

    def __init__(self, temporary: Callable[[str, str], str]) -> None:
        self.text: list[str] = []
        self._temporary = temporary

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += lines

    def exit(self) -> str:
        """Return the statement that does not enter the unit."""
        return "return false;"

    def line(self, number: int) -> None:
        """Name no line: an entry is at none."""

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable of the function, once, and return its name."""
        return self._temporary(name, c_type)

    def record_birth(self, owner: Place) -> None:
        """Record nothing."""

    def births_before(self, operation: Operation) -> int | None:
        """Return None: a check takes no births."""

    def tags_before(self, operation: Operation) -> int | None:
        """Return None: nor tags."""
