"""The experiment about workers runs on small cases, and its methods agree."""

from __future__ import annotations

import sys

import pytest

from experiments.workers import run


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["--items", "3", "--turns", "50", "--workers", "2", "--repeats", "1"]
    monkeypatch.setattr(sys, "argv", ["run", *small])
    run.main()
    table = capsys.readouterr().out
    assert "Threads(2)" in table
    assert "Processes(2)" in table
