"""`checkpoint trace`: the table, the picture, and the refusals."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.support import checkpoint

LOOP = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 40) y (loop (+ i 1) (sin (* x y))))))"
WITHOUT_MATPLOTLIB = "import sys; sys.modules['matplotlib.backend_bases'] = None; "
MAIN = "from checkpoint.cli.main import main; sys.exit(main(sys.argv[1:]))"

needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "loop.vlad"
    path.write_text(LOOP)
    return path


@pytest.mark.parametrize("command", ["grad", "trace"])
def test_progress_goes_to_standard_error(program: Path, command: str) -> None:
    done = checkpoint(command, program, "--x", "0.7", "--progress")
    assert done.returncode == 0
    assert re.search(r"forward: .*backward: 100%", done.stderr, re.DOTALL)
    assert "forward:" not in done.stdout


def test_it_prints_a_table(program: Path) -> None:
    done = checkpoint("trace", program, "--x", "0.7", "--schedule", "bisection", "--base", "10")
    assert (done.stderr, done.returncode) == ("", 0)
    steps = int(checkpoint("primops", program, "--x", "0.7").stdout)
    lines = done.stdout.splitlines()
    assert lines[0] == f"1 sweep over {steps:,} steps, by Bisection(base=10, tape_bytes=None)"
    assert re.fullmatch(rf"taped again +{steps} +1\.00 +\S+ m?s", lines[6])
    assert [line.split()[0] for line in lines[11:]] == [
        "memory",
        "tapes",
        "capsules",
        "cotangent",
        "capsules",
    ]


def test_python_functions_are_traced_too(tmp_path: Path) -> None:
    path = tmp_path / "power.py"
    path.write_text("def power(x, n):\n    y = 1.0\n    for _ in range(n):\n        y *= x\n    return y\n")
    done = checkpoint("trace", f"{path}:power", "--x", "1.5", "--x", "30", "--schedule", "plain")
    assert (done.stderr, done.returncode) == ("", 0)
    assert "by Plain()" in done.stdout


@needs_matplotlib
def test_it_draws_a_picture(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.png"
    done = checkpoint("trace", program, "--x", "0.7", "--base", "10", "--over", "steps", "-o", path)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.endswith(f"\npicture: {path}\n")
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1600, 1120)


@needs_matplotlib
def test_the_picture_must_have_a_place_and_a_format(program: Path, tmp_path: Path) -> None:
    for path, said in (
        ("run.doc", "the suffix must be that of a format of pictures: "),
        ("run", "the suffix must be"),
    ):
        done = checkpoint("trace", program, "--x", "0.7", "-o", tmp_path / path)
        assert (done.stdout, done.returncode) == ("", 2)
        assert f"-o {tmp_path / path}: {said}" in done.stderr
    nowhere = tmp_path / "nowhere" / "run.png"
    done = checkpoint("trace", program, "--x", "0.7", "-o", nowhere)
    assert (done.stdout, done.returncode) == ("", 2)
    assert f"-o {nowhere}: there is no folder {nowhere.parent}\n" in done.stderr


def test_without_matplotlib_the_table_is_printed_and_a_picture_refused(program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_MATPLOTLIB + MAIN, "trace", str(program), "--x", "0.7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "run.png")], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.returncode) == ("", 1)
    said = "pictures need matplotlib, which is not installed: pip install 'checkpoint-ad[pictures]'"
    assert done.stderr == f"checkpoint: error: {said}\n"


def test_it_needs_an_argument(program: Path) -> None:
    done = checkpoint("trace", program)
    assert (done.stdout, done.returncode) == ("", 2)
    assert "trace needs --x, the argument at which to take the gradient" in done.stderr


def test_a_run_that_fails_has_no_table(tmp_path: Path) -> None:
    path = tmp_path / "fails.vlad"
    path.write_text("(lambda (x) (car x))")
    done = checkpoint("trace", path, "--x", "1.0")
    assert (done.stdout, done.returncode) == ("", 1)
    assert "not a pair" in done.stderr
