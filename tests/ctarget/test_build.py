"""The build of the C engine's module: cffi's input, recompilation, no compiler at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.ctarget import build, library

ROOT = Path(__file__).resolve().parents[2]
needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler")


def copy_of_the_source(folder: Path) -> Path:
    """Copy what setup.py needs into a folder, without built files, and return the folder."""
    for name in ("checkpoint", "ctemplates", "tensorlib"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, folder)
    return folder


def run(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what a new Python in a folder prints, where no variable names a runtime module."""
    usual = {
        name: os.environ[name] for name in os.environ if name not in {"CHECKPOINT_RUNTIME", "LD_PRELOAD"}
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**usual, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_declarations_have_no_comments_and_no_lines_of_the_preprocessor() -> None:
    text = "#ifndef X /* a\nguard */\n#define Y(a) \\\n    a\nint f(int); // it\n#endif\n"
    assert build.declarations(text).split() == ["int", "f(int);"]


def test_cffi_reads_the_headers() -> None:
    assert build.builder(build.FLAGS)


def test_no_flag_changes_what_numbers_are() -> None:
    assert "-ffp-contract=off" in build.FLAGS
    assert not any("fast-math" in flag or "march" in flag for flag in build.FLAGS)


def test_the_table_of_scalars_is_made_with_nothing_but_python() -> None:
    """The table needs no other package, nor the parent of checkpoint.scalars, and loads none of them."""
    code = """
import runpy, sys, types
sys.modules["cffi"] = types.ModuleType("cffi")
sys.modules["cffi"].FFI = None
build = runpy.run_path("checkpoint/ctarget/build.py")
text = build["imported"]("checkpoint.scalars.c_text").table()
assert 'NAME(multiply, "py.mul", integers)' in text
assert not [name for name in sys.modules if name.partition(".")[0] in ("checkpoint", "numpy")]
"""
    run(ROOT, "-I", "-S", "-c", code)


def test_an_install_without_a_compiler_succeeds(tmp_path: Path) -> None:
    folder = copy_of_the_source(tmp_path)
    text = run(folder, "setup.py", "build_ext", "--inplace", CC="/nonexistent/cc")
    assert 'building extension "checkpoint.ctarget._runtime" failed' in text
    report = run(folder, "-m", "checkpoint", "doctor", "--engine", "hybrid", CC="/nonexistent/cc")
    assert "C compiler: none; set CC to name one" in report
    shown = "from checkpoint import engines; print(engines.available()['c'], engines.get().name)"
    assert run(folder, "-c", shown) == f"{library.NOT_BUILT} hybrid\n"


def test_a_build_without_a_compiler_says_so(tmp_path: Path) -> None:
    folder = copy_of_the_source(tmp_path)
    text = run(folder, "-m", "checkpoint.ctarget.build", CC="/nonexistent/cc")
    assert text == "there is no C compiler: engine c is not built (set CC to name one)\n"


@needs_compiler
@pytest.mark.long
def test_only_what_has_changed_is_compiled_again(tmp_path: Path) -> None:
    folder = copy_of_the_source(tmp_path)
    run(folder, "-m", "checkpoint.ctarget.build")
    objects = folder / "build" / "ctarget" / "plain"
    before = {path.name: path.stat().st_mtime_ns for path in objects.glob("*.o")}
    run(folder, "-m", "checkpoint.ctarget.build")
    assert {path.name: path.stat().st_mtime_ns for path in objects.glob("*.o")} == before
    (folder / "ctemplates" / "memory" / "heap.c").touch()
    run(folder, "-m", "checkpoint.ctarget.build")
    after = {path.name: path.stat().st_mtime_ns for path in objects.glob("*.o")}
    assert {name for name in before if before[name] != after[name]} == {"heap.o"}


@pytest.mark.skipif(library.reason() is not None, reason=f"engine c: {library.reason()}")
def test_the_module_says_how_it_was_made() -> None:
    assert "-ffp-contract=off" in library.built_with()
