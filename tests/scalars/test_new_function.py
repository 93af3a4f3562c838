"""A new scalar function is one definition in one file: the diff in CONTRIBUTING, applied to a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.ctarget import library

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "scalars" / "new_function.py"

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))


def shown() -> tuple[str, str, str]:
    """Return the file that the diff of CONTRIBUTING changes, what is there, and what it adds after that."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (diff,) = re.findall(r"```diff\n(.*?)```", text, re.DOTALL)
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    (path,) = re.findall(r"^\+\+\+ b/(\S+)$", diff, re.MULTILINE)
    context = [line[1:] for line in lines if line.startswith(" ")]
    added = [line[1:] for line in lines if line.startswith("+")]
    assert len(context) + len(added) == len(lines)
    return path, "\n".join(context) + "\n", "\n".join(added) + "\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with the new definition, and of the module in C made of it."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("checkpoint", "ctemplates", "tensorlib"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    objects = ROOT / "build" / "ctarget" / "strict"
    if objects.exists():  # what does not depend on the table need not be compiled again
        shutil.copytree(objects, folder / "build" / "ctarget" / "strict")
        (folder / "build" / "ctarget" / "strict" / "scalars.o").unlink(missing_ok=True)
    path, context, added = shown()
    text = (folder / path).read_text(encoding="utf-8")
    assert text.count(context) == 1
    (folder / path).write_text(text.replace(context, context + added), encoding="utf-8")
    run(folder, "-m", "checkpoint.ctarget.build", "--strict")
    return folder


def run(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what a Python prints that finds the copy's packages first."""
    usual = {
        name: value for name, value in os.environ.items() if name not in {"CHECKPOINT_RUNTIME", "LD_PRELOAD"}
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**usual, "PYTHONPATH": str(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("part", ["on_reals", "in_texts", "on_arrays"])
def test_it_works(copy: Path, part: str) -> None:
    run(copy, str(PROGRAM), part)


def test_it_is_translated(copy: Path) -> None:
    environment = {"CHECKPOINT_CHECK": "1", "CHECKPOINT_CACHE": str(copy / "cache")}
    machine = run(copy, str(PROGRAM), "translated", CHECKPOINT_JIT="off", **environment)
    unit = run(copy, str(PROGRAM), "translated", CHECKPOINT_JIT="wait", **environment)
    assert unit == machine
    program = f"{PROGRAM}:run"
    listed = run(
        copy, "-m", "checkpoint", "show", program, "--pass", "c", "--x", "0.3", "--x", "5000", **environment
    )
    assert "VALUE(logistic, 1.0 / (1.0 + exp(-x)), false)" in listed
