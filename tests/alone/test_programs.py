"""Executables do what `checkpoint run` does, on the corpus, and on texts, effects and derivatives."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from checkpoint.errors import SourceError
from tests.alone.support import PROGRAMS, agree, applied, executable
from tests.support.corpus import ENTRIES, FOLDER, Entry

OWN = sorted(PROGRAMS.glob("*.vlad"))
SAMPLE = ("arithmetic", "closures", "error-forward", "handlers", "nested-mixed", "rotations", "saddle")
CASES = [(entry, differentiates) for entry in ENTRIES for differentiates in (False, True)]
MEANT = [
    (entry, differentiates) for entry, differentiates in CASES if "ybar" in entry.header or not differentiates
]


def _case(case: tuple[Entry, bool]) -> str:
    return f"{case[0].name}{'-gradient' * case[1]}"


def _agrees(entry: Entry, differentiates: bool, folder: Path) -> None:
    """Assert that the executable agrees, or is refused: derivatives or references beside capsules."""
    shutil.copytree(FOLDER / "lib", folder / "lib")
    program, text = folder / f"{entry.name}.vlad", applied(entry, differentiates)
    program.write_text(text)
    code = re.sub(";.*", "", text)
    if re.search("interrupt|resume", code) and re.search(r"\(:= ", code):
        with pytest.raises(SourceError, match="executables have no capsules of what changes"):
            executable(program)
    elif re.search("interrupt|resume", code) and re.search(r"\*j|j\*|-[FR]\b", code):
        with pytest.raises(SourceError, match="executables have no derivatives of capsules"):
            executable(program)
    else:
        agree(program, entry.input)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_texts_effects_and_derivatives(path: Path, tmp_path: Path) -> None:
    program = tmp_path / path.name
    program.write_text(path.read_text())
    text = path.with_suffix(".in")
    agree(program, text.read_text() if text.exists() else "")


@pytest.mark.parametrize("case", [case for case in MEANT if case[0].name in SAMPLE], ids=_case)
def test_a_sample_of_the_corpus(case: tuple[Entry, bool], tmp_path: Path) -> None:
    _agrees(*case, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("case", MEANT, ids=_case)
def test_the_corpus(case: tuple[Entry, bool], tmp_path: Path) -> None:
    _agrees(*case, tmp_path)
