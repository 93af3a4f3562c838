"""Reading and writing the globals that a program assigns, as translated functions.

Such a variable lies in a list of two: what it holds, and whether the run has first read or first written it.
"""

from __future__ import annotations

from typing import Any

UNTOUCHED, READ_FIRST, WRITTEN_FIRST = range(3)


def read_state(cell: Any) -> Any:
    """Return what a variable holds."""
    if cell[1] == 0:
        cell[1] = 1
    return cell[0]


def write_state(cell: Any, value: Any) -> None:
    """Assign to a variable."""
    if cell[1] == 0:
        cell[1] = 2
    cell[0] = value
