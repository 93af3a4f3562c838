"""The experiment on journals at a small size: killed processes, the same bits, and what it says of them.

It forks, so it runs in a process of its own, in which no library has started threads.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from checkpoint.ctarget.library import reason

pytestmark = pytest.mark.skipif(reason() is not None or os.name != "posix", reason="needs engine c and fork")


@pytest.mark.long
def test_it_runs() -> None:
    small = ["--kills", "2", "--turns", "8000000", "--life", "0.2", "--repeats", "1"]
    found = subprocess.run(
        [sys.executable, "-m", "experiments.journal.run", *small],
        env={**os.environ, "CHECKPOINT_JIT": "wait"},  # or what is killed would get nowhere in its life
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    *costs, kills = map(ast.literal_eval, found.stdout.splitlines())
    assert len(costs) == 2
    assert all(cost["ratio"] > 0.0 for cost in costs)
    assert kills["wrong"] == 0
    assert kills["kills"] >= 2
    assert kills["lost, most"] >= kills["lost, median"] >= 0.0
