"""The experiment about combinators runs on a small case."""

from __future__ import annotations

import sys

import pytest

from experiments.combinators import cores, run


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["run", "--items", "200", "--repeats", "1"])
    run.main()
    assert capsys.readouterr().out.count("\n") == 4


def test_several_threads_have_the_same_bits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["cores", "--items", "200", "--repeats", "1"])
    cores.main()
    assert capsys.readouterr().out.count("\n") == 17
