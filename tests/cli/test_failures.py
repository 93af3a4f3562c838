"""The commands' messages and exit statuses when the program, its run or the usage is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import checkpoint

PROCEDURE = "(lambda (x) (* x x))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for the commands to run in; `p.vlad` in it holds a procedure."""
    (tmp_path / "p.vlad").write_text(PROCEDURE)
    return tmp_path


def failure(status: int, folder: Path, *arguments: str, stdin: str = "") -> str:
    """Return the message of a command that fails with this status, without a traceback or half a result."""
    done = checkpoint(*arguments, cwd=folder, stdin=stdin)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("command", "text", "first_line", "marked"),
    [
        ("run", "(+ 1", ":1:1: error: this ( is never closed; write the missing )", "^"),
        ("primops", "(+ 1 2))", ":1:8: error: this ) closes nothing; remove it", "       ^"),
        ("grad", "(define x 1)\n(+ x yy)", ":2:6: error: ", "     ^^"),
        ("run", "(define (f x)\n  (car x))\n(f 1)", ":2:3: error: ", "  ^^^^^^^"),
        ("primops", "(/ 1 0)", ":1:1: error: ", "^^^^^^^"),
        ("grad", "(if 1 2 3)", ":1:1: error: ", "^"),
        ("run", "(raise 'no)", ":1:1: error: uncaught raise: no", "^"),
    ],
)
def test_a_wrong_program_is_shown(
    folder: Path, command: str, text: str, first_line: str, marked: str
) -> None:
    (folder / "bad.vlad").write_text(text)
    said, excerpt, marks = failure(1, folder, command, "bad.vlad").splitlines()
    assert said.startswith(f"bad.vlad{first_line}")
    line = int(first_line.split(":")[1])
    assert excerpt == f"{line:5} | {text.splitlines()[line - 1]}"
    assert marks.startswith(f"      | {marked}")


def test_a_missing_file() -> None:
    said = failure(1, Path(), "run", "no-such-file.vlad")
    assert said == "checkpoint: error: no-such-file.vlad: No such file or directory\n"


def test_a_file_that_is_no_text(folder: Path) -> None:
    (folder / "bad.vlad").write_bytes(b"(+ 1 \xff)")
    assert failure(1, folder, "run", "bad.vlad").startswith(
        "checkpoint: error: bad.vlad: not a text in UTF-8"
    )


@pytest.mark.parametrize("arguments", [["grad", "v.vlad", "--x", "1"], ["primops", "v.vlad", "--x", "1"]])
def test_a_value_that_is_no_procedure(folder: Path, arguments: list[str]) -> None:
    (folder / "v.vlad").write_text("(define y 2)\n(+ 1 y)")
    said = failure(1, folder, *arguments).splitlines()[0]
    command = arguments[0]
    assert said == f"v.vlad:2:1: error: {command} needs a program whose value is a procedure, not 3.0"


def test_a_bad_argument_is_named_after_its_option(folder: Path) -> None:
    assert failure(1, folder, "grad", "p.vlad", "--x", "(list 1").startswith("--x:1:1: error: ")
    assert failure(1, folder, "grad", "p.vlad", "--x", "1", "--ybar", "oops").startswith(
        "--ybar:1:1: error: "
    )
    assert failure(1, folder, "primops", "p.vlad", "--x", "(/ 1 0)").startswith("--x:1:1: error: ")


def test_an_argument_of_the_wrong_type(folder: Path) -> None:
    said = failure(1, folder, "grad", "p.vlad", "--x", "'a")
    assert said == "checkpoint: error: the argument holds no real: there is nothing to differentiate\n"
    assert failure(1, folder, "primops", "p.vlad", "--x", "'a").startswith("p.vlad:1:13: error: ")


def test_a_cotangent_of_the_wrong_shape(folder: Path) -> None:
    said = failure(1, folder, "grad", "p.vlad", "--x", "1", "--ybar", "(list 1 2)")
    assert said == "checkpoint: error: the cotangent --ybar must be a real, not a pair\n"


