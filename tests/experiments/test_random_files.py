"""Files changed at random: loads end well; what takes too much memory, or crashes, is seen.

Each in a process of its own: the experiment forks, of which JAX warns, and to link a program again, which
many others have pushed out, takes memory.
"""

from __future__ import annotations

import subprocess
import sys

WRONG = """
import os

import checkpoint
from experiments.random import files

saved = files.saved()
checkpoint.load = lambda path, *_, **__: bytearray(35 * path.stat().st_size + 2**20)
ends, wrong = files.forked((1, range(2), saved))
assert ends == {"wrong": 2}, ends
assert "bytes for a file of" in wrong[0][1], wrong
checkpoint.load = lambda *_, **__: os._exit(11)
assert files.forked((1, range(5, 7), saved))[1] == [(5, "the process of range(5, 7) ended with 11")]
"""


def output_of(*options: str) -> str:
    command = [sys.executable, *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    return ran.stdout


def test_loads_end_well() -> None:
    found = output_of("-m", "experiments.random.files", "--files", "80")
    assert found.startswith("80 files in ")
    assert "'refused': " in found
    assert "'loaded': " in found


def test_what_is_wrong_is_seen() -> None:
    assert output_of("-c", WRONG) == ""
