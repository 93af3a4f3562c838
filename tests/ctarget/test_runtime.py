"""The runtime of the C engine (heap, pages, stack, tape, states): C programs against models, sanitized."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from checkpoint.ctarget.build import compiler
from tests.ctarget.c_sources import TEMPLATES, files, object_files

HERE = Path(__file__).parent / "runtime"
SOURCES = [*files("heap", "heap_check", "pages", "stack", "tape", "versions", "machine"), HERE / "standins.c"]
FLAGS = (
    *("-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-ffp-contract=off"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)


# Races between threads, of which another sanitizer knows.
OF_THREADS = tuple([flag.replace("address,undefined", "thread") for flag in FLAGS])

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


def command(flags: Sequence[str]) -> list[str]:
    return [*(compiler() or ()), *flags, "-pthread", f"-I{TEMPLATES}", f"-I{HERE}"]


def check(program: Path, flags: Sequence[str], shared: Sequence[Path], *arguments: str) -> None:
    """Compile the test of the name of a program with the runtime that tests share, and run it.

    It has a sanitizer of its own: one that is loaded into this process would be a second one there.
    """
    own = [HERE / f"test_{program.name}.c", *(files("pool", "team") if program.name == "team" else ())]
    subprocess.run([*command(flags), *own, *shared, "-lm", "-o", program], check=True)
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [program, *arguments], env=environment, check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the object files of the runtime."""
    return object_files(command(FLAGS), SOURCES, tmp_path_factory.mktemp("runtime"))


@needs_compiler
@pytest.mark.parametrize("name", ["heap", "pages", "stack", "tape", "state", "team"])
def test_against_a_model(tmp_path: Path, runtime: list[Path], name: str) -> None:
    check(tmp_path / name, FLAGS, runtime)


@needs_compiler
def test_threads_do_not_race(tmp_path: Path) -> None:
    check(tmp_path / "team", OF_THREADS, SOURCES, "without-forks")