def test_a_cotangent_left_out(folder: Path) -> None:
    (folder / "two.vlad").write_text("(lambda (x) (list x (* 2 x)))")
    said = failure(1, folder, "grad", "two.vlad", "--x", "1")
    assert said == "checkpoint: error: --ybar must be given: the value is no real, its shape is (real real)\n"


def test_too_little_memory(folder: Path) -> None:
    said = failure(1, folder, "grad", "p.vlad", "--x", "1", "--memory", "1")
    assert said == (
        "checkpoint: error: a budget of 1 B is too small: at step 0 it shows that the gradient needs "
        "about 64.0 KiB; raise memory= (--memory)\n"
    )


@pytest.mark.parametrize("command", ["grad", "primops"])
def test_a_procedure_of_two_arguments(folder: Path, command: str) -> None:
    (folder / "two.vlad").write_text("(define (f x y) (* x y))\nf")
    said, excerpt, _ = failure(1, folder, command, "two.vlad", "--x", "1").splitlines()
    assert said == (
        "two.vlad:1:1: error: the procedure takes 2 arguments, not 1: "
        "write it with a pattern, (lambda ((list a b)) ...), and give it a list"
    )
    assert excerpt == "    1 | (define (f x y) (* x y))"


def test_the_end_of_input(folder: Path) -> None:
    (folder / "r.vlad").write_text("(+ (read-real)\n   (read-real))")
    assert failure(1, folder, "run", "r.vlad", stdin="1\n").startswith("r.vlad:2:4: error: ")
    assert failure(1, folder, "run", "r.vlad", stdin="one").startswith("r.vlad:1:4: error: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["sing"], "invalid choice: 'sing'"),
        (["run"], "the following arguments are required: PROG"),
        (["run", "p.vlad", "--fast"], "unrecognized arguments: --fast"),
        (["run", "p.vlad", "--engine", "steam"], "there is no engine 'steam'; there are: "),
        (["doctor", "--engine", "steam"], "there is no engine 'steam'; there are: "),
        (["demo", "--engine", "steam"], "there is no engine 'steam'; there are: "),
        (["grad", "p.vlad"], "grad needs --x, the argument at which to take the gradient"),
        (["grad", "p.vlad", "--x"], "argument --x: expected one argument"),
        (["grad", "p.vlad", "--x", "1", "--schedule", "luck"], "invalid choice: 'luck'"),
        (["grad", "p.vlad", "--x", "1", "--base", "0"], "expected a whole number of at least 1, got '0'"),
        (
            ["grad", "p.vlad", "--x", "1", "--schedule", "plain", "--base", "9"],
            "--schedule plain has no --base: it tapes the whole run at once",
        ),
        (
            ["grad", "p.vlad", "--x", "1", "--schedule", "budget", "--base", "9"],
            "--schedule budget has no --base: how much is taped follows from the memory",
        ),
        (
            ["grad", "p.vlad", "--x", "1", "--memory", "1MiB", "--base", "9"],
            "with --memory there is no --base: how much is taped follows from the memory",
        ),
        (
            ["grad", "p.vlad", "--x", "1", "--memory", "1MiB", "--schedule", "bisection"],
            "--schedule bisection has no --memory: leave one of them out",
        ),
        (
            ["grad", "p.vlad", "--x", "1", "--memory", "lots"],
            "argument --memory: memory is 'lots': write a size, such as '512MiB', or a share of what is free",
        ),
    ],
)
def test_wrong_usage(folder: Path, arguments: list[str], said: str) -> None:
    text = failure(2, folder, *arguments)
    assert text.startswith("usage: checkpoint ")
    if "--x" in arguments:  # what does not fit a command is shown with its options
        assert text.startswith("usage: checkpoint grad ")
    assert said in text
