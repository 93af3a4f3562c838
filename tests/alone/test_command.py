"""The command `checkpoint compile`, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.alone.support import command, run

USAGE = "usage: {} [--steps]\n"


def compiled(folder: Path, text: str, *options: str) -> tuple[Path, str, int]:
    """Compile a text; return the path of its executable, what was said, and the exit status."""
    program = folder / "program.vlad"
    program.write_text(text)
    done = command("compile", program, *options)
    assert not done.written
    return folder / "program", done.errors.replace(f"{folder}/", ""), done.status


def test_the_executable_has_the_name_of_the_program(tmp_path: Path) -> None:
    made, said, status = compiled(tmp_path, "(+ 1 2)")
    assert (said, status) == ("", 0)
    assert run(made).written == "3.0\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program", "program.vlad"]


def test_another_name_and_the_program_in_c(tmp_path: Path) -> None:
    _, said, status = compiled(tmp_path, "(+ 1 2)", "-o", f"{tmp_path}/other", "--c", f"{tmp_path}/other.c")
    assert (said, status) == ("", 0)
    assert run(tmp_path / "other").written == "3.0\n"
    assert "const Program PROGRAM" in (tmp_path / "other.c").read_text()


def test_wrong_options_of_an_executable(tmp_path: Path) -> None:
    made, _, _ = compiled(tmp_path, "(+ 1 2)")
    for options in (["--engine", "c"], ["--steps", "1"], ["-h"]):
        done = run(made, *options)
        assert (done.written, done.errors, done.status) == ("", USAGE.format(made), 2)


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("(define (f x)\n  (zeros x))\n(f '(2))", "program.vlad:2:3", "zeros"),
        ("(if (tensor? 1) (list->tensor '(1)) (ones '(1)))", "program.vlad:1:37", "ones"),
        ("(map (lambda (x) (matmul x x)) '(1))", "program.vlad:1:18", "matmul"),
    ],
)
def test_what_only_python_does_is_refused_with_its_place(
    text: str, place: str, name: str, tmp_path: Path
) -> None:
    made, said, status = compiled(tmp_path, text)
    assert said.startswith(
        f"{place}: error: {name} is a step of Python's, which executables do not have: "
        f"run the program by `checkpoint run`\n"
    )
    assert status == 1
    assert not made.exists()


def test_derivatives_beside_capsules_are_refused(tmp_path: Path) -> None:
    text = "(define (f x) (* x x))\n(cdr (*j (lambda (x)\n  (resume (interrupt f x 1))) 2 1))"
    made, said, status = compiled(tmp_path, text)
    assert said.startswith(
        "program.vlad:3:11: error: interrupt: executables have no derivatives of capsules, "
        "but this program uses *j: run it by `checkpoint run`\n"
    )
    assert status == 1
    assert not made.exists()


def test_branches_for_tensors_are_no_reason_to_refuse(tmp_path: Path) -> None:
    made, said, status = compiled(tmp_path, "(map (lambda (x) (if (tensor? x) (size x) (* x x))) '(1 2))")
    assert (said, status) == ("", 0)
    assert run(made).written == "(1.0 4.0)\n"


def test_an_error_in_the_text(tmp_path: Path) -> None:
    _, said, status = compiled(tmp_path, "(+ 1 y)")
    assert said.startswith("program.vlad:1:6: error: unbound variable y")
    assert status == 1


def test_functions_of_python_are_refused() -> None:
    done = command("compile", "math:sin")
    assert "error: only .vlad programs are compiled: Python functions need Python\n" in done.errors
    assert done.status == 2


def test_options_of_other_commands_are_refused(tmp_path: Path) -> None:
    for option in ("--engine", "--x", "--base", "--schedule"):
        _, said, status = compiled(tmp_path, "1", option, "1")
        assert f"unrecognized arguments: {option}" in said
        assert status == 2


LOOPS = """(define (walk x)
  (let loop ((i 0) (x x))
    (if (= i 20000)
        x
        (loop (+ i 1) (begin (if (zero? (modulo i 9000)) (write-real i) i) (* x (- 1.00001 (* 1e-9 x))))))))
(list (*j walk 1.5 1) (checkpoint-*j walk 1.5 1) (*j (lambda (x) (cdr (checkpoint-*j walk x 1))) 1.5 1))"""


def test_derivatives_tape_what_fits_into_the_memory(tmp_path: Path) -> None:
    made, said, status = compiled(tmp_path, LOOPS, "--memory", "64 KiB")
    assert (said, status) == ("", 0)
    assert run(made) == command("run", tmp_path / "program.vlad", "--engine", "c")
    assert run(made, "--steps") == command("primops", tmp_path / "program.vlad", "--engine", "c")


def test_a_run_that_needs_more_than_its_memory(tmp_path: Path) -> None:
    made, said, status = compiled(tmp_path, LOOPS, "--memory", "4KiB")
    assert (said, status) == ("", 0)
    done = run(made)
    assert "error: out of memory: the run may hold no more than 4,096 bytes\n" in done.errors
    assert done.status == 1


def test_a_memory_that_is_no_size(tmp_path: Path) -> None:
    for memory in ("25%", "much", "0"):
        _, said, status = compiled(tmp_path, "1", "--memory", memory)
        assert f"argument --memory: expected a size, like 512MiB or 2GiB, got '{memory}'" in said
        assert status == 2


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    _, said, status = compiled(tmp_path, "(+ 1 2)")
    assert said == "checkpoint: error: there is no C compiler: set CC to name one, or install ziglang\n"
    assert status == 1


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    _, said, status = compiled(tmp_path, "(+ 1 2)", "-o", f"{tmp_path}/none/program")
    assert said == "checkpoint: error: none/program: No such file or directory\n"
    assert status == 1
