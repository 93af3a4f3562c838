"""Executables under the address and the undefined behaviour sanitizer do what others do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.alone.support import PROGRAMS, executable, run
from tests.hostile import sanitized

ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0"}  # a process that ends gives nothing back


@pytest.mark.long
@pytest.mark.skipif(sanitized.missing() is not None, reason=f"no sanitizers: {sanitized.missing()}")
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.vlad")), ids=lambda path: path.stem)
def test_nothing_is_found(path: Path, tmp_path: Path) -> None:
    program = tmp_path / path.name
    program.write_text(path.read_text())
    text = path.with_suffix(".in").read_text() if path.with_suffix(".in").exists() else ""
    plain = run(executable(program), text=text)
    assert run(executable(program, hostile=True), text=text, environment=ENVIRONMENT) == plain
