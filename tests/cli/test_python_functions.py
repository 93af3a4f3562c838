"""The commands on Python functions: `FILE.py:NAME` and `MODULE:NAME`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checkpoint.config import SHOWN
from tests.cli.support import checkpoint

TEXT = """import math
from dataclasses import dataclass

LIMIT = 3


@dataclass
class Point:
    x: float
    y: float

    def norm(self):
        return math.hypot(self.x, self.y)

    @staticmethod
    def square(x):
        return x * x


def product(x, y=2.0, *, z=1.0):
    print("at", x, y)
    return x * y * z


def total(xs):
    result = 0.0
    for x in xs:
        result += inverse(x)
    return result


def inverse(x):
    return 1.0 / x


def pair(x, y):
    return x * y, [x + y]


def from_origin(x, y):
    return Point(x, y).norm()


def constant():
    return LIMIT * 2


def asks(x):
    while input("more?"):
        return x
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for the commands to run in; `m.py` in it has functions."""
    (tmp_path / "m.py").write_text(TEXT)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = checkpoint(*arguments, cwd=folder)
    assert "most recent call last" not in done.stderr
    return done


def output(folder: Path, *arguments: str) -> str:
    done = run(folder, *arguments)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def failure(folder: Path, *arguments: str, status: int = 1) -> str:
    done = run(folder, *arguments)
    assert (done.stdout, done.returncode) == ("", status)
    return done.stderr


@pytest.mark.parametrize("program", ["m.py:product", "m:product"])
def test_every_argument_has_its_cotangent(folder: Path, program: str) -> None:
    shown = output(folder, "grad", program, "--x", "3.0", "--x", "-5e-1")
    assert shown == "at 3.0 -0.5\n-1.5\n-0.5\n3.0\n"
    assert output(folder, "grad", program, "--x", "3.0") == "at 3.0 2.0\n6.0\n2.0\n"


def test_engines_and_schedules(folder: Path) -> None:
    for options in (["--engine", "interp"], ["--schedule", "plain"], ["--base", "3"]):
        assert (
            output(folder, "grad", "m.py:total", "--x", "[2.0, 4.0]", *options) == "0.75\n[-0.25, -0.0625]\n"
        )


def test_cotangents_are_literals(folder: Path) -> None:
    shown = output(folder, "grad", "m.py:pair", "--x", "2.0", "--x", "3.0", "--ybar", "(1.0, [10.0])")
    assert shown == "(6.0, [5.0])\n13.0\n12.0\n"
    said = failure(folder, "grad", "m.py:pair", "--x", "2.0", "--x", "3.0")
    assert said == "checkpoint: error: --ybar must be given: the value is no real but a tuple\n"
    said = failure(folder, "grad", "m.py:pair", "--x", "2.0", "--x", "3.0", "--ybar", "1.0")
    assert said == "checkpoint: error: --ybar must be a tuple, not a float\n"


def test_run_prints_the_value_as_python_does(folder: Path) -> None:
    assert output(folder, "run", "m.py:pair", "--x", "2.0", "--x", "3") == "(6.0, [5.0])\n"
    assert output(folder, "run", "m.py:constant") == "6\n"
    assert output(folder, "run", "m.py:from_origin", "--x", "3.0", "--x", "4.0") == "5.0\n"
    assert output(folder, "run", "m.py:Point.square", "--x", "3") == "9\n"
    assert output(folder, "run", "math:cos", "--x", "0.0") == "1.0\n"


def test_primops_counts(folder: Path) -> None:
    assert int(output(folder, "primops", "m.py:total", "--x", "[2.0, 4.0]")) > 10
    assert output(folder, "primops", "m.py:inverse", "--x", "2.0") == output(
        folder, "primops", "m.py:inverse", "--x", "2.0", "--engine", "interp"
    )


@pytest.mark.parametrize("language", SHOWN)
def test_show(folder: Path, language: str) -> None:
    assert "inverse" in output(folder, "show", "m.py:total", "--pass", language)
    assert "product" in output(folder, "show", "m.py:product", "--pass", language)
    assert output(folder, "show", "math:sin", "--pass", language)


def test_what_a_run_raises_is_shown_at_its_place(folder: Path) -> None:
    assert failure(folder, "grad", "m.py:total", "--x", "[1.0, 0.0]").splitlines() == [
        "m.py:33:12: error: ZeroDivisionError: float division by zero",
        "   33 |     return 1.0 / x",
        "      |            ^^^^^^^",
        "called at m.py:28:19",
        "   28 |         result += inverse(x)",
        "      |                   ^^^^^^^^^^",
    ]


def test_what_cannot_be_taken_is_shown_at_its_place(folder: Path) -> None:
    said, excerpt, marks = failure(folder, "grad", "m.py:asks", "--x", "1.0").splitlines()
    assert said.startswith("m.py:49:11: error: `input` cannot be differentiated: ")
    assert excerpt == '   49 |     while input("more?"):'
    assert marks.startswith("      |           ^^^^")
    assert "py.refuse" in output(folder, "show", "m.py:asks", "--pass", "core")


def test_wrong_arguments(folder: Path) -> None:
    said = failure(folder, "grad", "m.py:inverse", "--x", "3")
    assert said == "checkpoint: error: --x holds no real to differentiate: pass 3.0 instead of 3\n"
    said, *_ = failure(folder, "grad", "m.py:inverse", "--x", "pi").splitlines()
    assert said.startswith("--x:1:1: error: this is no literal of Python; write numbers in ")
    said = failure(folder, "run", "m.py:inverse")
    assert said == "checkpoint: error: TypeError: inverse() missing 1 required positional argument: 'x'\n"
    assert "grad needs --x" in failure(folder, "grad", "m.py:inverse", status=2)


def test_names_that_lead_nowhere(folder: Path) -> None:
    assert failure(folder, "run", "m.py:f") == "checkpoint: error: there is no f in m.py\n"
    assert failure(folder, "run", "m.py:LIMIT") == "checkpoint: error: m.py:LIMIT is no function but an int\n"
    assert failure(folder, "run", "n.py:f") == "checkpoint: error: n.py: No such file or directory\n"
    for program in ("m.py", "m.py:", "m.py:1x", "m.py:f g", "m.py:f.", "m.py:.f"):
        assert "name a function of the file, as m.py:f" in failure(folder, "run", program, status=2)
    assert failure(folder, "run", "m.py::f") == "checkpoint: error: there is no f in m.py\n"


def test_a_module_that_ends_the_process(folder: Path) -> None:
    (folder / "ends.py").write_text("import sys\n\nsys.exit(3)\n")
    done = checkpoint("check", "ends.py:f", cwd=folder)
    first, *_, last = done.stderr.splitlines()
    assert done.returncode == 1
    assert (first, last) == ("checkpoint: error: importing ends.py failed", "SystemExit: 3")


def test_a_module_that_cannot_be_imported(folder: Path) -> None:
    (folder / "bad.py").write_text("import math\n\nmath.log(0.0)\n")
    for program, name in (("bad.py:f", "bad.py"), ("bad:f", "bad")):
        done = checkpoint("run", program, cwd=folder)
        assert (done.stdout, done.returncode) == ("", 1)
        lines = done.stderr.splitlines()
        assert lines[0] == f"checkpoint: error: importing {name} failed"
        assert lines[2].endswith('bad.py", line 3, in <module>')
        assert lines[-1] == "ValueError: math domain error"


def test_vlad_programs_take_one_argument(folder: Path) -> None:
    (folder / "p.vlad").write_text("(lambda (x) (* x x))")
    assert "a procedure takes one --x" in failure(folder, "grad", "p.vlad", "--x", "1", "--x", "2", status=2)
    assert "--x is for Python functions" in failure(folder, "run", "p.vlad", "--x", "1", status=2)
