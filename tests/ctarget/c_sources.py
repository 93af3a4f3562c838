"""Paths of C sources under ctemplates/ for tests that compile some of them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "ctemplates"


def files(*names: str) -> list[Path]:
    """Return the path of `name`.c for each name, in whichever folder it is. ValueError: not in one."""
    found = []
    for name in names:
        (path,) = TEMPLATES.rglob(f"{name}.c")
        found.append(path)
    return found


def object_files(command: Sequence[str | Path], sources: Sequence[str | Path], folder: Path) -> list[Path]:
    """Compile C sources into a folder; return the object files, for programs that share them."""
    subprocess.run([*command, "-c", *sources], check=True, cwd=folder)
    return [folder / f"{Path(source).stem}.o" for source in sources]
