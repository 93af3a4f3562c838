"""The output of the commands when all is well."""

from __future__ import annotations

import platform
import re
from importlib import metadata
from pathlib import Path

import pytest

from checkpoint.cli import doctor
from checkpoint.ctarget.library import reason
from tests.cli.support import checkpoint

SQUARES = """
(define (sum-of-squares xs)
  (if (null? xs) 0 (+ (* (car xs) (car xs)) (sum-of-squares (cdr xs)))))
sum-of-squares
"""


@pytest.fixture
def squares(tmp_path: Path) -> Path:
    path = tmp_path / "squares.vlad"
    path.write_text(SQUARES)
    return path


def output(*arguments: str | Path, stdin: str = "") -> str:
    done = checkpoint(*arguments, stdin=stdin)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_run_prints_the_value(tmp_path: Path) -> None:
    program = tmp_path / "value.vlad"
    program.write_text("(define (twice x) (* 2 x))\n(list (twice 21) (= 1 1) '(a b))")
    assert output("run", program) == "(42.0 #t (a b))\n"


def test_run_reads_and_writes(tmp_path: Path) -> None:
    program = tmp_path / "echo.vlad"
    program.write_text("(+ (write-real (read-real)) (write-real (read-real)))")
    assert output("run", program, stdin="1.5 2\n") == "1.5\n2.0\n3.5\n"


def test_grad_prints_the_value_and_the_cotangent(squares: Path) -> None:
    assert output("grad", squares, "--x", "(list 1 2 3)", "--ybar", "1") == "14.0\n(2.0 4.0 6.0)\n"


def test_grad_takes_a_cotangent(squares: Path) -> None:
    assert output("grad", squares, "--x", "(list 1 2 3)", "--ybar", "(/ 1 2)") == "14.0\n(1.0 2.0 3.0)\n"


def test_grad_may_leave_out_the_cotangent_of_a_real(squares: Path) -> None:
    assert output("grad", squares, "--x", "(list 1 2 3)") == "14.0\n(2.0 4.0 6.0)\n"


@pytest.mark.parametrize(
    "schedule",
    [
        [],
        ["--base", "3"],
        ["--schedule", "budget"],
        ["--memory", "1MiB"],
        ["--memory", "1%", "--schedule", "budget"],
        ["--schedule", "plain"],
        ["--schedule", "bisection"],
        ["--schedule", "bisection", "--base", "3"],
        ["--schedule", "binomial"],
        ["--schedule", "binomial", "--base", "1"],
    ],
)
def test_grad_is_the_same_by_every_schedule(squares: Path, schedule: list[str]) -> None:
    assert output("grad", squares, "--x", "(list 1 2 3)", *schedule) == "14.0\n(2.0 4.0 6.0)\n"


def test_a_negative_number_is_an_argument(tmp_path: Path) -> None:
    program = tmp_path / "cube.vlad"
    program.write_text("(lambda (x) (* x x x))")
    assert output("grad", program, "--x", "-1e1") == "-1000.0\n300.0\n"


def test_primops_counts_a_program(tmp_path: Path) -> None:
    program = tmp_path / "sum.vlad"
    program.write_text("(+ 1 2)")
    assert output("primops", program) == "3\n"


def test_primops_counts_a_procedure_at_x(tmp_path: Path) -> None:
    program = tmp_path / "double.vlad"
    program.write_text("(lambda (x) (+ x x))")
    assert output("primops", program) == "1\n"
    assert output("primops", program, "--x", "7") == "3\n"


def test_every_command_takes_an_engine(squares: Path) -> None:
    assert output("run", squares, "--engine", "interp")
    assert output("primops", squares, "--engine", "interp")
    assert output("grad", squares, "--x", "(list 2)", "--engine", "interp") == "4.0\n(4.0)\n"
    assert "engine interp: available\n" in output("doctor", "--engine", "interp")


def test_doctor_names_versions_and_engines() -> None:
    report = output("doctor")
    assert report.startswith("checkpoint ")
    assert f"Python {platform.python_version()}" in report
    assert "engine interp: available\n" in report
    assert "engine c: " in report
    assert f"arrays: numpy {metadata.version('numpy')}\n" in report
    assert f"calls of C: cffi {metadata.version('cffi')}\n" in report
    assert f"what memory is free: psutil {metadata.version('psutil')}\n" in report


def test_doctor_says_what_memory_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    size = r"\d+(\.\d)? [KMGT]?i?B"
    assert re.search(
        rf"^memory: {size} free to this process, {size} for a gradient by default$", output("doctor"), re.M
    )
    monkeypatch.setenv("CHECKPOINT_MEMORY", "2MiB")
    assert "memory: 2.0 MiB free to this process, 1.0 MiB for a gradient by default\n" in output("doctor")
    monkeypatch.setenv("CHECKPOINT_MEMORY", "much")
    assert "memory: CHECKPOINT_MEMORY is 'much'; write a size, like 512MiB or 2GiB\n" in output("doctor")


@pytest.mark.skipif(reason() is not None, reason=f"engine c: {reason()}")
def test_doctor_says_what_tapes_have_left(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = "up to 512.0 MiB stay with a process, most until the system needs them, 4.0 MiB in this one"
    for pages, text in (((2**22, 2**29), kept), ((0, 0), "none stay with a process")):
        monkeypatch.setattr(doctor, "kept_pages", lambda pages=pages: pages)
        assert f"pages of tapes: {text}" in list(doctor.report(["c"]))


@pytest.mark.skipif(reason() is not None, reason=f"engine c: {reason()}")
def test_doctor_says_how_runs_are_translated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHECKPOINT_CACHE", str(tmp_path))
    monkeypatch.setenv("CC", "/nonexistent/cc")
    monkeypatch.delenv("CHECKPOINT_JIT")
    report = output("doctor")
    assert "translation to C: in the background, while a run goes on\n" in report
    assert "its compiler: none; set CC to name one, or install ziglang\n" in report
    assert f"its folder: {tmp_path}/translated\n" in report
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    assert "translation to C: off (CHECKPOINT_JIT=off)\n" in output("doctor")
    monkeypatch.setenv("CHECKPOINT_JIT", "no")
    assert "translation to C: CHECKPOINT_JIT is 'no'; write wait or off, or leave" in output("doctor")


def test_help_names_the_commands() -> None:
    text = output("--help")
    for command in ("run", "grad", "trace", "primops", "show", "doctor", "demo"):
        assert command in text


def test_demo_compares_both_modes() -> None:
    text = output("demo")
    rows = [re.split(r"\s{2,}", line) for line in text.splitlines()]
    for name in ("heat", *(f"its derivative by {each}" for each in ("stiffness", "friction", "push"))):
        [(plain, checkpointed, bounded)] = [row[1:] for row in rows if row[0] == name]
        assert plain == checkpointed == bounded
    [steps] = re.findall(r"^A run of ([\d,]+) steps", text, re.MULTILINE)
    assert int(steps.replace(",", "")) >= 10**6
    assert "    if v > 0.0:\n" in text
    assert "equal to the last bit" in text
