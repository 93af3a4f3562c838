"""The list of passes and its settings: what is checked and printed between passes."""

from __future__ import annotations

import sys

import pytest

from checkpoint import config
from checkpoint.cps import checks
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.listings import listing
from checkpoint.cps.passes import PASSES, compile_blocks, compile_to
from checkpoint.errors import InternalError, Source
from checkpoint.functions.program import Program, load
from tests.cps.support import compiled

TEXT = "(lambda (x) (* x x))"


def program(text: str = TEXT) -> Program:
    return load(Source("<test>", text))


def test_passes_need_what_comes_before_them() -> None:
    seen: set[str] = set()
    for step in PASSES:
        assert set(step.needs) <= seen
        assert step.name not in seen
        assert step.ensures
        seen.add(step.name)


def test_every_language_that_can_be_shown_is_made_by_a_pass() -> None:
    names = [step.name for step in PASSES]
    assert [name for name in names if name in config.SHOWN] == list(config.SHOWN)
    found = compiled(TEXT)
    for language in config.SHOWN:
        assert listing(found, language)


def test_all_tests_check() -> None:
    assert config.current().check


def broken(found: Compilation) -> None:
    raise InternalError("found by the checker")


def test_checkers_run_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKS", {step.name: broken for step in PASSES})
    loaded = program()
    with config.override(check=False):
        assert compile_blocks(loaded.thunk, loaded.scopes)
    with config.override(check=True), pytest.raises(InternalError, match="found by the checker"):
        compile_blocks(loaded.thunk, loaded.scopes)


def test_passes_that_engines_leave_for_later_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    last = PASSES[-1]
    assert last.name == "adjoint"
    monkeypatch.setitem(checks.CHECKS, last.name, broken)
    loaded = program()
    with pytest.raises(InternalError, match="found by the checker"):
        compile_blocks(loaded.thunk, loaded.scopes)


@pytest.mark.parametrize("check", [False, True])
def test_what_was_made_is_shown_on_standard_error(check: bool, capsys: pytest.CaptureFixture[str]) -> None:
    loaded = program()
    with config.override(check=check, show=("cps", "adjoint")):
        compile_blocks(loaded.thunk, loaded.scopes)
    shown = capsys.readouterr()
    made = compile_to("adjoint", loaded.thunk, loaded.scopes)
    assert shown.err == listing(made, "cps") + "\n" + listing(made, "adjoint") + "\n"
    assert not shown.out


def test_checks_change_nothing() -> None:
    with config.override(check=False):
        plain = compiled(TEXT)
    assert listing(plain, "blocks") == listing(compiled(TEXT), "blocks")


def test_lowering_leaves_what_it_is_given() -> None:
    alone = compiled(TEXT, last="closures")
    assert listing(alone, "closures") == listing(compiled(TEXT), "closures")


def test_depth_does_not_matter() -> None:
    """Passes, checkers and listings accept deep programs, and the size of listings stays linear."""
    depth = sys.getrecursionlimit() * 2
    text = "(lambda (x) " + "(if (< x 1) 1 (lambda (y) " * depth + "x" + "))" * depth + ")"
    found = compiled(text)
    for language in config.SHOWN:
        shown = listing(found, language)
        assert len(shown) < 400 * (text.count("(") + 1)
