"""The runtime of the C engine (heap, pages, stack, tape, states): C programs against models, sanitized."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checkpoint.ctarget.build import compiler
from tests.ctarget.c_sources import TEMPLATES, files

HERE = Path(__file__).parent / "runtime"
SOURCES = [*files("heap", "heap_check", "pages", "stack", "tape", "versions", "machine"), HERE / "standins.c"]
FLAGS = (
    *("-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-ffp-contract=off"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)


@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["heap", "pages", "stack", "tape", "state"])
def test_against_a_model(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    command = [*(compiler() or ()), *FLAGS, f"-I{TEMPLATES}", f"-I{HERE}", HERE / f"test_{name}.c", *SOURCES]
    subprocess.run([*command, "-o", program], check=True)
    done = subprocess.run([program], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
