"""The experiment about combinators runs on a small case."""

from __future__ import annotations

import sys

import pytest

from experiments.combinators import run


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["run", "--items", "200", "--repeats", "1"])
    run.main()
    assert capsys.readouterr().out.count("\n") == 4
