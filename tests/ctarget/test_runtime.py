"""The runtime of the C engine (heap, pages, stack, tape, states): C programs against models, sanitized."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from checkpoint.ctarget.build import compiler
from tests.ctarget.c_sources import SANITIZED, SANITIZED_FOR_RACES, command, files, object_files

HERE = Path(__file__).parent / "runtime"
SOURCES = files("heap", "heap_check", "free_order", "pages", "stack", "tape", "versions", "machine")

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


def check(program: Path, flags: Sequence[str], *arguments: str) -> None:
    """Compile the test of the name of a program with the objects that tests share, and run it.

    It has a sanitizer of its own: one that is loaded into this process would be a second one there.
    """
    shared = object_files([*SOURCES, *(files("pool", "team") if program.name == "team" else ())], flags)
    own = [HERE / f"test_{program.name}.c", HERE / "standins.c"]
    subprocess.run([*command(flags), *own, *shared, "-lm", "-o", program], check=True)
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [program, *arguments], env=environment, check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


@needs_compiler
@pytest.mark.parametrize("name", ["heap", "pages", "stack", "tape", "state", "team"])
def test_against_a_model(tmp_path: Path, name: str) -> None:
    check(tmp_path / name, SANITIZED)


@needs_compiler
def test_threads_do_not_race(tmp_path: Path) -> None:
    check(tmp_path / "team", SANITIZED_FOR_RACES, "without-forks")
