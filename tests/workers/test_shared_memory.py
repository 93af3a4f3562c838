"""Memory that processes share: where it is full there is an error, and not a signal that ends the caller."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint.errors import WorkersError
from checkpoint.workers import Processes

FULL = """
from checkpoint.workers import Processes
with Processes(1) as workers:
    kept = workers.put(bytes(100_000))
    try:
        workers.put(bytes(4_000_000))
    except Exception as error:
        print(type(error).__name__, error)
    print(workers.get(workers.submit(len, kept)))
"""
SMALL = 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" -c "$1"'


def test_memory_without_room(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "posix_fallocate"):
        pytest.skip("this system cannot reserve memory")

    made: list[Path] = []

    def full(file: int, *_: Any) -> None:
        made.append(Path(f"/proc/self/fd/{file}"))
        if made[0].exists():
            made[0] = made[0].readlink()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with Processes(1) as workers, pytest.raises(WorkersError, match=r"has no room for .* B .No space left"):
        workers.put(b"value")
    assert not made[0].exists()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not here")
def test_a_small_memory_that_is_full() -> None:
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", SMALL, sys.executable, FULL]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("a file system cannot be mounted here")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(
        "WorkersError the memory that processes share, /dev/shm on Linux, has no room for 3.8 MiB"
    )
    assert second == "100000"
