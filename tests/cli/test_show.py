"""`checkpoint show`: a program after each pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint.config import SHOWN
from tests.cli.support import checkpoint
from tests.cps.goldens import FOLDER, kept


@pytest.mark.parametrize("language", SHOWN)
def test_a_whole_program(language: str) -> None:
    done = checkpoint("show", "loop.vlad", "--pass", language, cwd=FOLDER)
    assert (done.stdout, done.stderr, done.returncode) == (kept("loop", language).read_text(), "", 0)


@pytest.mark.parametrize("language", SHOWN)
def test_one_procedure(language: str) -> None:
    done = checkpoint("show", "loop.vlad", "--pass", language, "--procedure", "power-sum", cwd=FOLDER)
    assert (done.stderr, done.returncode) == ("", 0)
    assert 0 < len(done.stdout) < len(kept("loop", language).read_text())


def test_a_loop_stands_for_the_procedure_that_it_is_part_of() -> None:
    by_loop = checkpoint("show", "loop.vlad", "--pass", "blocks", "--procedure", "inner", cwd=FOLDER)
    by_name = checkpoint("show", "loop.vlad", "--pass", "blocks", "--procedure", "power-sum", cwd=FOLDER)
    assert by_loop.stdout == by_name.stdout
    assert "block loop.inner" in by_loop.stdout


@pytest.mark.parametrize("language", SHOWN)
def test_an_unknown_procedure(language: str) -> None:
    done = checkpoint("show", "loop.vlad", "--pass", language, "--procedure", "sum", cwd=FOLDER)
    assert done.returncode == 2
    names = "program, power-sum, outer, inner, lambda"
    assert f"error: there is no procedure 'sum'; there are: {names}\n" in done.stderr


def test_an_unknown_pass() -> None:
    done = checkpoint("show", "loop.vlad", "--pass", "tokens", cwd=FOLDER)
    assert done.returncode == 2
    assert "--pass: invalid choice: 'tokens'" in done.stderr


def test_a_text_that_cannot_be_taken(tmp_path: Path) -> None:
    path = tmp_path / "bad.vlad"
    path.write_text("(+ 1 x)")
    done = checkpoint("show", path, "--pass", "cps")
    assert done.returncode == 1
    assert "bad.vlad:1:6: error: unbound variable x" in done.stderr


def test_listings_while_a_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_SHOW", "blocks")
    done = checkpoint("run", "loop.vlad", "--engine", "hybrid", cwd=FOLDER)
    assert done.stdout == "#<procedure>\n"
    assert done.stderr == kept("loop", "blocks").read_text()


def test_a_misspelt_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_CHECK", "on")
    done = checkpoint("run", "loop.vlad", "--engine", "hybrid", cwd=FOLDER)
    assert done.returncode == 1
    assert done.stderr == "checkpoint: error: CHECKPOINT_CHECK is 'on'; write 0 or 1\n"
