"""Paths of C sources under ctemplates/ for tests that compile some of them."""

from __future__ import annotations

from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "ctemplates"


def files(*names: str) -> list[Path]:
    """Return the path of `name`.c for each name, in whichever folder it is. ValueError: not in one."""
    found = []
    for name in names:
        (path,) = TEMPLATES.rglob(f"{name}.c")
        found.append(path)
    return found
