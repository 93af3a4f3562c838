"""Files changed at random: loads end well; what takes too much memory, or crashes, is seen."""

from __future__ import annotations

import os
from typing import Any

import pytest

from experiments.random import files


@pytest.fixture(scope="module")
def saved() -> list[files.Subject]:
    return files.saved()


def test_loads_end_well(saved: list[files.Subject]) -> None:
    ends, wrong = files.forked((1, range(80), saved))
    assert wrong == []
    assert sum(ends.values()) == 80
    assert set(ends) >= {"refused", "loaded"}


def test_what_is_wrong_is_seen(saved: list[files.Subject], monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(path: Any, *_: Any, **__: Any) -> Any:
        return bytearray(35 * path.stat().st_size + 2**20)

    monkeypatch.setattr("checkpoint.load", greedy)
    ends, wrong = files.checked((1, range(2), saved))
    assert ends == {"wrong": 2}
    assert "bytes for a file of" in wrong[0][1]
    monkeypatch.setattr("checkpoint.load", lambda *_, **__: os._exit(11))
    assert files.forked((1, range(5, 7), saved))[1] == [(5, "the process of range(5, 7) ended with 11")]
