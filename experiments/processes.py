"""Measurements in processes of their own: one thread each, a cap on memory if asked, failures in their words.

A module that is measured so has a `__main__` that takes a case as JSON in its first argument, and prints its
row as JSON in the last line.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from experiments import common


def ended(
    module: str, case: dict[str, Any], stderr: int | None = None, xla: str = "", seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Return how a process of a module ended that worked on a case.

    xla: more flags of XLA. seconds: after which it is killed, and TimeoutExpired is raised.
    """
    usual = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
    eigen = {"XLA_FLAGS": f"--xla_cpu_multi_thread_eigen=false {xla}".strip()}
    return subprocess.run(
        [sys.executable, "-m", module, json.dumps(case)],
        check=False,
        cwd=common.HERE.parent,
        env={**os.environ, **usual, **eigen},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=seconds,
    )


def row_of(module: str, case: dict[str, Any], xla: str = "", seconds: float | None = None) -> dict[str, Any]:
    """Return the row that a process of a module printed, or what it said when it failed; see `ended`."""
    try:
        found = ended(module, case, subprocess.PIPE, xla, seconds)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {seconds:.0f} s"}
    if found.returncode:
        return {"error": last_words(found.stderr) or f"ended with status {found.returncode}"}
    row: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return row


def load() -> float:
    """Return how many processes wanted a core in the last minute, on the average."""
    return round(os.getloadavg()[0], 1)


def last_words(text: str) -> str:
    """Return the last line that says something, without the rest of a traceback."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if line.split(":")[0].endswith(("Error", "Exhausted", "exception"))]
    return (named or lines or [""])[-1][:300]


def limit(cap: int) -> None:
    """Let this process take `cap` bytes more than it has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    bound = pages * resource.getpagesize() + cap
    resource.setrlimit(resource.RLIMIT_AS, (bound, resource.getrlimit(resource.RLIMIT_AS)[1]))
