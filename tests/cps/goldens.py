"""The listings of three small programs, kept in tests/cps/golden/PROGRAM.LANGUAGE.txt.

A change of a pass or a printer shows there as a difference that can be read. To make them again:

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
    """A listing as it is made now."""
    path = FOLDER / f"{program}.vlad"
    loaded = load(Source(path.name, path.read_text()))
    return listing(compile_to(language, loaded.thunk, loaded.scopes), language) + "\n"


def kept(program: str, language: str) -> Path:
    """Where a listing is kept."""
    return FOLDER / f"{program}.{language}.txt"


if __name__ == "__main__":
    for name in PROGRAMS:
        for shown in SHOWN:
            kept(name, shown).write_text(made(name, shown))
