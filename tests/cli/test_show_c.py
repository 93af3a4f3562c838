"""`checkpoint show --pass c`: the parts of a program's run that are translated to C."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import checkpoint
from tests.ctarget.translate.shared_objects import needs_c

LOOP = """\
def settle(x, turns):
    heat = x
    for _ in range(turns):
        heat = heat * 0.5 + x
    print(heat)
    return heat


def short(x):
    return x * x


def fails(x):
    return [x][3]
"""
WALK = """\
(define (total f l) (if (null? l) 0 (+ (f (car l)) (total f (cdr l)))))
(lambda (x) (let again ((i 0) (y 0)) (if (= i 100) y (again (+ i 1) (+ y (total sin (iota 5)) x)))))
"""
SHOW = ("show", "loop.py:settle", "--pass", "c", "--x", "1.5", "--x", "500")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "walk.vlad").write_text(WALK)
    return tmp_path


def shown(folder: Path, *arguments: str) -> str:
    done = checkpoint(*arguments, cwd=folder)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


@needs_c
def test_a_python_function(folder: Path) -> None:
    text = shown(folder, *SHOW)
    assert text.count("bool unit_plain(") == text.count("bool unit_tape(") == 2  # declared, defined
    assert text.count("bool unit_reverse(") == 2
    assert text.index("bool unit_plain(") < text.index("bool unit_tape(") < text.index("bool unit_reverse(")
    assert "/* settle, from block loop." in text
    assert '#line 4 "loop.py"\n' in text
    assert " = heat_" in text
    assert not text.startswith("2.9")  # what the program prints is not among it


@needs_c
def test_the_same_each_time_and_with_no_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(folder, *SHOW)
    monkeypatch.setenv("CC", "/nonexistent/cc")
    monkeypatch.setenv("CHECKPOINT_CACHE", str(folder / "cache"))
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    assert shown(folder, *SHOW) == text
    assert not (folder / "cache").exists()


@needs_c
def test_one_form(folder: Path) -> None:
    plain, taped = (shown(folder, *SHOW, "--form", form) for form in ("plain", "taped"))
    assert "unit_plain" in plain
    assert "unit_tape" not in plain
    assert "unit_reverse" in taped
    assert "unit_plain" not in taped
    both = shown(folder, *SHOW)
    assert "unit_plain" in both
    assert "unit_reverse" in both


@needs_c
def test_a_text_at_an_argument(folder: Path) -> None:
    text = shown(folder, "show", "walk.vlad", "--pass", "c", "--x", "0.5")
    assert "of total */" in text
    assert '#line 1 "walk.vlad"' in text


@needs_c
def test_one_procedure(folder: Path) -> None:
    command = ("show", "walk.vlad", "--pass", "c", "--x", "0.5", "--procedure")
    assert "of total */" in shown(folder, *command, "total")
    done = checkpoint(*command, "add", cwd=folder)
    assert done.returncode == 2
    assert "error: there is no procedure 'add'; there are: " in done.stderr
    assert "total" in done.stderr


@needs_c
def test_what_is_too_short(folder: Path) -> None:
    text = shown(folder, "show", "loop.py:short", "--pass", "c", "--x", "2.0")
    assert text == "nothing in it is run long enough to be translated\n"


@needs_c
def test_a_run_that_fails(folder: Path) -> None:
    done = checkpoint("show", "loop.py:fails", "--pass", "c", "--x", "2.0", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("loop.py:14:12: error: IndexError: list index out of range\n")


def test_without_the_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_RUNTIME", str(folder / "none.so"))
    done = checkpoint(*SHOW, cwd=folder)
    assert done.returncode == 2
    assert "error: engine c is not available: " in done.stderr


@pytest.mark.parametrize("more", [("--x", "1.0"), ("--form", "plain")])
def test_what_is_for_c_alone(folder: Path, more: tuple[str, str]) -> None:
    done = checkpoint("show", "loop.py:short", "--pass", "cps", *more, cwd=folder)
    assert done.returncode == 2
    assert "error: --x and --form are for --pass c: the other passes do not run the program" in done.stderr
