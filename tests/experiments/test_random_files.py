"""Files changed at random: loads end well; what takes too much memory, or crashes, is seen."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from experiments.random import files


def test_loads_end_well() -> None:
    """In a process of its own: to link a program again, which many others have pushed out, takes memory."""
    command = [sys.executable, "-m", "experiments.random.files", "--files", "80"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert ran.stdout.startswith("80 files in ")
    assert "'refused': " in ran.stdout
    assert "'loaded': " in ran.stdout


def test_what_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = files.saved()

    def greedy(path: Any, *_: Any, **__: Any) -> Any:
        return bytearray(35 * path.stat().st_size + 2**20)

    monkeypatch.setattr("checkpoint.load", greedy)
    ends, wrong = files.forked((1, range(2), saved))
    assert ends == {"wrong": 2}
    assert "bytes for a file of" in wrong[0][1]
    monkeypatch.setattr("checkpoint.load", lambda *_, **__: os._exit(11))
    assert files.forked((1, range(5, 7), saved))[1] == [(5, "the process of range(5, 7) ended with 11")]
