"""An addition touches only what CONTRIBUTING says that it touches: stub patches, applied to a copy, work.

A patch adds a library of arrays, or a level at which states are kept. It is applied to a copy of the
sources, and a program runs on the copy in a process of its own. The table in CONTRIBUTING.md names the
folders it touches.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST_ROOMS = 3

ARRAY_LIBRARY = """
import sys
import toyarrays
import checkpoint

def energy(x):
    return (x * x).sum()

for engine in sys.argv[1:]:
    x = toyarrays.array([1.0, 2.0, 3.0])
    y, xbar = checkpoint.vjp(energy, x, engine=engine)
    assert (y, list(xbar), type(xbar)) == (14.0, [2.0, 4.0, 6.0], toyarrays.Array), (y, xbar, type(xbar))
print("works")
"""

DISK_LEVEL = """
import pathlib
import sys
import checkpoint
from checkpoint.driver.disk import BisectionOnDisk

def power(x):
    y = 1.0
    for _ in range(100):
        y *= x
    return y

folder = pathlib.Path("states")
folder.mkdir()
schedule = BisectionOnDisk(base=50, folder=folder)
assert checkpoint.vjp(power, 1.01, engine="hybrid", schedule=schedule) == checkpoint.vjp(power, 1.01)
assert len(list(folder.glob("*.state"))) > 3
print("works")
"""


def rooms_of(patch: str) -> set[str]:
    """Return the folders of the files that a patch touches."""
    return {str(Path(name).parent) for name in re.findall(r"^\+\+\+ b/(.*)$", patch, re.MULTILINE)}


def rooms_of_table(addition: str) -> set[str]:
    """Return the folders that the table of CONTRIBUTING names for an addition."""
    rows = re.findall(rf"^\| {addition} \|(.*)\|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert len(rows) == 1, addition
    return {str(Path(name).parent) for name in re.findall(r"`([\w/.]+\.\w+)`", rows[0])}


@pytest.mark.skipif(shutil.which("git") is None, reason="patches are applied by git, which is not there")
@pytest.mark.parametrize(
    ("name", "addition", "program"),
    [
        ("array_library", "an array library", ARRAY_LIBRARY),
        ("disk_level", "a disk level", DISK_LEVEL),
    ],
)
def test_a_stub(name: str, addition: str, program: str, tmp_path: Path) -> None:
    patch = (HERE / "patches" / f"{name}.patch").read_text()
    assert rooms_of(patch) <= rooms_of_table(addition)
    assert len(rooms_of_table(addition)) <= MOST_ROOMS
    for folder in ("checkpoint", "tensorlib"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True, env=environment)
    usable = subprocess.run(
        [sys.executable, "-c", "from checkpoint import engines; print(*engines.usable())"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "program.py", *usable.stdout.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{HERE}"},
    )
    assert (done.returncode, done.stdout) == (0, "works\n"), done.stderr


@pytest.mark.parametrize("addition", ["a primitive", "an array library", "a disk level", "a mutable object"])
def test_additions_touch_few_rooms(addition: str) -> None:
    rooms = rooms_of_table(addition)
    assert 1 <= len(rooms) <= MOST_ROOMS
    for room in rooms:
        assert (ROOT / room).is_dir(), room
