"""Engine c and its process: the exit while much is alive, and other interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint import engines
from checkpoint.ctarget import library

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason=f"engine c: {engines.available()['c']}")

LIVELY = """
import sys, threading, time
import checkpoint

def f(x):
    a = [x, 2.0 * x]
    for i in range(1000):
        a[0] = a[0] * 1.0001 + a[1]
    return a[0]

def endless(x):
    while True:
        x = x * 1.0000001

def generator(x):
    yield checkpoint.interrupt(f, x, 900, engine="c")

kept = []

def work(x):
    kept.append(checkpoint.interrupt(f, x, 700, engine="c"))
    kept.append(generator(x))
    next(kept[-1])
    kept.append(checkpoint.vjp(f, x, 1.0, engine="c"))

threads = [threading.Thread(target=work, args=(float(i),)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
kept.append(kept)
sys.modules["kept"] = kept
threading.Thread(target=lambda: checkpoint.primops(endless, 1.0, engine="c"), daemon=True).start()
time.sleep(0.2)
print(len(kept))
"""

INTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
text = "from checkpoint import engines; print(engines.available()['c'], flush=True)"
exec(text)
another = interpreters.create()
interpreters.run_string(another, text)
interpreters.destroy(another)
"""


def printed(folder: Path, text: str, *options: str, **environment: str) -> str:
    """Return what a program prints, with the messages of Python."""
    path = folder / "program.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, *options, str(path)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("allocator", ["default", "debug"])
def test_a_process_ends_with_heaps_capsules_and_a_run_in_a_thread(tmp_path: Path, allocator: str) -> None:
    assert printed(tmp_path, LIVELY, "-X", "dev", PYTHONMALLOC=allocator) == "13\n"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="such an interpreter does not load cffi at all")
def test_another_interpreter_of_the_process_goes_without(tmp_path: Path) -> None:
    assert printed(tmp_path, INTERPRETERS) == f"None\n{library.ELSEWHERE}\n"
