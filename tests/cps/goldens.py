"""The listings of three small programs, stored in tests/cps/golden/PROGRAM.LANGUAGE.txt.

A change of a pass or a printer is visible there as a readable difference. To make the listings again:

    python -m tests.cps.goldens
"""

from __future__ import annotations

from pathlib import Path

from checkpoint.config import SHOWN
from checkpoint.cps.listings import listing
from checkpoint.cps.passes import compile_to
from checkpoint.errors import Source
from checkpoint.functions.program import load

FOLDER = Path(__file__).resolve().parent / "golden"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.vlad"))


def made(program: str, language: str) -> str:
    """Return a listing as the passes make it now."""
    path = FOLDER / f"{program}.vlad"
    loaded = load(Source(path.name, path.read_text()))
    return listing(compile_to(language, loaded.thunk, loaded.scopes), language) + "\n"


def kept(program: str, language: str) -> Path:
    """Return the path of a stored listing."""
    return FOLDER / f"{program}.{language}.txt"


if __name__ == "__main__":
    for name in PROGRAMS:
        for shown in SHOWN:
            kept(name, shown).write_text(made(name, shown))
