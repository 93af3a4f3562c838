"""The experiment on a disk as a second level at a small size: the same bits, and a row for each way."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint import engines
from experiments.spill import run


@pytest.mark.filterwarnings("ignore::checkpoint.SpillWarning")  # the folder may be in memory
def test_it_runs(tmp_path: Path) -> None:
    rows = run.compared(engines.get().name, 64, 60, [2, 4], 1, str(tmp_path))
    assert list(rows) == ["enough", "1/2", "1/2, disk", "1/4", "1/4, disk"]
    assert rows["enough"]["wall ratio"] == rows["enough"]["cpu ratio"] == 1.0
    assert all(row["wall"] > 0.0 and row["cpu"] > 0.0 for row in rows.values())
