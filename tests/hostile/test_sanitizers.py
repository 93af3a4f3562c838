"""The C engine's module with sanitizers: a sample; `make test-hostile` does all of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.ctarget import build
from tests.hostile import sanitized

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("capsules-recut", "handlers", "calls.keywords")


@pytest.mark.skipif(sanitized.missing() is not None, reason=f"no sanitizers: {sanitized.missing()}")
def test_memory_that_ends_under_sanitizers() -> None:
    module = build.build(sanitized="hostile")
    if module is None:
        pytest.skip("no sanitizers: the module cannot be built here")
    command = [sys.executable, "-m", "tests.hostile.allocations", "--most", "13", *SAMPLE]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=sanitized.environment(module),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("runs without memory") == len(SAMPLE), done.stdout
