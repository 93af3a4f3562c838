"""Tests that run in a process of their own, since what ran before in a process changes what they see."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.sampling import THOROUGH

ALONE = "RUNS_ALONE"  # the variable of the environment that says so


def is_alone() -> bool:
    """Return whether this process was started to run some tests alone."""
    return ALONE in os.environ


def check_alone(path: str, tests: str, **environment: str) -> None:
    """Run the tests of a file that an expression of pytest's -k selects, in a process of their own.

    Long ones are among them in `make test-long`.
    """
    chosen = ["-k", tests, *(["-m", "long or not long"] if THOROUGH else [])]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path, *chosen],
        env={**os.environ, **environment, ALONE: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
